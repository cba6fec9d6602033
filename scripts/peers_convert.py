"""Rewrites a GGUF model with its matrices in another type, dequantised, so that two engines run the same values."""

import os
from pathlib import Path

import gguf
import numpy as np

# dtype -> (type of the matrices, general.file_type); vectors stay f32, as llama.cpp wants them.
TARGETS = {
    "f32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "bf16": (gguf.GGMLQuantizationType.BF16, gguf.LlamaFileType.MOSTLY_BF16),
    "f16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
}
# Written by the writer itself.
OWN_FIELDS = ("GGUF.version", "GGUF.tensor_count", "GGUF.kv_count", gguf.Keys.General.ARCHITECTURE)


def copy_fields(reader, writer, file_type):
    for field in reader.fields.values():
        if field.name in OWN_FIELDS:
            continue
        value, kind = field.contents(), field.types[0]
        if field.name == gguf.Keys.General.FILE_TYPE:
            value = int(file_type)
        element_kind = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, value, kind, sub_type=element_kind)


def convert(source: Path, dtype: str, target: Path) -> Path:
    """Writes `target` unless it is there; a file under that name is complete."""
    if target.exists():
        return target
    matrix_type, file_type = TARGETS[dtype]
    reader = gguf.GGUFReader(source)
    architecture = reader.get_field(gguf.Keys.General.ARCHITECTURE).contents()
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    partial.parent.mkdir(parents=True, exist_ok=True)
    try:
        writer = gguf.GGUFWriter(partial, architecture)
        copy_fields(reader, writer, file_type)
        for tensor in reader.tensors:
            values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
            tensor_type = matrix_type if values.ndim > 1 else gguf.GGMLQuantizationType.F32
            writer.add_tensor(tensor.name, gguf.quants.quantize(values, tensor_type), raw_dtype=tensor_type)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target
