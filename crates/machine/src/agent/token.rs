//! The secret that agent and client share.

use std::fmt;

use subtle::ConstantTimeEq;

/// Fewest characters of a token.
pub const LEAST_TOKEN: usize = 16;

/// A token. It does not print.
#[derive(Clone)]
pub struct Token(String);

/// Why a text is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Too easy to guess.
    #[error("the token has fewer than {LEAST_TOKEN} characters")]
    Short,
    /// Not fit for a header.
    #[error("the token holds white space or characters that no header may have")]
    Characters,
}

impl Token {
    /// A token from a file's text; a line feed at its end is not part of it.
    pub fn read(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        if text.len() < LEAST_TOKEN {
            return Err(TokenError::Short);
        }
        Ok(Self(text.to_owned()))
    }

    /// The header that carries it.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether a header carries it, in a time that does not tell how much of it is right.
    pub(super) fn matches(&self, header: &[u8]) -> bool {
        header.ct_eq(self.header().as_bytes()).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(***)")
    }
}
