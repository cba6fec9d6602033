"""The load of a 1.1B bf16 model beside reading its file, which no load can beat.

The model has TinyLlama's shape and random weights, as a Hugging Face folder in the cache (2.2 GB, made once). A round
loads it and reads the file to the end in pieces of 1 MiB, in an order drawn anew; warm: the file is in the page cache;
cold: it was dropped from it before each.
"""

import argparse
import csv
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from peers_report import PROJECT, commit, machine_name, paired_ratio, progress, table, usable_cpus

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 2048,
    "intermediate_size": 5632,
    "num_hidden_layers": 22,
    "num_attention_heads": 32,
    "num_key_value_heads": 4,
    "vocab_size": 32000,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "torch_dtype": "bfloat16",
}
TOKENIZER = PROJECT / "tests" / "data" / "tokenizers" / "mistral-7b-v0.1.tokenizer.model"  # 32,000 pieces as well
READ_BYTES = 1 << 20


def tensor_shapes():
    hidden, intermediate, vocab = CONFIG["hidden_size"], CONFIG["intermediate_size"], CONFIG["vocab_size"]
    kv = hidden // CONFIG["num_attention_heads"] * CONFIG["num_key_value_heads"]
    shapes = {"model.embed_tokens.weight": (vocab, hidden)}
    for layer in range(CONFIG["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        shapes[prefix + "input_layernorm.weight"] = (hidden,)
        shapes[prefix + "self_attn.q_proj.weight"] = (hidden, hidden)
        shapes[prefix + "self_attn.k_proj.weight"] = (kv, hidden)
        shapes[prefix + "self_attn.v_proj.weight"] = (kv, hidden)
        shapes[prefix + "self_attn.o_proj.weight"] = (hidden, hidden)
        shapes[prefix + "post_attention_layernorm.weight"] = (hidden,)
        shapes[prefix + "mlp.gate_proj.weight"] = (intermediate, hidden)
        shapes[prefix + "mlp.up_proj.weight"] = (intermediate, hidden)
        shapes[prefix + "mlp.down_proj.weight"] = (hidden, intermediate)
    shapes["model.norm.weight"] = (hidden,)
    shapes["lm_head.weight"] = (vocab, hidden)
    return shapes


def random_bf16(shape, generator):
    """Norms are 1, matrices normal with deviation 0.02; bf16 is the upper half of f32."""
    if len(shape) == 1:
        values = np.ones(shape, dtype=np.float32)
    else:
        values = generator.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
    return (values.view(np.uint32) >> 16).astype("<u2")


def write_safetensors(path):
    generator = np.random.default_rng(1)
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in tensor_shapes().items():
        end = offset + 2 * int(np.prod(shape))
        header[name] = {"dtype": "BF16", "shape": list(shape), "data_offsets": [offset, end]}
        offset = end
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(encoded)))
        stream.write(encoded)
        for shape in tensor_shapes().values():
            stream.write(random_bf16(shape, generator).tobytes())
        stream.flush()
        os.fsync(stream.fileno())


def make_model(folder):
    if folder.exists():
        return
    progress("making the model, once")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder.parent) as partial:
        made = Path(partial) / folder.name
        made.mkdir()
        (made / "config.json").write_text(json.dumps(CONFIG, indent=2))
        shutil.copy(TOKENIZER, made / "tokenizer.model")
        write_safetensors(made / "model.safetensors")
        made.replace(folder)


def drop_from_page_cache(path):
    with path.open("rb") as stream:
        os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_file_s(path):
    buffer = bytearray(READ_BYTES)
    begin = time.perf_counter()
    with path.open("rb", buffering=0) as stream:
        while stream.readinto(buffer):
            pass
    return time.perf_counter() - begin


def load_s(program, folder, threads):
    """The stage `load` of a run that generates one token."""
    with tempfile.TemporaryDirectory() as out:
        command = [str(program), "generate", "--model", str(folder), "--dtype", "bf16", "--threads", str(threads)]
        command += ["--max-new-tokens", "1", "--out", out, "one"]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise SystemExit(f"peers: the load failed:\n{finished.stderr}")
        (samples,) = Path(out).glob("**/samples.csv")
        with samples.open(newline="") as stream:
            loads = [int(row["host_ns"]) for row in csv.DictReader(stream) if row["stage"] == "load"]
    if len(loads) != 1:
        raise SystemExit(f"peers: expected one row of the stage load, found {len(loads)}")
    return loads[0] * 1e-9


def measure(arguments, folder):
    weights = folder / "model.safetensors"
    arms = {
        "load": lambda: load_s(arguments.program, folder, arguments.threads),
        "read": lambda: read_file_s(weights),
    }
    times_s = {(state, arm): [] for state in ("warm", "cold") for arm in arms}
    generator = random.Random(arguments.seed)
    for round_number in range(arguments.rounds):
        for state in generator.sample(("warm", "cold"), 2):
            for arm in generator.sample(list(arms), 2):
                progress(f"round {round_number + 1}/{arguments.rounds}: {state} {arm}")
                if state == "cold":
                    drop_from_page_cache(weights)
                else:
                    read_file_s(weights)
                times_s[state, arm].append(arms[arm]())
    progress("")
    return times_s


def report(arguments, times_s, file_bytes):
    rows = []
    for state in ("warm", "cold"):
        load, read = times_s[state, "load"], times_s[state, "read"]
        rows.append([state, f"{np.median(load):.2f}", f"{np.median(read):.2f}", str(paired_ratio(load, read))])
    print(f"machine    {machine_name()}")
    print(f"stagebench {commit()}, {arguments.threads} threads")
    print(f"file       {file_bytes / 1e9:.2f} GB, bf16, read in pieces of 1 MiB; cold: dropped by posix_fadvise\n")
    print(table(["page cache", "load s", "read s", "load / read"], rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="stagebench")
    parser.add_argument("--threads", type=int, default=usable_cpus())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the order")
    parser.add_argument("--remove", action="store_true", help="remove the model from the cache and measure nothing")
    arguments = parser.parse_args()
    cache = Path(os.environ.get("STAGEBENCH_CACHE") or PROJECT / ".cache")
    folder = cache / "models" / "llama-1.1b-random-bf16"
    if arguments.remove:
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    make_model(folder)
    report(arguments, measure(arguments, folder), (folder / "model.safetensors").stat().st_size)
    return 0


if __name__ == "__main__":
    sys.exit(main())
