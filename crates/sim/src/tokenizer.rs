//! A tokenizer without a vocabulary file: pieces cut from the text by rule, ids by hash.
//!
//! The rule, applied from left to right:
//!
//! 1. One space that stands before a character that is not white space belongs to the piece that
//!    follows it.
//! 2. A run of letters and digits is cut into pieces of at most [`PIECE_LETTERS`] characters.
//! 3. Every other character (punctuation, a line break, a space before another space) is a piece.
//!
//! Pieces put together are the text again, so a length can be hit exactly by adding words, and two
//! texts that share their beginning share their first tokens. An id is a hash of the piece, taken
//! into the vocabulary; it says which pieces are equal and nothing about the text.

use crate::rng::mix;

/// A token's number in the vocabulary.
pub type TokenId = u32;

/// The most letters or digits in one piece, not counting its leading space. With English prose
/// this gives about 1.3 tokens a word, as usual vocabularies do.
pub const PIECE_LETTERS: usize = 6;

/// Ids below this one mark the structure of a chat and never stand for text.
pub const SPECIAL_TOKENS: TokenId = 16;

/// Opens a message.
const OPEN: TokenId = 1;
/// Closes a message; a model that stops by itself generates this token.
pub const END: TokenId = 2;
/// The line break of the template.
const BREAK: TokenId = 3;

/// The text of [`OPEN`] in the template.
const OPEN_TEXT: &str = "<|im_start|>";
/// The text of [`END`] in the template.
const END_TEXT: &str = "<|im_end|>";

const ROLES: [Role; 4] = [Role::System, Role::User, Role::Assistant, Role::Other];

/// Tokens that the template adds to every message: open, role, break; end, break.
pub const TOKENS_PER_MESSAGE: usize = 5;
/// Tokens of the generation prompt: open, role, break.
pub const GENERATION_PROMPT_TOKENS: usize = 3;

/// Who speaks in a chat message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Instructions to the model (`system`, `developer`).
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's result, or a role that is not known here.
    Other,
}

impl Role {
    /// The role of an OpenAI message; an unknown word is [`Role::Other`].
    pub fn from_word(word: &str) -> Self {
        match word {
            "system" | "developer" => Self::System,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            _ => Self::Other,
        }
    }

    /// The word of the role in the chat template.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Other => "tool",
        }
    }

    fn id(self) -> TokenId {
        match self {
            Self::System => 4,
            Self::User => 5,
            Self::Assistant => 6,
            Self::Other => 7,
        }
    }
}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

/// Cuts text into tokens; see the module's description for the rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tokenizer {
    vocabulary: u32,
}

impl Tokenizer {
    /// A tokenizer whose ids are below `vocabulary`, which is raised to 1,024 when it is smaller.
    pub fn new(vocabulary: u32) -> Self {
        Self {
            vocabulary: vocabulary.max(1_024),
        }
    }

    /// The pieces of a text, in order; put together they are the text.
    pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at_checked(piece_bytes(rest)?)?;
            rest = after;
            Some(piece)
        })
    }

    /// How many tokens a text has.
    pub fn count(self, text: &str) -> usize {
        Self::pieces(text).count()
    }

    /// The id of one piece.
    pub fn id(self, piece: &str) -> TokenId {
        // FNV-1a spreads short strings well enough for the finalizer to do the rest.
        let hash = piece.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let room = u64::from(self.vocabulary.saturating_sub(SPECIAL_TOKENS)).max(1);
        u32::try_from(mix(hash) % room)
            .unwrap_or(0)
            .saturating_add(SPECIAL_TOKENS)
    }

    /// The tokens of a text.
    pub fn encode(self, text: &str) -> Vec<TokenId> {
        Self::pieces(text).map(|piece| self.id(piece)).collect()
    }

    /// The tokens of a chat by the template: every message adds [`TOKENS_PER_MESSAGE`], and
    /// [`GENERATION_PROMPT_TOKENS`] follow when the model is to answer.
    ///
    /// What the model generates continues the generation prompt, so that the same answer sent back
    /// as an assistant message gives the same tokens and the next turn finds them in the cache.
    pub fn encode_chat(self, messages: &[Message], generation_prompt: bool) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        for message in messages {
            tokens.extend([OPEN, message.role.id(), BREAK]);
            tokens.extend(Self::pieces(&message.content).map(|piece| self.id(piece)));
            tokens.extend([END, BREAK]);
        }
        if generation_prompt {
            tokens.extend([OPEN, Role::Assistant.id(), BREAK]);
        }
        tokens
    }

    /// The chat template's text, whose special tokens [`Tokenizer::encode_special`] knows.
    pub fn template(messages: &[Message], generation_prompt: bool) -> String {
        let mut text = String::new();
        let mut push = |parts: &[&str]| text.extend(parts.iter().copied());
        for message in messages {
            push(&[OPEN_TEXT, message.role.word(), "\n", &message.content]);
            push(&[END_TEXT, "\n"]);
        }
        if generation_prompt {
            push(&[OPEN_TEXT, Role::Assistant.word(), "\n"]);
        }
        text
    }

    /// The tokens of a text in which the template's special tokens are tokens of their own: a
    /// template's text has the tokens of its chat. Without them it is [`Tokenizer::encode`].
    pub fn encode_special(self, text: &str) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN_TEXT) {
            self.encode_ended(before, &mut tokens);
            tokens.push(OPEN);
            rest = after;
            if let Some((role, after)) = after.split_once('\n')
                && let Some(role) = ROLES.iter().find(|known| known.word() == role)
            {
                tokens.extend([role.id(), BREAK]);
                rest = after;
            }
        }
        self.encode_ended(rest, &mut tokens);
        tokens
    }

    /// Text in which only end tokens are special, each with the line break behind it.
    fn encode_ended(self, text: &str, tokens: &mut Vec<TokenId>) {
        let mut parts = text.split(END_TEXT);
        tokens.extend(self.encode(parts.next().unwrap_or_default()));
        for part in parts {
            tokens.push(END);
            let after = part.strip_prefix('\n');
            tokens.extend(after.map(|_| BREAK));
            tokens.extend(self.encode(after.unwrap_or(part)));
        }
    }

    /// How many ids there are.
    pub fn vocabulary(self) -> u32 {
        self.vocabulary
    }
}

