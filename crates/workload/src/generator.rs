//! The one source of chance: xoshiro256**, seeded by splitmix64.

/// The increment of splitmix64: 2^64 divided by the golden ratio, made odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014, with the constants of Stafford's variant 13). A bijection of 64 bits.
fn scramble(word: u64) -> u64 {
    let folded = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let folded = (folded ^ (folded >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    folded ^ (folded >> 31)
}

/// The next state of splitmix64 after `state`, and the number drawn there.
fn split_mix(state: u64) -> (u64, u64) {
    let next = state.wrapping_add(GOLDEN);
    (next, scramble(next))
}

/// Takes one more word into a hash: one splitmix64 step from the combined state, so that every
/// prefix of a sequence of words is a different state.
pub(crate) fn absorb(state: u64, word: u64) -> u64 {
    split_mix(state ^ word).1
}

/// A seeded sequence of numbers: xoshiro256** 1.0 (Blackman and Vigna, "Scrambled linear
/// pseudorandom number generators", 2018), its state filled by splitmix64 as they advise. The same
/// seed gives the same sequence on every machine and in every release.
#[derive(Debug, Clone)]
pub struct Generator {
    state: [u64; 4],
}

impl Generator {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        let (at, first) = split_mix(seed);
        let (at, second) = split_mix(at);
        let (at, third) = split_mix(at);
        let (_, fourth) = split_mix(at);
        Self {
            state: [first, second, third, fourth],
        }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let [mut s0, mut s1, mut s2, mut s3] = self.state;
        let drawn = s1.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        s3 = s3.rotate_left(45);
        self.state = [s0, s1, s2, s3];
        drawn
    }

    /// A number from 0 up to, not including, `bound`; 0 when `bound` is 0. The high half of a
    /// 64 x 64 bit product: its bias is below `bound` / 2^64.
    pub fn below(&mut self, bound: u64) -> u64 {
        let product = u128::from(self.bits()) * u128::from(bound);
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included; `low` when they are the wrong way round.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        let span = high.saturating_sub(low).saturating_add(1);
        low.saturating_add(self.below(span))
    }

    /// An index from 0 up to, not including, `length`; 0 when `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        let drawn = self.below(tokmark_units::float::len_u64(length));
        usize::try_from(drawn).unwrap_or(0)
    }

    /// True with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of the words, each as likely as any; empty when there are none.
    pub fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let at = self.index(words.len());
        words.get(at).copied().unwrap_or_default()
    }

    /// Puts the items into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_draws_the_published_numbers() {
        let mut at = 1_234_567;
        for expect in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            let (next, drawn) = split_mix(at);
            assert_eq!(drawn, expect);
            at = next;
        }
    }

    #[test]
    fn xoshiro_draws_the_published_numbers() {
        let mut generator = Generator {
            state: [1, 2, 3, 4],
        };
        for expect in [
            11_520,
            0,
            1_509_978_240,
            1_215_971_899_390_074_240,
            1_216_172_134_540_287_360,
            607_988_272_756_665_600,
        ] {
            assert_eq!(generator.bits(), expect);
        }
    }

    #[test]
    fn bounds_hold_and_are_reached() {
        let mut generator = Generator::new(7);
        let mut seen = [0_u32; 6];
        for _ in 0..6_000 {
            seen[generator.index(6)] += 1;
        }
        assert!(seen.iter().all(|n| (800..1_200).contains(n)), "{seen:?}");
        assert_eq!(generator.below(0), 0);
        assert_eq!(generator.between(5, 5), 5);
        assert_eq!(generator.between(5, 4), 5);
        assert_eq!(generator.pick(&[]), "");
        assert!(generator.chance(100));
        assert!(!generator.chance(0));
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Generator::new(1).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }
}
