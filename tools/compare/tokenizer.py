"""A tokenizer folder in the form of Hugging Face that cuts text exactly as the simulator does.

The clients need a tokenizer to make prompts, and some count output tokens with it. With the
simulator's own rule (`crates/sim/src/tokenizer.rs`) both sides count the same.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

CONSONANTS = "bdfghklmnprstvz"
VOWELS = "aeiou"
WORDS = 4_000
PIECES = r" ?[\p{L}\p{N}]{1,6}| ?\S|\s"
UNKNOWN = " unk"
SPECIAL = ("<s>", "</s>")
LONGEST = 32_768
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ message['role'] + '\\n' + message['content'] + '\\n' }}"
    "{% endfor %}"
)


def words() -> list[str]:
    """Words that are one token each, and stay so next to each other."""
    syllables = ["".join(pair) for pair in itertools.product(CONSONANTS, VOWELS)]
    pairs = itertools.product(syllables, syllables)
    return ["".join(pair) for pair in itertools.islice(pairs, WORDS)]


def build(folder: Path) -> Path:
    """Writes the tokenizer's three files, if they are not there, and returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = [*SPECIAL, UNKNOWN, *(f" {word}" for word in words())]
    ids = {piece: number for number, piece in enumerate(vocabulary)}
    files = {
        "tokenizer.json": _tokenizer(ids),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "bos_token": SPECIAL[0],
            "eos_token": SPECIAL[1],
            "model_max_length": LONGEST,
            "clean_up_tokenization_spaces": False,
            "chat_template": CHAT_TEMPLATE,
        },
        "config.json": {
            "model_type": "llama",
            "vocab_size": len(ids),
            "max_position_embeddings": LONGEST,
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def _tokenizer(ids: dict[str, int]) -> dict[str, Any]:
    special = [
        {
            "id": ids[piece],
            "content": piece,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for piece in SPECIAL
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": PIECES},
            "behavior": "Isolated",
            "invert": False,
        },
        "post_processor": None,
        "decoder": {"type": "Fuse"},
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": UNKNOWN},
    }
