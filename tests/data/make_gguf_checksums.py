#!/usr/bin/env python3
"""Usage: make_gguf_checksums.py [SMOLLM2_GGUF]

Writes golden/gguf-checksums.json: CRC-32 of rows dequantised by the gguf Python package (pip install gguf), as f32 and
rounded to f16 and bf16.

- "tensors": each tensor of models/gguf-types.gguf.
- "random_blocks": 64 blocks of pseudo-random bytes a type, which reach bit patterns that a quantiser seldom writes. The
  bytes are the top ones of x = 6364136223846793005 x + 1442695040888963407 (mod 2^64), from x = the type's number; the
  top exponent bit of each 16-bit scale is cleared, so that none is infinite or NaN.
- "smollm2": a few tensors of the model that scripts/fetch_model brings; q and k rows put back into transformers' order.
"""
import json
import pathlib
import sys
import zlib

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFReader
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import BF16, dequantize

HERE = pathlib.Path(__file__).parent
N_BLOCKS = 64
SCALE_OFFSETS = {
    Type.Q8_0: [0], Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2],
    Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208],
}


def checksums(values):
    values = np.ascontiguousarray(values, dtype=np.float32)
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return {
        "f32": zlib.crc32(values.tobytes()),
        "f16": zlib.crc32(half.tobytes()),
        "bf16": zlib.crc32(BF16.quantize_blocks(values.reshape(1, -1)).tobytes()),
    }


def random_blocks(quantization):
    block_bytes = GGML_QUANT_SIZES[quantization][1]
    x = int(quantization)
    data = bytearray()
    for _ in range(N_BLOCKS * block_bytes):
        x = (6364136223846793005 * x + 1442695040888963407) % 2**64
        data.append(x >> 56)
    blocks = np.frombuffer(data, dtype=np.uint8).reshape(N_BLOCKS, block_bytes).copy()
    for offset in SCALE_OFFSETS[quantization]:
        blocks[:, offset + 1] &= 0xBF
    return blocks


def transformers_order(rows, n_heads):
    """Undoes LlamaModel.permute of llama.cpp's convert_hf_to_gguf.py."""
    head_dim = rows.shape[0] // n_heads
    return rows.reshape(n_heads, head_dim // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def smollm2(path):
    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    found = {}
    for name, n_heads in [("blk.0.attn_q.weight", 9), ("blk.29.attn_k.weight", 3), ("blk.7.ffn_down.weight", None)]:
        rows = dequantize(tensors[name].data, tensors[name].tensor_type)
        found[name] = checksums(rows if n_heads is None else transformers_order(rows, n_heads))
    return found


def main():
    reader = GGUFReader(HERE / "models" / "gguf-types.gguf")
    result = {
        "tensors": {t.name: checksums(dequantize(t.data, t.tensor_type)) for t in reader.tensors},
        "random_blocks": {q.name.lower(): checksums(dequantize(random_blocks(q), q)) for q in SCALE_OFFSETS},
    }
    target = HERE / "golden" / "gguf-checksums.json"
    if len(sys.argv) > 1:
        result["smollm2"] = smollm2(sys.argv[1])
    elif target.exists():
        result["smollm2"] = json.loads(target.read_text())["smollm2"]
    target.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
