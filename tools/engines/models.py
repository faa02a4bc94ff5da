"""Makes the model that the engines serve: a Llama of random weights, small and of long context.

    models.py FOLDER

Writes `FOLDER/tiny.gguf` for llama.cpp and `FOLDER/tiny/`, in Hugging Face's layout, for the others.
Both have the same tokenizer and chat template, which are made here from the repository's own text.
The weights say nothing in either layout, so the two are not kept equal. Because many tokens are
single bytes, the text is full of incomplete UTF-8, which servers hold back: events are not tokens,
as with real models, only more often.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

REPOSITORY = Path(__file__).resolve().parents[2]

VOCABULARY = 4096
LAYERS = 4
WIDTH = 256
INNER = 768
HEADS = 4
KV_HEADS = 2
HEAD = WIDTH // HEADS
CONTEXT = 32_768
THETA = 100_000.0
EPSILON = 1e-5

PAD, START, END = "<|pad|>", "<|im_start|>", "<|im_end|>"
SPECIAL = (PAD, START, END)
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

Weights = dict[str, np.ndarray]


def main() -> None:
    """Makes both layouts."""
    [folder] = map(Path, sys.argv[1:])
    layout = folder / "tiny"
    shutil.rmtree(layout, ignore_errors=True)
    layout.mkdir(parents=True)
    tokenizer = trained()
    size = tokenizer.get_vocab_size()
    weights = dict(random_weights(size))
    write_layout(layout, tokenizer, size, weights)
    write_gguf(folder / "tiny.gguf", tokenizer, weights)
    print(f"{sum(w.size for w in weights.values()):,} parameters, {size} tokens, in {folder}")


def trained() -> Tokenizer:
    """A byte-level BPE of the repository's documentation."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = sorted([*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/*.md")])
    tokenizer.train([str(text) for text in texts], trainer)
    return tokenizer


def random_weights(vocabulary: int) -> Iterator[tuple[str, np.ndarray]]:
    """Every tensor by its name in Hugging Face's layout."""
    generator = np.random.default_rng(1)

    def matrix(rows: int, columns: int) -> np.ndarray:
        values = generator.standard_normal((rows, columns), dtype=np.float32)
        return (values / np.sqrt(columns)).astype(np.float16)

    ones = np.ones(WIDTH, dtype=np.float16)
    yield "model.embed_tokens.weight", matrix(vocabulary, WIDTH)
    for layer in range(LAYERS):
        name = f"model.layers.{layer}"
        yield f"{name}.input_layernorm.weight", ones.copy()
        yield f"{name}.self_attn.q_proj.weight", matrix(WIDTH, WIDTH)
        yield f"{name}.self_attn.k_proj.weight", matrix(KV_HEADS * HEAD, WIDTH)
        yield f"{name}.self_attn.v_proj.weight", matrix(KV_HEADS * HEAD, WIDTH)
        yield f"{name}.self_attn.o_proj.weight", matrix(WIDTH, WIDTH)
        yield f"{name}.post_attention_layernorm.weight", ones.copy()
        yield f"{name}.mlp.gate_proj.weight", matrix(INNER, WIDTH)
        yield f"{name}.mlp.up_proj.weight", matrix(INNER, WIDTH)
        yield f"{name}.mlp.down_proj.weight", matrix(WIDTH, INNER)
    yield "model.norm.weight", ones.copy()
    # Its own matrix: with the embeddings' transposed, a random model repeats its last token.
    yield "lm_head.weight", matrix(vocabulary, WIDTH)


def write_layout(folder: Path, tokenizer: Tokenizer, vocabulary: int, weights: Weights) -> None:
    """Hugging Face's layout."""
    pad, start, end = range(len(SPECIAL))
    ids = {"bos_token_id": start, "eos_token_id": end, "pad_token_id": pad}
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "torch_dtype": "float16",
        "vocab_size": vocabulary,
        "hidden_size": WIDTH,
        "intermediate_size": INNER,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KV_HEADS,
        "head_dim": HEAD,
        "max_position_embeddings": CONTEXT,
        "rope_theta": THETA,
        "rms_norm_eps": EPSILON,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        **ids,
    }
    # Servers that take sampling from the model take it from here: greedy random models repeat.
    generation = {"do_sample": True, "temperature": 0.7, "top_p": 0.95, **ids}
    words = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": START,
        "eos_token": END,
        "pad_token": PAD,
        "model_max_length": CONTEXT,
        "clean_up_tokenization_spaces": False,
        "chat_template": TEMPLATE,
    }
    for name, value in (
        ("config.json", config),
        ("generation_config.json", generation),
        ("tokenizer_config.json", words),
    ):
        (folder / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})


GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def gguf_name(name: str) -> str:
    """A tensor's name in GGUF."""
    bare = name.removesuffix(".weight")
    if bare in GGUF_NAMES:
        return f"{GGUF_NAMES[bare]}.weight"
    layer, part = bare.removeprefix("model.layers.").split(".", 1)
    return f"blk.{layer}.{GGUF_NAMES[part]}.weight"


def write_gguf(path: Path, tokenizer: Tokenizer, weights: Weights) -> None:
    """The same as one GGUF file."""
    made = json.loads(tokenizer.to_str())["model"]
    vocabulary = sorted(made["vocab"], key=made["vocab"].__getitem__)
    kinds = [TokenType.CONTROL if word in SPECIAL else TokenType.NORMAL for word in vocabulary]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in made["merges"]]
    pad, start, end = range(len(SPECIAL))

    file = GGUFWriter(str(path), "llama")
    file.add_name("tiny random")
    file.add_file_type(1)
    file.add_vocab_size(len(vocabulary))
    file.add_context_length(CONTEXT)
    file.add_embedding_length(WIDTH)
    file.add_feed_forward_length(INNER)
    file.add_block_count(LAYERS)
    file.add_head_count(HEADS)
    file.add_head_count_kv(KV_HEADS)
    file.add_rope_dimension_count(HEAD)
    file.add_rope_freq_base(THETA)
    file.add_layer_norm_rms_eps(EPSILON)
    file.add_tokenizer_model("gpt2")
    file.add_tokenizer_pre("gpt-2")
    file.add_token_list(vocabulary)
    file.add_token_types(kinds)
    file.add_token_merges(merges)
    file.add_bos_token_id(start)
    file.add_eos_token_id(end)
    file.add_pad_token_id(pad)
    file.add_add_bos_token(False)
    file.add_chat_template(TEMPLATE)
    for name, values in weights.items():
        # llama.cpp wants its norms in full precision.
        file.add_tensor(gguf_name(name), values.astype(np.float32) if values.ndim == 1 else values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


if __name__ == "__main__":
    main()
