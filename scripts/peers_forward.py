"""Prefill and decode beside llama.cpp, on the same values in the same types.

A round runs every dtype once in each engine, in an order drawn anew, each in a process of its own. The ratio of a round
is between the medians of its repetitions; what counts is the median of the rounds' ratios.
"""

import argparse
import csv
import random
import statistics
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import llama_cpp
from peers_convert import TARGETS, convert
from peers_report import commit, machine_name, paired_ratio, progress, table, usable_cpus

ENGINES = ("stagebench", "llama.cpp")


@dataclass(frozen=True)
class Sample:
    round: int
    order: int
    engine: str
    dtype: str
    stage: str
    tokens: int
    repetition: int
    ns: int


def command(engine, dtype, model, arguments):
    shared = ["--model", str(model), "--threads", str(arguments.threads)]
    shared += ["--prefill", arguments.prefill, "--decode", arguments.decode]
    shared += ["--repetitions", str(arguments.repetitions)]
    if engine == "stagebench":
        return [str(arguments.program), *shared, "--dtype", dtype]
    return [sys.executable, str(Path(__file__).with_name("peers_llama_worker.py")), *shared]


def run_one(round_number, order, engine, dtype, model, arguments):
    finished = subprocess.run(command(engine, dtype, model, arguments), stdout=subprocess.PIPE, text=True, check=False)
    if finished.returncode != 0:
        raise SystemExit(f"peers: {engine} on {model} ended with status {finished.returncode}")
    return [
        Sample(
            round_number, order, engine, dtype, row["stage"], int(row["tokens"]), int(row["repetition"]), int(row["ns"])
        )
        for row in csv.DictReader(finished.stdout.splitlines())
    ]


def measure(models, arguments):
    samples = []
    generator = random.Random(arguments.seed)
    for round_number in range(arguments.rounds):
        arms = [(engine, dtype) for dtype in models for engine in ENGINES]
        # Both arms of a pair stay beside each other, within seconds; the order of pairs and inside of them is drawn.
        pairs = [arms[i : i + 2] for i in range(0, len(arms), 2)]
        generator.shuffle(pairs)
        for pair in pairs:
            generator.shuffle(pair)
        for order, (engine, dtype) in enumerate(arm for pair in pairs for arm in pair):
            progress(f"round {round_number + 1}/{arguments.rounds}: {dtype} {engine}")
            samples += run_one(round_number, order, engine, dtype, models[dtype], arguments)
    progress("")
    return samples


def tokens_per_second(samples, engine, dtype, stage, tokens):
    """The rate in each round: from the median time of its repetitions."""
    times_ns = {}
    for sample in samples:
        if (sample.engine, sample.dtype, sample.stage, sample.tokens) == (engine, dtype, stage, tokens):
            times_ns.setdefault(sample.round, []).append(sample.ns)
    return [tokens / (statistics.median(times_ns[number]) * 1e-9) for number in sorted(times_ns)]


def report(samples, arguments):
    rows = []
    for dtype, stage, tokens in dict.fromkeys((s.dtype, s.stage, s.tokens) for s in sorted(samples, key=case_order)):
        rates = [tokens_per_second(samples, engine, dtype, stage, tokens) for engine in ENGINES]
        medians = [f"{statistics.median(rate):.1f}" for rate in rates]
        rows.append([dtype, stage, str(tokens), *medians, str(paired_ratio(*rates))])
    print(f"machine    {machine_name()}")
    print(f"stagebench {commit()}, {arguments.threads} threads")
    print(f"llama.cpp  of llama-cpp-python {llama_cpp.__version__}, {arguments.threads} threads, defaults otherwise")
    print(f"           {llama_cpp.llama_print_system_info().decode().strip()}")
    print(f"weights    {arguments.weights.name}, dequantised to each type\n")
    print(table(["dtype", "stage", "tokens", "stagebench tokens/s", "llama.cpp tokens/s", "ratio"], rows))


def case_order(sample):
    return (list(TARGETS).index(sample.dtype), sample.stage == "decode", sample.tokens)


def write_samples(samples, path):
    names = [field.name for field in fields(Sample)]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(names)
        writer.writerows([getattr(sample, name) for name in names] for sample in samples)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="stagebench-forward-benchmark")
    parser.add_argument("--weights", type=Path, required=True, help="the GGUF file whose weights both run")
    parser.add_argument("--dtypes", default="f32,bf16,f16")
    parser.add_argument("--threads", type=int, default=usable_cpus())
    parser.add_argument("--prefill", default="128,512", help="prompt lengths in tokens")
    parser.add_argument("--decode", default="64", help="numbers of decode steps")
    parser.add_argument("--repetitions", type=int, default=3, help="samples of a case in a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0, help="of the order")
    parser.add_argument("--out", type=Path, help="a CSV file for all samples")
    arguments = parser.parse_args()
    folder = arguments.weights.parent / "dequantised"
    models = {
        dtype: convert(arguments.weights, dtype, folder / f"{arguments.weights.stem}.{dtype}.gguf")
        for dtype in arguments.dtypes.split(",")
    }
    samples = measure(models, arguments)
    if arguments.out:
        write_samples(samples, arguments.out)
    report(samples, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
