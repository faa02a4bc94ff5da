//! A sentence while it is being written.

/// Words with single spaces between them.
#[derive(Debug, Default)]
pub(crate) struct Sentence {
    text: String,
}

impl Sentence {
    /// Adds a word, or several with their own spaces.
    pub(crate) fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    /// Adds a mark to the last word.
    pub(crate) fn mark(&mut self, mark: &str) {
        self.text.push_str(mark);
    }

    /// The sentence with a capital letter and its end.
    pub(crate) fn finish(mut self, end: &str) -> String {
        if let Some(first) = self.text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        self.text.push_str(end);
        self.text
    }
}
