//! Chance that is the same for the same seed.

use tokmark_units::float;

/// `SplitMix64` of Steele, Lea and Flood: every number is as likely, which is all that is asked here.
#[derive(Debug, Clone)]
pub(super) struct Chance(u64);

impl Chance {
    /// A sequence of its own for each seed and number.
    pub(super) fn of(seed: u64, number: u64) -> Self {
        let mut chance = Self(seed);
        let start = chance.next();
        let mut chance = Self(start ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        chance.next();
        chance
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to 1.
    pub(super) fn share(&mut self) -> f64 {
        float::from_u64(self.next() >> 11) / float::from_u64(1 << 53)
    }

    /// A factor near 1: the sum of uniform shares is close to a bell.
    pub(super) fn near_one(&mut self, spread: f64) -> f64 {
        let bell: f64 = (0..4).map(|_| self.share()).sum::<f64>() - 2.0;
        1.0 + spread * bell
    }

    /// One of them; `None` of none. Those in front come more often, as on a real site.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let place = self.share() * self.share() * float::from_usize(from.len());
        from.get(float::floor_to_usize(place)).or(from.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_and_another_another() {
        let first = |seed, number| Chance::of(seed, number).next();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
        let mut chance = Chance::of(1, 1);
        for _ in 0..1_000 {
            let share = chance.share();
            assert!((0.0..1.0).contains(&share), "{share}");
            let near = chance.near_one(0.02);
            assert!((0.96..=1.04).contains(&near), "{near}");
        }
        assert_eq!(chance.pick::<u8>(&[]), None);
    }
}
