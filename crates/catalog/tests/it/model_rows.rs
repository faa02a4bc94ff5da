//! Every row of the model files.

use std::collections::BTreeSet;

use tokmark_catalog::spec::CacheShape;
use tokmark_catalog::{KvCache, WeightFormat};

use crate::CATALOG;

#[test]
fn all_rows_are_there() {
    assert_eq!(CATALOG.models().len(), 130);
    let unmodelled = CATALOG
        .models()
        .iter()
        .filter(|row| row.not_modelled.is_some());
    assert_eq!(unmodelled.count(), 5);
}

#[test]
fn ids_and_aliases_mean_one_row() {
    let mut names = BTreeSet::new();
    for row in CATALOG.models() {
        assert_eq!(row.id.matches('/').count(), 1, "{}", row.id);
        for name in [&row.id].into_iter().chain(&row.aliases) {
            assert!(names.insert(name.to_lowercase()), "{name}");
        }
    }
}

/// `2 · layers · kv_heads · head_dim · 2 bytes`, or MLA's `(rank + rope_dim) · layers · 2 bytes`,
/// over the layers that keep all tokens.
#[test]
fn cache_bytes_follow_from_the_architecture() {
    for row in CATALOG.models() {
        let Some(stated) = row.kv_bytes_per_token_16bit else {
            assert!(row.not_modelled.is_some(), "{}", row.id);
            continue;
        };
        let mut calculated = 0;
        for group in row
            .attention
            .iter()
            .filter(|g| g.window_tokens.is_none() && !g.shares_cache)
        {
            let elements = match group.cache {
                CacheShape::Heads {
                    kv_heads,
                    key_dim,
                    value_dim,
                } => kv_heads * (key_dim + value_dim),
                CacheShape::Latent { rank, rope_dim, .. } => rank + rope_dim,
            };
            calculated += u64::from(group.layers * elements * 2);
        }
        assert_eq!(calculated, stated, "{}", row.id);
        if let Some(spec) = row.spec(WeightFormat::F16) {
            let index: f64 = row
                .attention
                .iter()
                .map(|g| f64::from(g.layers * g.index_bytes_per_token))
                .sum();
            let given = spec.kv_bytes_per_token(KvCache::F16);
            assert!((given - index - stated as f64).abs() < 1e-6, "{}", row.id);
        }
    }
}

#[test]
fn active_parameters_are_not_more_than_all() {
    for row in CATALOG.models() {
        if let (Some(total), Some(active)) = (row.total_parameters_b, row.active_parameters_b) {
            assert!(0.0 < active && active <= total, "{}", row.id);
            let lookups = row.id.contains("-E2B") || row.id.contains("-E4B");
            assert_eq!(
                active < total,
                row.experts.is_some() || lookups,
                "{}",
                row.id
            );
        }
    }
}

#[test]
fn layers_fit_into_the_blocks() {
    for row in CATALOG.models() {
        let attention: u32 = row.attention.iter().map(|group| group.layers).sum();
        let recurrent = row.recurrent.map_or(0, |group| group.layers);
        assert!(attention + recurrent <= row.blocks, "{}", row.id);
        if let Some(experts) = row.experts {
            assert!(experts.layers <= row.blocks, "{}", row.id);
            assert!(experts.per_token < experts.experts, "{}", row.id);
        }
        // A block of Nemotron's hybrids holds one thing only, and a pruned one may lack attention.
        let mixes_apart = row.family == "Nemotron" && attention + recurrent < row.blocks;
        if !mixes_apart && row.not_modelled.is_none() {
            assert_eq!(attention + recurrent, row.blocks, "{}", row.id);
        }
    }
}

#[test]
fn dimensions_are_plausible() {
    for row in CATALOG.models() {
        assert!((512..=16_384).contains(&row.hidden), "{}", row.id);
        assert!((32_000..=262_144).contains(&row.vocabulary), "{}", row.id);
        assert!(
            (8_192..=10_485_760).contains(&row.max_context_tokens),
            "{}",
            row.id
        );
        assert!(row.source.len() > 10, "{}", row.id);
        for group in &row.attention {
            if let CacheShape::Heads { kv_heads, .. } = group.cache {
                assert!(kv_heads <= group.query_heads, "{}", row.id);
                assert_eq!(group.query_heads % kv_heads, 0, "{}", row.id);
            }
        }
    }
}

/// What the experts that a token is not sent to hold is the difference of both totals; makers count
/// the embedding tables in or out.
#[test]
fn active_parameters_follow_from_the_experts() {
    for row in CATALOG.models() {
        let (Some(experts), Some(one)) = (row.experts, row.expert_parameters) else {
            continue;
        };
        let (Some(total), Some(active)) = (row.total_parameters_b, row.active_parameters_b) else {
            continue;
        };
        let unused = f64::from(experts.layers * (experts.experts - experts.per_token)) * one / 1e9;
        let tables = 2.0 * f64::from(row.vocabulary) * f64::from(row.hidden) / 1e9;
        let calculated = total - unused;
        // Most makers round to whole 10^9, downwards often.
        let (least, most) = (
            calculated - tables - 0.06 * active - 0.65,
            calculated * 1.06 + 0.65,
        );
        assert!(
            (least..=most).contains(&active),
            "{}: {active} stated, {calculated:.2} calculated, tables {tables:.2}",
            row.id
        );
    }
}

/// Weights of a dense block are 5 to 45 times the square of the hidden size (attention 2 to 4,
/// feed-forward 6 to 25): a wrong total, table or expert shows here.
#[test]
fn dense_parameters_fit_the_blocks() {
    for row in CATALOG.models() {
        let Some(spec) = row.spec(WeightFormat::F16) else {
            assert!(row.not_modelled.is_some(), "{} has no dense part", row.id);
            continue;
        };
        let square = f64::from(row.hidden) * f64::from(row.hidden) * f64::from(row.blocks);
        let ratio = spec.weights.dense.parameters / square;
        let least = if row.experts.is_some() { 1.5 } else { 5.0 };
        assert!((least..=45.0).contains(&ratio), "{}: {ratio:.1}", row.id);
        let total = row.total_parameters_b.unwrap() * 1e9;
        assert!(
            (spec.parameters() - total).abs() < 1e-3 * total,
            "{}",
            row.id
        );
        assert!(
            (spec.weights.bytes() - 2.0 * total).abs() < 1e-3 * total,
            "{}",
            row.id
        );
    }
}
