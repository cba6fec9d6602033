#!/usr/bin/env python3
"""Makes small tokenizer.json files in the styles of Llama 3, Qwen 2 and others, and the ids that the `tokenizers`
package gives for them: tests/data/tokenizers/*-style/tokenizer.json and tests/data/golden/tokenizer-styles.json.

    python tests/data/make_tokenizer_fixtures.py       (needs `pip install tokenizers`)

The vocabularies are trained on profiles/prompts/botchan.txt (public domain).
"""

import json
import pathlib

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

DATA = pathlib.Path(__file__).parent
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")

EXTRA = [
    "<|begin_of_text|>twice<|begin_of_text|>",
    "<|eot_id|> <|eot_id|>\n<|eot_id|>",
    "<|im_start|>user\nWhat is it?<|im_end|>\n<|im_start|>assistant\n",
    "a<tool>b <tool> c",
    "  <strip>  x\u2003<strip>\u3000y<strip>",
    "word and words, sword word_ word. \u00e9word word\u0301 word\u200dx word",
    "<unk> and <unk><unk>",
    "cafe\u0301 e\u0301\u0301 A\u030a \u1100\u1161\u11a8 \uac00\u11a8 \u212b \u2126 q\u0323\u0307 q\u0307\u0323",
    "\u0344 \u0958 \u0f77 \ufb1d \u1e9b\u0323",
    "caf\u00e9 A\u0323x\u1ea0x \u1ea0 x",
    "x'\u017f y'S z'LL it'RE don'T \u2019s",
    "1 12 123 1234 12345 \u0661\u0662\u0663\u0664 \u00bd\u00be \u2167\u2168 \u00b2\u00b3\u00b9",
    "a\u180eb \u180e c",
    "a\u0085b\u000bc\u000cd\u001ce",
    "tabs\t\tand  spaces \u00a0 \u2003 \u3000 end  ",
    "\r\n\r\n  \n x\r\n",
    "a\n b\n  c\n   \n",
    "___ __a__ ---b--- ...c... !d! (e) [f]\n",
    "engineering engineering. Engineering unengineering",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e20\u0e32\u0e29\u0e32 \u0ba4\u0bae\u0bbf\u0bb4\u0bcd",
    "\U0001d54f \U0001f1e9\U0001f1ea \U00020000 \ufffd \ue000",
    " ",
    " leading",
    "trailing ",
]


def train(tokenizer: Tokenizer, vocab_size: int, alphabet: list[str], special: list[str]) -> None:
    text = (DATA.parent.parent / "profiles" / "prompts" / "botchan.txt").read_text(encoding="utf-8")
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    tokenizer.train_from_iterator(text[:80_000].split("\n"), trainer)


def with_words_beyond_merges(tokenizer: Tokenizer, words: list[str]) -> Tokenizer:
    """Puts words into the vocabulary that no merge leads to; ignore_merges finds them all the same."""
    content = json.loads(tokenizer.to_str())
    vocab = content["model"]["vocab"]
    for word in words:
        vocab.setdefault(word, len(vocab))
    return Tokenizer.from_str(json.dumps(content))


def llama3_style() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    train(tokenizer, 700, sorted(pre_tokenizers.ByteLevel.alphabet()), [])
    tokenizer = with_words_beyond_merges(tokenizer, ["\u0120engineering", "engineering", "Engineering"])
    tokenizer.add_special_tokens(
        [AddedToken(t, normalized=False, special=True) for t in ("<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>")]
    )
    bos = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                single="<|begin_of_text|> $A", pair="<|begin_of_text|> $A $B", special_tokens=[("<|begin_of_text|>", bos)]
            ),
        ]
    )
    return tokenizer


def qwen2_style() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    train(tokenizer, 600, sorted(pre_tokenizers.ByteLevel.alphabet()), [])
    tokenizer = with_words_beyond_merges(tokenizer, ["\u0120engineering"])
    tokenizer.add_special_tokens(
        [AddedToken(t, normalized=False, special=True) for t in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")]
    )
    tokenizer.add_tokens(
        [
            AddedToken("<tool>", normalized=False, special=False),
            AddedToken("<strip>", normalized=False, lstrip=True, rstrip=True),
            AddedToken("word", normalized=True, single_word=True),
            AddedToken("A\u0323x", normalized=True, single_word=False),
        ]
    )
    return tokenizer


def prefix_space_style() -> Tokenizer:
    """Prefix spaces in each part, digits in runs, an incomplete alphabet with an unknown token."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=False), pre_tokenizers.ByteLevel(add_prefix_space=True)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    train(tokenizer, 400, [], ["<unk>", "</s>"])
    eos = tokenizer.token_to_id("</s>")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", eos)]
    )
    return tokenizer


def main() -> None:
    golden = json.loads((DATA / "golden" / "tokenizers.json").read_text(encoding="utf-8"))
    strings = golden["strings"] + EXTRA
    styles = {"llama3-style": llama3_style(), "qwen2-style": qwen2_style(), "prefix-space-style": prefix_space_style()}
    result = {}
    for name, tokenizer in styles.items():
        folder = DATA / "tokenizers" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tokenizer.json").write_text(tokenizer.to_str() + "\n", encoding="utf-8")
        ids = [tokenizer.encode(s, add_special_tokens=False).ids for s in strings]
        result[name] = {
            "ids": ids,
            "ids_with_special": [tokenizer.encode(s, add_special_tokens=True).ids for s in strings],
            "decoded": [tokenizer.decode(i, skip_special_tokens=False) for i in ids],
            "decoded_skipping_special": [tokenizer.decode(i, skip_special_tokens=True) for i in ids],
        }
    output = {"note": f"tokenizers {tokenizers.__version__}", "strings": strings, "tokenizers": result}
    target = DATA / "golden" / "tokenizer-styles.json"
    target.write_text(json.dumps(output, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"{target}: {len(strings)} strings x {len(result)} tokenizers")


if __name__ == "__main__":
    main()
