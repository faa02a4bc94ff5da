//! A model's shape and a machine between the catalogue's types and the document's.
//!
//! A document may be a stranger's, so that its numbers are looked at before anything is calculated.

use tokmark_catalog::spec::{Attention, CacheShape, Experts, Part, Recurrent, Weights};
use tokmark_catalog::weights::Arithmetic;
use tokmark_catalog::{KvCache, Machine, ModelSpec, Rates};
use tokmark_run_format::roofline::{
    RooflineArithmetic, RooflineAttention, RooflineMachine, RooflineModel, RooflinePart,
    RooflineRates, RooflineRecurrent, RooflineRouting,
};

/// Groups of layers at most; models have a few, and one with a group for each layer below a hundred.
const MOST_GROUPS: usize = 256;
/// No machine, model or part of one has a larger figure.
const MOST: f64 = 1e18;

/// What a document keeps of a model.
pub(super) fn recorded(spec: &ModelSpec, cache: KvCache) -> RooflineModel {
    RooflineModel {
        kv_type: cache.to_string(),
        kv_bytes_per_token: spec.kv_bytes_per_token(cache),
        dense: part(spec.weights.dense),
        head: part(spec.weights.head),
        experts: part(spec.weights.experts),
        routing: spec.experts.map(|experts| RooflineRouting {
            layers: experts.layers,
            experts: experts.experts,
            per_token: experts.per_token,
        }),
        attention: spec.attention.iter().map(attention).collect(),
        recurrent: spec.recurrent.iter().map(recurrent).collect(),
        ..RooflineModel::default()
    }
}

/// The model of a document; `None` where its figures cannot be those of one.
pub(super) fn spec(model: &RooflineModel) -> Option<ModelSpec> {
    let groups = model.attention.len() + model.recurrent.len();
    if groups > MOST_GROUPS {
        return None;
    }
    let weights = Weights {
        embedding: Part::EMPTY,
        head: read_part(model.head)?,
        dense: read_part(model.dense)?,
        experts: read_part(model.experts)?,
        other: Part::EMPTY,
    };
    let attention: Option<Vec<Attention>> = model.attention.iter().map(read_attention).collect();
    Some(ModelSpec {
        architecture: String::new(),
        blocks: 0,
        hidden: 0,
        vocabulary: 0,
        tied_embeddings: false,
        max_context_tokens: None,
        attention: attention?,
        recurrent: model.recurrent.iter().map(read_recurrent).collect(),
        experts: model.routing.map(|routing| Experts {
            layers: routing.layers,
            experts: routing.experts,
            per_token: routing.per_token,
        }),
        weights,
        quantization: None,
    })
}

/// The machine of a document; `None` where its figures cannot be those of one.
pub(super) fn machine(machine: &RooflineMachine) -> Option<Machine> {
    let rates = &machine.rates;
    let all = [
        rates.fp16_tflops,
        rates.fp16_accumulate_tflops,
        rates.fp8_tflops,
        rates.int8_tops,
        rates.fp4_tflops,
    ];
    let is_one = machine.count > 0
        && is_above_zero(machine.bandwidth_gb_s)
        && all.into_iter().flatten().all(is_above_zero);
    is_one.then_some(Machine {
        bandwidth_gb_per_s: machine.bandwidth_gb_s,
        rates: Rates {
            fp16_tflops: rates.fp16_tflops,
            fp16_accumulate_tflops: rates.fp16_accumulate_tflops,
            fp8_tflops: rates.fp8_tflops,
            int8_tops: rates.int8_tops,
            fp4_tflops: rates.fp4_tflops,
        },
        count: machine.count,
    })
}

/// The catalogue's rates in the document's fields.
pub(super) fn rates(rates: &Rates) -> RooflineRates {
    RooflineRates {
        fp16_tflops: rates.fp16_tflops,
        fp16_accumulate_tflops: rates.fp16_accumulate_tflops,
        fp8_tflops: rates.fp8_tflops,
        int8_tops: rates.int8_tops,
        fp4_tflops: rates.fp4_tflops,
    }
}

/// Bytes that one more token takes, as the model's own layers and KV type give them; `None` where
/// they cannot be those of a model.
pub fn kv_bytes_per_token(model: &RooflineModel) -> Option<f64> {
    let cache = KvCache::parse(&model.kv_type).ok()?;
    Some(spec(model)?.kv_bytes_per_token(cache))
}

fn is_above_zero(value: f64) -> bool {
    value > 0.0 && value < MOST
}

fn part(part: Part) -> RooflinePart {
    RooflinePart {
        parameters: part.parameters,
        bytes: part.bytes,
        arithmetic: match part.arithmetic {
            Arithmetic::Fp16 => RooflineArithmetic::Fp16,
            Arithmetic::Int8 => RooflineArithmetic::Int8,
            Arithmetic::Fp8 => RooflineArithmetic::Fp8,
            Arithmetic::Fp4 => RooflineArithmetic::Fp4,
        },
    }
}

fn read_part(part: RooflinePart) -> Option<Part> {
    let can_be = |value: f64| (0.0..MOST).contains(&value);
    (can_be(part.parameters) && can_be(part.bytes)).then_some(Part {
        parameters: part.parameters,
        bytes: part.bytes,
        arithmetic: match part.arithmetic {
            RooflineArithmetic::Fp16 => Arithmetic::Fp16,
            RooflineArithmetic::Int8 => Arithmetic::Int8,
            RooflineArithmetic::Fp8 => Arithmetic::Fp8,
            RooflineArithmetic::Fp4 => Arithmetic::Fp4,
        },
    })
}

