"""Times prefill and decode of one GGUF model in llama.cpp: rows stage,tokens,repetition,ns on stdout.

The procedure is that of stagebench-forward-benchmark and of llama-bench: every repetition starts from cleared memory
with random tokens of its own; a decode sample is the time of `tokens` steps, one token each, after an untimed first
token. peers_forward.py runs it in a process of its own.
"""

import argparse
import ctypes
import sys
import time

import llama_cpp
import numpy as np

WARM_UPS = 2


class LlamaSession:
    """One model and context; llama.cpp's defaults but for the thread counts and the room for tokens."""

    def __init__(self, model_path, threads, context_tokens):
        llama_cpp.llama_backend_init()
        self.model = llama_cpp.llama_model_load_from_file(model_path.encode(), llama_cpp.llama_model_default_params())
        if not self.model:
            raise SystemExit(f"llama.cpp cannot load {model_path}")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = context_tokens
        params.n_batch = max(params.n_batch, context_tokens)
        params.n_ubatch = max(params.n_ubatch, 512)
        params.n_threads = threads
        params.n_threads_batch = threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        if not self.context:
            raise SystemExit(f"llama.cpp cannot make a context of {context_tokens} tokens")
        self.memory = llama_cpp.llama_get_memory(self.context)
        self.vocab_size = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def decode(self, ids):
        tokens = (llama_cpp.llama_token * len(ids))(*ids)
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(tokens, len(ids))) != 0:
            raise SystemExit(f"llama_decode failed on {len(ids)} tokens")

    def time_prefill_ns(self, ids):
        llama_cpp.llama_memory_clear(self.memory, False)
        begin = time.perf_counter_ns()
        self.decode(ids)
        llama_cpp.llama_synchronize(self.context)
        return time.perf_counter_ns() - begin

    def time_decode_ns(self, ids):
        llama_cpp.llama_memory_clear(self.memory, False)
        self.decode(ids[:1])
        llama_cpp.llama_synchronize(self.context)
        begin = time.perf_counter_ns()
        for token in ids[1:]:
            self.decode([token])
            llama_cpp.llama_synchronize(self.context)
        return time.perf_counter_ns() - begin


def run(session, arguments):
    generator = np.random.default_rng(17)
    cases = [("prefill", tokens, tokens, session.time_prefill_ns) for tokens in arguments.prefill]
    cases += [("decode", tokens, tokens + 1, session.time_decode_ns) for tokens in arguments.decode]
    print("stage,tokens,repetition,ns")
    for stage, tokens, id_count, time_one_ns in cases:
        for repetition in range(-WARM_UPS, arguments.repetitions):
            elapsed_ns = time_one_ns(generator.integers(0, session.vocab_size, id_count).tolist())
            if repetition >= 0:
                print(f"{stage},{tokens},{repetition},{elapsed_ns}", flush=True)


def token_counts(text):
    return [int(part) for part in text.split(",") if part]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--prefill", type=token_counts, default=[])
    parser.add_argument("--decode", type=token_counts, default=[])
    parser.add_argument("--repetitions", type=int, default=5)
    arguments = parser.parse_args()
    # The log names each tensor; without a callback it would fill stderr.
    silence = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
    llama_cpp.llama_log_set(silence, None)
    context_tokens = max(arguments.prefill + [tokens + 1 for tokens in arguments.decode])
    run(LlamaSession(arguments.model, arguments.threads, context_tokens), arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
