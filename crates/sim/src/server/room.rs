//! Whether a request fits into the model's length, and how long its answer may be.

use super::dialect::{Accepts, Fit, Zero};
use super::error::ApiError;
use super::shape::Speech;
use crate::tokenizer::TokenId;

/// How much room there is for a request.
pub(super) struct Room<'a> {
    pub(super) speech: Speech,
    pub(super) accepts: &'a Accepts,
    /// The model's length.
    pub(super) longest: i64,
}

impl Room<'_> {
    /// Most tokens to generate, or why the request does not fit. The prompt is cut where the server
    /// cuts prompts.
    pub(super) fn fit(
        &self,
        asked: Option<i64>,
        prompt: &mut Vec<TokenId>,
    ) -> Result<u32, ApiError> {
        if prompt.is_empty() {
            return Err(ApiError::EmptyPrompt);
        }
        let asked = asked.map(|asked| self.checked(asked)).transpose()?;
        if self.accepts.fit == Fit::Truncate {
            self.truncate(asked, prompt);
        }
        let longest = self.longest;
        let prompt = i64::try_from(prompt.len()).unwrap_or(i64::MAX);
        let over = match self.accepts.fit {
            Fit::Refuse => prompt > longest,
            Fit::Cap | Fit::Truncate => prompt >= longest,
        };
        if over {
            return Err(ApiError::PromptTooLong { prompt, longest });
        }
        let left = longest - prompt;
        let output = asked.or(self.unasked()).unwrap_or(left.max(1));
        match self.accepts.fit {
            Fit::Refuse if output > left => Err(ApiError::TooLong {
                prompt,
                output,
                longest,
            }),
            Fit::Refuse => Ok(u32::try_from(output).unwrap_or(u32::MAX)),
            Fit::Cap | Fit::Truncate => Ok(u32::try_from(output.min(left)).unwrap_or(u32::MAX)),
        }
    }

    fn checked(&self, asked: i64) -> Result<i64, ApiError> {
        if asked == 0 && self.accepts.zero == Zero::One {
            return Ok(1);
        }
        if asked < 1 {
            return Err(ApiError::OutputTooSmall { asked });
        }
        if self.accepts.checks_output && asked > self.longest {
            let longest = self.longest;
            return Err(ApiError::OutputTooLong { asked, longest });
        }
        Ok(asked)
    }

    fn unasked(&self) -> Option<i64> {
        let tokens = match self.speech {
            Speech::Chat => self.accepts.chat_tokens,
            Speech::Text => self.accepts.text_tokens,
        };
        tokens.map(i64::from)
    }

    /// Leaves room for the output, up to half the length, and drops what is too much from the
    /// prompt's beginning.
    fn truncate(&self, asked: Option<i64>, prompt: &mut Vec<TokenId>) {
        let half = (self.longest / 2).max(1);
        let keep = self.longest - asked.unwrap_or(half).min(half);
        let keep = usize::try_from(keep).unwrap_or(0).max(1);
        prompt.drain(..prompt.len().saturating_sub(keep));
    }
}