fn attention(group: &Attention) -> RooflineAttention {
    let mut kept = RooflineAttention {
        layers: group.layers,
        query_heads: group.query_heads,
        window_tokens: group.window_tokens,
        shares_cache: group.shares_cache,
        read_at_most_tokens: group.read_at_most_tokens,
        index_bytes_per_token: group.index_bytes_per_token,
        ..RooflineAttention::default()
    };
    match group.cache {
        CacheShape::Heads {
            kv_heads,
            key_dim,
            value_dim,
        } => {
            kept.kv_heads = Some(kv_heads);
            (kept.key_dim, kept.value_dim) = (key_dim, value_dim);
        }
        CacheShape::Latent {
            rank,
            rope_dim,
            key_dim,
            value_dim,
        } => {
            kept.latent_rank = Some(rank);
            kept.rope_dim = Some(rope_dim);
            (kept.key_dim, kept.value_dim) = (key_dim, value_dim);
        }
    }
    kept
}

/// A group with heads or a latent vector; one that has both or neither is no attention.
fn read_attention(group: &RooflineAttention) -> Option<Attention> {
    let (key_dim, value_dim) = (group.key_dim, group.value_dim);
    let cache = match (group.kv_heads, group.latent_rank, group.rope_dim) {
        (Some(kv_heads), None, None) => CacheShape::Heads {
            kv_heads,
            key_dim,
            value_dim,
        },
        (None, Some(rank), Some(rope_dim)) => CacheShape::Latent {
            rank,
            rope_dim,
            key_dim,
            value_dim,
        },
        _ => return None,
    };
    Some(Attention {
        layers: group.layers,
        query_heads: group.query_heads,
        cache,
        window_tokens: group.window_tokens,
        shares_cache: group.shares_cache,
        read_at_most_tokens: group.read_at_most_tokens,
        index_bytes_per_token: group.index_bytes_per_token,
    })
}

fn recurrent(group: &Recurrent) -> RooflineRecurrent {
    RooflineRecurrent {
        layers: group.layers,
        heads: group.heads,
        key_dim: group.key_dim,
        value_dim: group.value_dim,
        convolution_channels: group.convolution_channels,
        kernel: group.kernel,
    }
}

fn read_recurrent(group: &RooflineRecurrent) -> Recurrent {
    Recurrent {
        layers: group.layers,
        heads: group.heads,
        key_dim: group.key_dim,
        value_dim: group.value_dim,
        convolution_channels: group.convolution_channels,
        kernel: group.kernel,
    }
}

#[cfg(test)]
mod tests {
    use tokmark_catalog::{Catalog, WeightFormat};

    use super::*;

    /// Every model of the catalogue goes into a document and comes out as it was, as far as a step
    /// depends on it.
    #[test]
    fn a_model_survives_the_document() {
        let catalog = Catalog::bundled().unwrap();
        let mut kinds = (0, 0, 0, 0);
        for model in catalog.models() {
            let Some(whole) = model.spec(WeightFormat::AWQ) else {
                continue;
            };
            let kept = recorded(&whole, KvCache::F16);
            let text = serde_json::to_string(&kept).unwrap();
            let back = spec(&serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(back.attention, whole.attention, "{}", model.id);
            assert_eq!(back.recurrent, whole.recurrent, "{}", model.id);
            assert_eq!(back.experts, whole.experts, "{}", model.id);
            assert_eq!(back.weights.dense, whole.weights.dense, "{}", model.id);
            assert_eq!(back.weights.head, whole.weights.head, "{}", model.id);
            assert_eq!(back.weights.experts, whole.weights.experts, "{}", model.id);
            assert_eq!(
                kv_bytes_per_token(&kept),
                Some(whole.kv_bytes_per_token(KvCache::F16))
            );
            let is_latent = |group: &RooflineAttention| group.latent_rank.is_some();
            kinds.0 += usize::from(kept.routing.is_some());
            kinds.1 += usize::from(!kept.recurrent.is_empty());
            kinds.2 += usize::from(kept.attention.iter().any(is_latent));
            kinds.3 += 1;
        }
        assert!(
            kinds.0 > 20 && kinds.1 > 5 && kinds.2 > 3 && kinds.3 > 80,
            "{kinds:?}"
        );
    }

    #[test]
    fn figures_that_cannot_be_are_no_machine_and_no_model() {
        let good = RooflineMachine {
            count: 1,
            bandwidth_gb_s: 936.2,
            ..RooflineMachine::default()
        };
        assert!(machine(&good).is_some());
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let bandwidth_gb_s = wrong;
            assert_eq!(
                machine(&RooflineMachine {
                    bandwidth_gb_s,
                    ..good.clone()
                }),
                None
            );
            let mut other = good.clone();
            other.rates.int8_tops = Some(wrong);
            assert_eq!(machine(&other), None);
        }
        assert_eq!(machine(&RooflineMachine { count: 0, ..good }), None);
        let heads = RooflineAttention {
            layers: 1,
            kv_heads: Some(1),
            ..RooflineAttention::default()
        };
        let model = RooflineModel {
            kv_type: "f16".to_owned(),
            attention: vec![heads; MOST_GROUPS],
            ..RooflineModel::default()
        };
        assert!(spec(&model).is_some());
        let check = |change: fn(&mut RooflineModel)| {
            let mut wrong = model.clone();
            change(&mut wrong);
            assert_eq!(spec(&wrong), None, "{wrong:?}");
        };
        check(|model| model.dense.bytes = -1.0);
        check(|model| model.head.parameters = f64::NAN);
        check(|model| model.experts.bytes = f64::INFINITY);
        check(|model| model.recurrent.push(RooflineRecurrent::default()));
        check(|model| model.attention[0].kv_heads = None);
        check(|model| model.attention[0].latent_rank = Some(512));
    }
}