/// Length in bytes of the piece at the start of `text`; `None` at its end.
fn piece_bytes(text: &str) -> Option<usize> {
    let after_space = text.strip_prefix(' ').filter(|after| {
        after
            .chars()
            .next()
            .is_some_and(|next| !next.is_whitespace())
    });
    let body = after_space.unwrap_or(text);
    let head = body.chars().next()?;
    let length = if head.is_alphanumeric() {
        body.chars()
            .take(PIECE_LETTERS)
            .take_while(|c| c.is_alphanumeric())
            .map(char::len_utf8)
            .sum()
    } else {
        head.len_utf8()
    };
    Some(usize::from(after_space.is_some()) + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pieces_by_the_rule() {
        let check = |text: &str, expect: &[&str]| {
            assert_eq!(
                Tokenizer::pieces(text).collect::<Vec<_>>(),
                expect,
                "{text:?}"
            );
        };
        check("", &[]);
        check("Once upon", &["Once", " upon"]);
        check(" harbours, then", &[" harbou", "rs", ",", " then"]);
        check("a  b", &["a", " ", " b"]);
        check("end. ", &["end", ".", " "]);
        check("(\"x\")", &["(", "\"", "x", "\"", ")"]);
        check("one\n\nTwo", &["one", "\n", "\n", "Two"]);
        check("größer 123456789", &["größer", " 123456", "789"]);
    }

    #[test]
    fn chat_template_adds_a_fixed_number_of_tokens() {
        let tokenizer = Tokenizer::new(32_000);
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        let chat = [
            message(Role::System, "Be brief."),
            message(Role::User, "Tell me about harbours"),
        ];
        let text = tokenizer.count("Be brief.") + tokenizer.count("Tell me about harbours");
        let expect = text + 2 * TOKENS_PER_MESSAGE;
        assert_eq!(tokenizer.encode_chat(&chat, false).len(), expect);
        let prompt = tokenizer.encode_chat(&chat, true);
        assert_eq!(prompt.len(), expect + GENERATION_PROMPT_TOKENS);

        let mut answered = prompt.clone();
        answered.extend(tokenizer.encode("They are busy."));
        answered.push(END);
        let mut next = chat.to_vec();
        next.push(message(Role::Assistant, "They are busy."));
        assert!(tokenizer.encode_chat(&next, true).starts_with(&answered));
    }

    #[test]
    fn a_template_has_the_tokens_of_its_chat() {
        let tokenizer = Tokenizer::new(32_000);
        let message = |role, content: &str| Message {
            role,
            content: content.to_owned(),
        };
        let chat = [
            message(Role::System, "Be brief."),
            message(Role::User, "\n two  lines\n"),
            message(Role::Assistant, ""),
            message(Role::Other, "42"),
        ];
        for generation_prompt in [false, true] {
            let text = Tokenizer::template(&chat, generation_prompt);
            let expect = tokenizer.encode_chat(&chat, generation_prompt);
            assert_eq!(tokenizer.encode_special(&text), expect, "{text}");
        }
        let plain = "a <|im_ b\nc";
        assert_eq!(tokenizer.encode_special(plain), tokenizer.encode(plain));
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_and_a_shared_beginning_is_shared(text in "[a-zé ,.\n0-9]{0,200}", more in "[a-z]{1,9}") {
            prop_assert_eq!(Tokenizer::pieces(&text).collect::<String>(), text.clone());
            let tokenizer = Tokenizer::new(1_024);
            let tokens = tokenizer.encode(&text);
            prop_assert!(tokens.iter().all(|id| (SPECIAL_TOKENS..1_024).contains(id)));
            let longer = tokenizer.encode(&format!("{text} {more}"));
            prop_assert!(longer.starts_with(&tokens));
        }
    }
}
