#!/usr/bin/env python3
"""Takes the vocabulary out of SmolLM2's GGUF: tests/data/tokenizers/smollm2/vocabulary.json.

    python3 tests/data/make_smollm2_vocabulary.py .cache/models/smollm2-135m/SmolLM2-135M-Instruct.Q4_1.gguf

Reads the metadata only (GGUF v2 and v3, little-endian) and needs nothing beyond Python itself.
"""

import json
import pathlib
import struct
import sys

SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9


class Metadata:
    def __init__(self, data: bytes):
        self.data = data
        self.position = 0

    def scalar(self, kind: int):
        form = SCALARS[kind]
        (value,) = struct.unpack_from(form, self.data, self.position)
        self.position += struct.calcsize(form)
        return value

    def string(self) -> str:
        length = self.scalar(10)
        text = self.data[self.position : self.position + length].decode("utf-8")
        self.position += length
        return text

    def value(self, kind: int):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            element = self.scalar(4)
            return [self.value(element) for _ in range(self.scalar(10))]
        return self.scalar(kind)


def read_metadata(path: pathlib.Path) -> dict:
    metadata = Metadata(path.read_bytes())
    if metadata.data[:4] != b"GGUF":
        raise SystemExit(f"{path}: expected a GGUF file")
    metadata.position = 4
    metadata.scalar(4)  # version
    metadata.scalar(10)  # tensors
    return {metadata.string(): metadata.value(metadata.scalar(4)) for _ in range(metadata.scalar(10))}


def main() -> None:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = read_metadata(pathlib.Path(sys.argv[1]))
    names = {
        "model": "model",
        "pre": "pre",
        "bos_id": "bos_token_id",
        "eos_id": "eos_token_id",
        "unknown_id": "unknown_token_id",
        "padding_id": "padding_token_id",
        "add_bos": "add_bos_token",
        "add_eos": "add_eos_token",
        "add_space_prefix": "add_space_prefix",
        "types": "token_type",
        "pieces": "tokens",
        "merges": "merges",
    }
    vocabulary = {ours: found[f"tokenizer.ggml.{theirs}"] for ours, theirs in names.items()
                  if f"tokenizer.ggml.{theirs}" in found}
    # Nearly all types are 1: only the others are kept.
    vocabulary["types"] = {str(i): t for i, t in enumerate(vocabulary["types"]) if t != 1}
    target = pathlib.Path(__file__).parent / "tokenizers" / "smollm2" / "vocabulary.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(vocabulary, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{target}: {len(vocabulary['pieces'])} pieces, {len(vocabulary['merges'])} merges")


if __name__ == "__main__":
    main()
