//! What a catalogue holds: its description, and its messages with their arguments.

use anyhow::bail;
use fluent_syntax::ast::{
    Entry, Expression, InlineExpression, Pattern, PatternElement, Variant, VariantKey,
};
use fluent_syntax::parser;

/// A catalogue in the order of its file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Catalogue {
    /// The comment at its top.
    pub(super) about: String,
    pub(super) messages: Vec<Message>,
}

/// A message.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) key: String,
    /// Its English text in one line, plurals in their general form.
    pub(super) text: String,
    pub(super) arguments: Vec<Argument>,
}

/// What a message is given.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: String,
    /// Whether it is a count, which plurals are chosen by; else it is text.
    pub(super) is_count: bool,
}

/// Reads a catalogue.
pub(super) fn read(source: &str) -> anyhow::Result<Catalogue> {
    let resource = match parser::parse(source) {
        Ok(resource) => resource,
        Err((_, errors)) => bail!("{errors:?}"),
    };
    let mut catalogue = Catalogue {
        about: String::new(),
        messages: Vec::new(),
    };
    for entry in resource.body {
        match entry {
            Entry::ResourceComment(comment) => catalogue.about = comment.content.join(" "),
            Entry::Message(message) => {
                let key = message.id.name.to_owned();
                let Some(pattern) = message.value else {
                    bail!("`{key}` has no text");
                };
                let mut read = Message {
                    key,
                    text: String::new(),
                    arguments: Vec::new(),
                };
                read.pattern(&pattern)?;
                catalogue.messages.push(read);
            }
            Entry::Comment(_) | Entry::GroupComment(_) => {}
            Entry::Term(term) => bail!("`-{}` is a term: write it out", term.id.name),
            Entry::Junk { content } => bail!("cannot be read: {content}"),
        }
    }
    Ok(catalogue)
}

impl Message {
    fn pattern(&mut self, pattern: &Pattern<&str>) -> anyhow::Result<()> {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { value } => self.text.push_str(value),
                PatternElement::Placeable { expression } => self.expression(expression)?,
            }
        }
        Ok(())
    }

    fn expression(&mut self, expression: &Expression<&str>) -> anyhow::Result<()> {
        match expression {
            Expression::Inline(InlineExpression::VariableReference { id }) => {
                self.text.push_str(&format!("{{ ${} }}", id.name));
                self.argument(id.name, false);
            }
            Expression::Inline(InlineExpression::StringLiteral { value }) => {
                self.text.push_str(value);
            }
            Expression::Select {
                selector: InlineExpression::VariableReference { id },
                variants,
            } => {
                self.argument(id.name, variants.iter().all(is_plural));
                for variant in variants {
                    let before = self.text.len();
                    self.pattern(&variant.value)?;
                    if !variant.default {
                        self.text.truncate(before);
                    }
                }
            }
            _ => bail!("`{}` uses what the functions cannot offer", self.key),
        }
        Ok(())
    }

    fn argument(&mut self, name: &str, is_count: bool) {
        match self.arguments.iter_mut().find(|known| known.name == name) {
            Some(known) => known.is_count |= is_count,
            None => self.arguments.push(Argument {
                name: name.to_owned(),
                is_count,
            }),
        }
    }
}

fn is_plural(variant: &Variant<&str>) -> bool {
    match variant.key {
        VariantKey::NumberLiteral { .. } => true,
        VariantKey::Identifier { name } => {
            ["zero", "one", "two", "few", "many", "other"].contains(&name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_text_and_arguments() {
        let source = "### The frame.\nby = by { $name }\nruns = { $count ->\n    [one] { $count } run\n   *[other] { $count } runs\n } of { $who }\n";
        let catalogue = read(source).unwrap();
        assert_eq!(catalogue.about, "The frame.");
        let [by, runs] = catalogue.messages.as_slice() else {
            panic!("{catalogue:?}");
        };
        let told = |message: &Message| -> Vec<(String, bool)> {
            let arguments = message.arguments.iter();
            arguments
                .map(|one| (one.name.clone(), one.is_count))
                .collect()
        };
        assert_eq!(by.text, "by { $name }");
        assert_eq!(told(by), [("name".to_owned(), false)]);
        assert_eq!(runs.text, "{ $count } runs of { $who }");
        let expect = [("count".to_owned(), true), ("who".to_owned(), false)];
        assert_eq!(told(runs), expect);
    }

    #[test]
    fn what_the_functions_cannot_offer_is_refused() {
        let check = |source: &str, expect: &str| {
            let error = read(source).unwrap_err().to_string();
            assert!(error.contains(expect), "{source}: {error}");
        };
        check("-brand = tokmark\n", "is a term");
        check("a = { NUMBER($x) }\n", "cannot offer");
        check("a = { b }\n", "cannot offer");
        check("a = { $x\n", "ExpectedToken");
    }
}
