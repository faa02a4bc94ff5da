//! Invented tokenizers, each with one habit of real ones.

use tokmark_units::float::len_u64;

/// One token per word.
pub(crate) fn words(text: &str) -> u64 {
    len_u64(text.split_whitespace().count())
}

/// One token per four bytes of the whole text.
pub(crate) fn quarters(text: &str) -> u64 {
    len_u64(text.len().div_ceil(4))
}

/// Words in pieces of up to three letters; line breaks are tokens too.
pub(crate) fn thirds(text: &str) -> u64 {
    let pieces = text.split_whitespace().map(|word| word.len().div_ceil(3));
    len_u64(pieces.sum::<usize>() + text.matches('\n').count())
}

/// The first `count` pieces as [`thirds`] sees them.
pub(crate) fn first_thirds(text: &str, count: usize) -> Vec<&str> {
    let pieces = |word| {
        (0..str::len(word))
            .step_by(3)
            .map(move |at| &word[at..word.len().min(at + 3)])
    };
    text.split_whitespace()
        .flat_map(pieces)
        .take(count)
        .collect()
}

/// One token per byte: no word is one token.
pub(crate) fn bytes(text: &str) -> u64 {
    len_u64(text.len())
}

/// Neighbouring words become one token where a hash of both says so, from the left, so that one
/// word more may leave the count as it is, and a cut elsewhere moves every merge behind it (B064:
/// encoding is not additive).
pub(crate) fn merging(text: &str) -> u64 {
    let hash = |word: &str| {
        word.bytes().fold(7_u32, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u32::from(byte))
        })
    };
    let mut words = text.split_whitespace().peekable();
    let mut tokens = 0;
    while let Some(word) = words.next() {
        let merges = |next: &&str| (hash(word) ^ hash(next)).is_multiple_of(3);
        words.next_if(merges);
        tokens += 1;
    }
    tokens
}
