//! Seeds and the generator behind every text.

/// A seed, from which others are derived by purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// From a number.
    pub fn new(number: u64) -> Self {
        Self(mix(number))
    }

    /// A seed for a purpose named by a text. FNV-1a folds the text in.
    #[must_use]
    pub fn named(self, purpose: &str) -> Self {
        let folded = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        Self(mix(self.0 ^ folded))
    }

    /// A seed for the n-th of something.
    #[must_use]
    pub fn numbered(self, n: u64) -> Self {
        Self(mix(self.0.wrapping_add(mix(n ^ 0x9e37_79b9_7f4a_7c15))))
    }

    /// The seed as a number, for a server's own sampling.
    pub fn number(self) -> u64 {
        self.0
    }

    /// A generator that starts here.
    pub(crate) fn generator(self) -> Generator {
        Generator(self.0)
    }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014): a counter through a mixing function.
#[derive(Debug, Clone)]
pub(crate) struct Generator(u64);

fn mix(value: u64) -> u64 {
    let a = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    b ^ (b >> 31)
}

impl Generator {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `bound`; 0 when the bound is 0. The bias is below bound / 2^64.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        if bound == 0 {
            return 0;
        }
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// True once in `n` on average.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let index = self.below(from.len());
        from.get(index).copied().unwrap_or_default()
    }

    /// Rare towards the end of the list: the smaller of two draws, roughly as Zipf's law has it.
    pub(crate) fn pick_frequent<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let index = self.below(from.len()).min(self.below(from.len()));
        from.get(index).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_by_every_part() {
        let base = Seed::new(1);
        let all = [
            base,
            Seed::new(2),
            base.named("a"),
            base.named("b"),
            base.numbered(0),
            base.numbered(1),
            base.named("a").numbered(1),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b), "{i}");
        }
    }

    #[test]
    fn the_generator_is_even() {
        let mut generator = Seed::new(7).generator();
        let mut counts = [0_u32; 10];
        for _ in 0..10_000 {
            counts[generator.below(10)] += 1;
        }
        assert!(
            counts.iter().all(|n| (850..1_150).contains(n)),
            "{counts:?}"
        );
    }
}
