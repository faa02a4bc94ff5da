//! Text for streams that bypass the engine, written once and shared by all of them.

use crate::text::{TextStyle, Writer};
use crate::tokenizer::Tokenizer;

/// Tokens of it. Long enough that no answer of ordinary length comes round to its own beginning.
const TOKENS: u32 = 16_384;

/// A long text by tokens, ready to stand inside a JSON string.
#[derive(Debug)]
pub(super) struct Prose {
    text: Box<[u8]>,
    /// Where each token ends.
    ends: Box<[u32]>,
}

impl Prose {
    /// Equal seeds give equal text.
    pub(super) fn new(seed: u64, tokenizer: Tokenizer) -> Self {
        let mut writer = Writer::new(seed, tokenizer, &TextStyle::default(), 1);
        let mut text = Vec::new();
        let mut ends = Vec::new();
        let mut token = String::new();
        for _ in 0..TOKENS {
            token.clear();
            writer.write(&mut token);
            let json = serde_json::to_string(&token).unwrap_or_default();
            text.extend_from_slice(json.trim_matches('"').as_bytes());
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
        Self {
            text: text.into(),
            ends: ends.into(),
        }
    }

    /// Token number `at`, in JSON's escapes; the text begins again after its last one.
    pub(super) fn token(&self, at: u32) -> &[u8] {
        let at = usize::try_from(at % TOKENS).unwrap_or(0);
        let edge = |at: usize| {
            let end = self.ends.get(at).copied().unwrap_or(0);
            usize::try_from(end).unwrap_or(0)
        };
        let from = at.checked_sub(1).map_or(0, edge);
        self.text.get(from..edge(at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_piece_of_it_has_as_many_tokens_as_were_taken() {
        let tokenizer = Tokenizer::new(32_000);
        let prose = Prose::new(3, tokenizer);
        for from in [0, 1, 777, TOKENS - 10] {
            let text: Vec<u8> = (from..from + 500)
                .flat_map(|at| prose.token(at))
                .copied()
                .collect();
            let json = [b"\"", text.as_slice(), b"\""].concat();
            let text: String = serde_json::from_slice(&json).unwrap();
            assert_eq!(tokenizer.count(&text), 500, "from {from}: {text}");
        }
        assert_eq!(prose.token(TOKENS + 5), prose.token(5));
    }
}
