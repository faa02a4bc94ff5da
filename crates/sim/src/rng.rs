//! The simulator's only source of chance: a small seeded generator, the same on every machine.

use tokmark_units::float;

/// `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
///
/// Its state is one word, every seed is good, and streams for independent purposes are split off by
/// [`Rng::split`], so that adding a draw in one place does not change the draws of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rng(u64);

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finalizer of `SplitMix64`: a bijection that spreads every input bit over the whole word.
pub fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Rng {
    /// A generator whose draws depend on `seed` alone.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed ^ GOLDEN))
    }

    /// An independent generator for purpose number `stream` of the same seed.
    #[must_use]
    pub fn split(&self, stream: u64) -> Self {
        Self(mix(self.0 ^ mix(stream.wrapping_add(GOLDEN))))
    }

    /// The next word, uniform over all 64-bit values.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// A whole number below `bound`, or 0 when `bound` is 0. The bias is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        let scaled = (u128::from(self.word()) * u128::from(bound)) >> 64;
        u64::try_from(scaled).unwrap_or(0)
    }

    /// A number in [0, 1), with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        float::from_u64(self.word() >> 11) / 9_007_199_254_740_992.0
    }

    /// True with probability `p`.
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// One element of `choices`, or `None` when there is none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let at = self.below(float::len_u64(choices.len()));
        usize::try_from(at).ok().and_then(|at| choices.get(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_the_seed_alone_and_streams_differ() {
        let draws = |mut rng: Rng| [rng.word(), rng.word(), rng.word()];
        assert_eq!(draws(Rng::new(7)), draws(Rng::new(7)));
        assert_ne!(draws(Rng::new(7)), draws(Rng::new(8)));
        let base = Rng::new(7);
        assert_ne!(draws(base.split(1)), draws(base.split(2)));
        assert_ne!(draws(base.split(0)), draws(base));
    }

    #[test]
    fn uniform_draws_cover_their_range_evenly() {
        let mut rng = Rng::new(1);
        let mut counts = [0u32; 10];
        for _ in 0..10_000 {
            counts[usize::try_from(rng.below(10)).unwrap()] += 1;
        }
        assert!(
            counts.iter().all(|n| (850..1_150).contains(n)),
            "{counts:?}"
        );
        let mean = (0..10_000).map(|_| rng.unit()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
