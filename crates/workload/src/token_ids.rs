//! Prompts of token ids, for `--endpoint completions`.

use crate::seed::Seed;

/// Low ids to stay away from: bytes, control and reserved tokens stand there in many vocabularies.
const LOW: u32 = 1_000;

/// `count` ids for a vocabulary of `vocab_size`, each as likely as any. The lowest 1,000 and the
/// highest hundredth are left out, where special and added tokens stand (end of text, images, tool
/// markers); of a vocabulary under 2,000 the lower half. Empty when the vocabulary is.
pub fn token_ids(seed: Seed, count: u64, vocab_size: u32) -> Vec<u32> {
    let Some(last) = (vocab_size - vocab_size / 100).checked_sub(1) else {
        return Vec::new();
    };
    let first = LOW.min(vocab_size / 2);
    let mut dice = seed.generator();
    (0..count)
        .map(|_| u32::try_from(dice.between(u64::from(first), u64::from(last))).unwrap_or(first))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_away_from_both_ends() {
        let seed = Seed::of_run("ids");
        let check = |vocab_size: u32, first: u32, last: u32| {
            let ids = token_ids(seed, 200_000, vocab_size);
            assert_eq!(ids.len(), 200_000);
            let (least, most) = (*ids.iter().min().unwrap(), *ids.iter().max().unwrap());
            assert!(
                least >= first && most <= last,
                "{vocab_size}: {least} {most}"
            );
            let near = 1 + vocab_size / 1_000;
            assert!(
                least <= first + near && most + near >= last,
                "{vocab_size}: {least} {most}"
            );
        };
        check(151_936, 1_000, 150_416);
        check(32_000, 1_000, 31_679);
        check(2_000, 1_000, 1_979);
        check(256, 128, 253);
        check(1, 0, 0);
        assert!(token_ids(seed, 5, 0).is_empty());
        assert!(token_ids(seed, 0, 32_000).is_empty());
    }

    #[test]
    fn ids_follow_from_the_seed() {
        let seed = Seed::of_run("ids");
        assert_eq!(token_ids(seed, 64, 32_000), token_ids(seed, 64, 32_000));
        assert_eq!(
            token_ids(seed, 16, 32_000),
            token_ids(seed, 64, 32_000)[..16]
        );
        assert_ne!(
            token_ids(seed, 4, 32_000),
            token_ids(seed.part(1), 4, 32_000)
        );
    }
}
