#!/usr/bin/env python3
"""Sets the tokenizers beside the Python packages `tokenizers` and `sentencepiece` on the same text.

    python scripts/peers_tokenizers.py build/release/bin/stagebench-tokenizer-benchmark

Both sides run in turn, round by round, on one text of about 2,000 tokens; a ratio is theirs / ours of one round, above
1 where ours is faster, and the table shows the median ratio with the smallest and largest. Times are CPU times: a busy
machine does not change them much, and neither side uses a second thread. The packages keep their own caches between
calls. Needs `pip install tokenizers sentencepiece`; a package that is absent is left out and named.
"""

import argparse
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

PROJECT = pathlib.Path(__file__).resolve().parent.parent
TEXT = PROJECT / "profiles" / "prompts" / "botchan.txt"
CASES = ("encode", "decode")


def machine_name() -> str:
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


class HuggingFace:
    """The `tokenizers` package; ids as a list, as transformers takes them."""

    def __init__(self, folder: pathlib.Path):
        import tokenizers

        self.name = f"tokenizers {tokenizers.__version__}"
        self.tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))

    def encode(self, text: str) -> list[int]:
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=False)


class Sentencepiece:
    def __init__(self, folder: pathlib.Path):
        import sentencepiece

        self.name = f"sentencepiece {sentencepiece.__version__}"
        self.processor = sentencepiece.SentencePieceProcessor(model_file=str(folder / "tokenizer.model"))

    def encode(self, text: str) -> list[int]:
        return self.processor.encode(text)

    def decode(self, ids: list[int]) -> str:
        return self.processor.decode(ids)


def cut_to_tokens(peer, text: str, tokens: int) -> str:
    """The text of the first `tokens` ids, to the end of a word."""
    cut = peer.decode(peer.encode(text[: tokens * 8])[:tokens])
    return text[: len(cut.rsplit(" ", 1)[0])]


def time_ns(call, seconds: float) -> float:
    """Mean CPU time of a call, after one that is not measured: what Google Benchmark gives as cpu_time for ours."""
    call()
    calls = 0
    end = time.perf_counter_ns() + seconds * 1e9
    begin = time.process_time_ns()
    while calls < 5 or time.perf_counter_ns() < end:
        call()
        calls += 1
    return (time.process_time_ns() - begin) / calls


def time_ours_ns(program: pathlib.Path, folder: pathlib.Path, text_file: str, seconds: float) -> dict[str, float]:
    command = [
        program,
        "--tokenizer",
        folder,
        "--text",
        text_file,
        "--benchmark_format=json",
        f"--benchmark_min_time={seconds}",
        "--benchmark_filter=^(encode|decode)$",
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        # Google Benchmark 1.8 wants a unit behind the number, 1.7 takes none.
        command[-2] += "s"
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True, check=True)
    return {entry["name"]: entry["cpu_time"] for entry in json.loads(done.stdout)["benchmarks"]}


def compare(peer, program: pathlib.Path, folder: pathlib.Path, rounds: int, tokens: int, seconds: float) -> None:
    text = cut_to_tokens(peer, TEXT.read_text(encoding="utf-8"), tokens)
    ids = peer.encode(text)
    calls = {"encode": lambda: peer.encode(text), "decode": lambda: peer.decode(ids)}
    theirs: dict[str, list[float]] = {case: [] for case in CASES}
    ours: dict[str, list[float]] = {case: [] for case in CASES}
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as text_file:
        text_file.write(text)
        text_file.flush()
        for _ in range(rounds):
            measured = time_ours_ns(program, folder, text_file.name, seconds)
            for case in CASES:
                ours[case].append(measured[case])
                theirs[case].append(time_ns(calls[case], seconds))
    for case in CASES:
        ratios = [t / o for t, o in zip(theirs[case], ours[case], strict=True)]
        print(
            f"{folder.name:<20} {case:<7} {len(ids):>6}  {statistics.median(ours[case]) / 1e3:>9.1f} us "
            f"{statistics.median(theirs[case]) / 1e3:>9.1f} us  {statistics.median(ratios):>6.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f})  {peer.name}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path, help="stagebench-tokenizer-benchmark")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--tokens", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each case, side and round")
    arguments = parser.parse_args()
    if not arguments.program.is_file():
        parser.error(f"{arguments.program}: no such program; build the target stagebench-tokenizer-benchmark")

    data = PROJECT / "tests" / "data"
    peers = [(HuggingFace, data / "tokenizers" / "gpt2"), (Sentencepiece, data / "models" / "tiny-llama-botchan")]
    print(f"machine: {machine_name()}")
    print(
        f"{'tokenizer':<20} {'case':<7} {'tokens':>6}  {'ours':>12} {'theirs':>12}  theirs/ours, median of "
        f"{arguments.rounds} rounds"
    )
    for make, folder in peers:
        try:
            peer = make(folder)
        except ModuleNotFoundError as error:
            print(f"{folder.name}: not compared: the package {error.name} is not installed", file=sys.stderr)
            continue
        compare(peer, arguments.program.resolve(), folder, arguments.rounds, arguments.tokens, arguments.seconds)


if __name__ == "__main__":
    main()
