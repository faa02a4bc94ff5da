//! Hugging Face's `config.json`, with its `quantization_config`.
//!
//! The file names dimensions, not tensors: parameters are calculated from them, norms and biases
//! left out (together below 0.1 %). Encoders of pictures and sound and heads for drafting are not
//! counted; safetensors files know them ([`super::with_tensors`]).

mod attention;
mod feed;
mod fields;
mod layers;
mod modules;
mod quantization;
mod recurrent;
mod rules;

use crate::spec::{Attention, Experts, ModelSpec, Part, Recurrent, Weights};
use crate::weights::WeightFormat;

use super::ReadError;
use fields::Fields;
use layers::Layer;
use modules::{Class, Module};
use quantization::Quantization;

/// Bytes of a configuration at most; real ones have up to a few hundred kilobytes.
const MOST_BYTES: usize = 16 << 20;

/// Reads `config.json`, and `hf_quant_config.json` where the checkpoint has one beside it.
///
/// Knows multi-head, grouped-query and latent attention (MLA), sliding and chunked windows, sparse
/// attention with an index, Gated `DeltaNet`, Mamba, KDA and short convolutions, routed and shared
/// experts, blocks that hold one thing only, and configurations nested in `text_config`. Layer kinds
/// and quantization methods that it does not know are errors: a guess would look like a figure.
pub fn read_config(config: &[u8], hf_quant_config: Option<&[u8]>) -> Result<ModelSpec, ReadError> {
    let outer = fields::parse(config, MOST_BYTES)?;
    let beside = hf_quant_config
        .map(|bytes| fields::parse(bytes, MOST_BYTES))
        .transpose()?;
    let outer = Fields::new(&outer);
    let fields = text(outer)?;
    let layers = layers::read(fields)?;
    let quantization = Quantization::read(outer, fields, beside.as_ref().map(Fields::new))?;
    let hidden = fields.needed("hidden_size", &["n_embd", "d_model"], fields::MOST_WIDTH)?;
    let vocabulary = fields.needed(
        "vocab_size",
        &["padded_vocab_size"],
        fields::MOST_VOCABULARY,
    )?;
    let tied = fields
        .flag("tie_word_embeddings")?
        .or(outer.flag("tie_word_embeddings")?)
        .unwrap_or_else(|| layers::ties_by_default(fields));
    let modules = modules::list(fields, &layers, hidden, vocabulary)?;
    let weights = weigh(&modules, &quantization, tied);
    Ok(ModelSpec {
        architecture: fields.text("model_type")?.unwrap_or_default().to_owned(),
        blocks: u32::try_from(layers.len()).unwrap_or(u32::MAX),
        hidden: fields::small(hidden),
        vocabulary: fields::small(vocabulary),
        tied_embeddings: tied,
        max_context_tokens: fields.number(
            "max_position_embeddings",
            &[
                "max_sequence_length",
                "seq_length",
                "n_positions",
                "model_max_length",
            ],
            fields::MOST_CONTEXT,
        )?,
        attention: together(layers.iter().filter_map(Layer::attention)),
        recurrent: together_recurrent(layers.iter().filter_map(Layer::recurrent)),
        experts: experts(&layers),
        weights,
        quantization: quantization.name().map(str::to_owned),
    })
}

/// The language model's part of the configuration.
fn text(outer: Fields<'_>) -> Result<Fields<'_>, ReadError> {
    let mut fields = outer;
    for name in [
        "thinker_config",
        "text_config",
        "llm_config",
        "language_config",
    ] {
        if let Some(inner) = fields.object(name)? {
            fields = inner;
        }
    }
    Ok(fields)
}

/// Equal attention layers as one group, in the order in which they first come.
fn together(layers: impl Iterator<Item = Attention>) -> Vec<Attention> {
    let mut groups: Vec<Attention> = Vec::new();
    for layer in layers {
        let same = |group: &&mut Attention| {
            Attention {
                layers: 1,
                ..**group
            } == layer
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.layers += 1,
            None => groups.push(layer),
        }
    }
    groups
}

fn together_recurrent(layers: impl Iterator<Item = Recurrent>) -> Vec<Recurrent> {
    let mut groups: Vec<Recurrent> = Vec::new();
    for layer in layers {
        let same = |group: &&mut Recurrent| {
            Recurrent {
                layers: 1,
                ..**group
            } == layer
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.layers += 1,
            None => groups.push(layer),
        }
    }
    groups
}

fn experts(layers: &[Layer]) -> Option<Experts> {
    let mut all = layers.iter().filter_map(Layer::experts);
    let first = all.next()?;
    let more = u32::try_from(all.count()).unwrap_or(u32::MAX);
    Some(Experts {
        layers: 1_u32.saturating_add(more),
        experts: first.0,
        per_token: first.1,
    })
}

/// The modules by part, each in the format that the quantization gives it.
fn weigh(modules: &[Module], quantization: &Quantization, tied: bool) -> Weights {
    let mut weights = Weights {
        embedding: Part::EMPTY,
        head: Part::EMPTY,
        dense: Part::EMPTY,
        experts: Part::EMPTY,
        other: Part::EMPTY,
    };
    for module in modules {
        let format: WeightFormat = quantization.format_of(module);
        let part = Part::in_format(module.parameters, format);
        match module.class {
            // The one table of a tied model is read as its head.
            Class::Embedding if tied => weights.head.add(part),
            Class::Embedding | Class::Lookup => weights.embedding.add(part),
            Class::Head if tied => {}
            Class::Head => weights.head.add(part),
            Class::Experts => weights.experts.add(part),
            Class::Linear | Class::Kept => weights.dense.add(part),
        }
    }
    weights
}
