#!/usr/bin/env python3
"""Ids that llama.cpp gives for SmolLM2's vocabulary under other pre-splits: tests/data/golden/pre-splits.json.

    python tests/data/make_pre_split_golden.py .cache/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf

Needs `pip install llama-cpp-python`. The vocabulary is the same each time, only tokenizer.ggml.pre is overridden.
"""

import json
import pathlib
import sys

import llama_cpp

DATA = pathlib.Path(__file__).parent
NAMES = ["gpt-2", "smollm", "llama-bpe", "qwen2", "default"]


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    strings = json.loads((DATA / "golden" / "tokenizer-styles.json").read_text(encoding="utf-8"))["strings"]
    ids = {}
    for name in NAMES:
        model = llama_cpp.Llama(sys.argv[1], vocab_only=True, verbose=False, kv_overrides={"tokenizer.ggml.pre": name})
        ids[name] = [model.tokenize(s.encode("utf-8"), add_bos=False, special=True) if s else [] for s in strings]
    output = {"note": f"llama-cpp-python {llama_cpp.__version__}", "strings": strings, "ids": ids}
    target = DATA / "golden" / "pre-splits.json"
    target.write_text(json.dumps(output, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{target}: {len(strings)} strings x {len(NAMES)} pre-splits")


if __name__ == "__main__":
    main()
