//! Bytes of the KV cache (`data/README.md`, "Roofline").

use tokmark_units::float;

use crate::kv::KvCache;

use super::{Attention, CacheShape, ModelSpec};

impl Attention {
    /// Bytes that one token takes in one layer.
    ///
    /// Heads: `kv_heads · (key + value)`, for equal sizes `2 · kv_heads · head_dim · bytes`. MLA:
    /// `(rank + rope_dim) · bytes`, stored once, in the type of the keys.
    pub fn token_bytes(&self, cache: KvCache) -> f64 {
        let index = float::from_u64(self.index_bytes_per_token.into());
        let kept = match self.cache {
            CacheShape::Heads {
                kv_heads,
                key_dim,
                value_dim,
            } => float::from_u64(kv_heads.into()) * cache.token_head_bytes(key_dim, value_dim),
            CacheShape::Latent { rank, rope_dim, .. } => {
                cache.key.vector_bytes(rank.saturating_add(rope_dim))
            }
        };
        kept + index
    }

    /// Tokens of a sequence that one layer keeps.
    fn kept_tokens(&self, context: f64) -> f64 {
        match self.window_tokens {
            Some(window) => context.min(float::from_u64(window)),
            None => context,
        }
    }

    /// Bytes that a step reads in one layer for one sequence.
    fn read_bytes(&self, context: f64, cache: KvCache) -> f64 {
        let kept = self.kept_tokens(context);
        let index = float::from_u64(self.index_bytes_per_token.into());
        let read = match self.read_at_most_tokens {
            Some(most) => kept.min(float::from_u64(most)),
            None => kept,
        };
        kept * index + read * (self.token_bytes(cache) - index)
    }

    fn layers(&self) -> f64 {
        float::from_u64(self.layers.into())
    }
}

impl ModelSpec {
    /// Bytes that one more token takes in the layers that keep all tokens: what the length of the
    /// context costs in the end. Sliding layers do not count; see [`Self::kv_bytes`].
    pub fn kv_bytes_per_token(&self, cache: KvCache) -> f64 {
        self.attention
            .iter()
            .filter(|group| group.window_tokens.is_none() && !group.shares_cache)
            .map(|group| group.layers() * group.token_bytes(cache))
            .sum()
    }

    /// Bytes that a sequence of so many tokens keeps in the cache, the recurrent state apart.
    pub fn kv_bytes(&self, context_tokens: f64, cache: KvCache) -> f64 {
        self.attention
            .iter()
            .filter(|group| !group.shares_cache)
            .map(|group| {
                group.layers() * group.kept_tokens(context_tokens) * group.token_bytes(cache)
            })
            .sum()
    }

    /// Bytes of the cache that a decode step reads for a sequence of so many tokens. Layers that
    /// share another's cache read it again.
    pub fn kv_read_bytes(&self, context_tokens: f64, cache: KvCache) -> f64 {
        self.attention
            .iter()
            .map(|group| group.layers() * group.read_bytes(context_tokens, cache))
            .sum()
    }

    /// Operations of attention for one new token over so many cached ones.
    ///
    /// A multiplication and an addition for each element of each key and each value:
    /// `2 · query_heads · (key + value)` a cached token and layer. MLA works on the latent vector
    /// when decoding: `2 · query_heads · (2 · rank + rope_dim)`.
    pub fn attention_operations(&self, context_tokens: f64) -> f64 {
        self.attention
            .iter()
            .map(|group| {
                let kept = group.kept_tokens(context_tokens);
                let read = match group.read_at_most_tokens {
                    Some(most) => kept.min(float::from_u64(most)),
                    None => kept,
                };
                let elements = match group.cache {
                    CacheShape::Heads {
                        key_dim, value_dim, ..
                    } => u64::from(key_dim) + u64::from(value_dim),
                    CacheShape::Latent { rank, rope_dim, .. } => {
                        2 * u64::from(rank) + u64::from(rope_dim)
                    }
                };
                let heads = float::from_u64(group.query_heads.into());
                2.0 * group.layers() * heads * float::from_u64(elements) * read
            })
            .sum()
    }

    /// Operations of attention for a prompt of `new` tokens behind `cached` ones, causal.
    ///
    /// A new token sees the cached ones, those before it and itself: pairs are
    /// `new · cached + new²/2`; a sliding layer sees at most its window:
    /// `n·w − w²/2` for a prompt longer than the window. Each pair costs
    /// `2 · query_heads · (key + value)`; MLA expands keys and values before.
    pub fn prefill_attention_operations(&self, new: f64, cached: f64) -> f64 {
        self.attention
            .iter()
            .map(|group| {
                let (key_dim, value_dim) = match group.cache {
                    CacheShape::Heads {
                        key_dim, value_dim, ..
                    }
                    | CacheShape::Latent {
                        key_dim, value_dim, ..
                    } => (u64::from(key_dim), u64::from(value_dim)),
                };
                let looks_back = [group.window_tokens, group.read_at_most_tokens];
                let limit = looks_back.into_iter().flatten().min().map(float::from_u64);
                let heads = float::from_u64(group.query_heads.into());
                let elements = float::from_u64(key_dim + value_dim);
                2.0 * group.layers() * heads * elements * pairs(new, cached, limit)
            })
            .sum()
    }
}

/// Pairs of a new token and a token that it sees: the sum over the new tokens of
/// `min(cached + place, limit)`.
fn pairs(new: f64, cached: f64, limit: Option<f64>) -> f64 {
    let whole = new * cached + new * new / 2.0;
    let Some(limit) = limit else {
        return whole;
    };
    // Tokens before this place still see everything.
    let growing = (limit - cached).clamp(0.0, new);
    growing * cached.min(limit) + growing * growing / 2.0 + (new - growing) * limit
}

#[cfg(test)]
mod tests {
    use super::pairs;

    fn check(new: f64, cached: f64, limit: Option<f64>, expect: f64) {
        let given = pairs(new, cached, limit);
        assert!((given - expect).abs() < 1e-9, "{given}");
    }

    #[test]
    fn pairs_of_a_causal_prompt() {
        check(100.0, 0.0, None, 5_000.0);
        check(100.0, 50.0, None, 10_000.0);
        check(100.0, 0.0, Some(1_000.0), 5_000.0);
        check(100.0, 0.0, Some(10.0), 950.0);
        check(100.0, 50.0, Some(10.0), 1_000.0);
        check(100.0, 50.0, Some(80.0), 30.0 * 50.0 + 450.0 + 70.0 * 80.0);
    }
}
