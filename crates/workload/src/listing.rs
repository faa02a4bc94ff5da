//! Programs in an invented language: the shape of code, so that its tokens (indents, brackets, long
//! identifiers) are in the mix too.

use crate::genre::{Author, DESCRIPTION};

impl Author {
    /// One commented function.
    pub(crate) fn listing(&mut self) -> String {
        let mut lines = vec![format!("# {}", self.prose.sentence(DESCRIPTION))];
        let (name, input) = (self.identifier(), self.word());
        let other = self.identifier();
        lines.push(format!("function {name}({input}, {other}) {{"));
        for _ in 0..self.prose.dice.between(3, 8) {
            lines.push(self.statement());
        }
        lines.push(format!("    return {}", self.expression()));
        lines.push("}".to_owned());
        lines.join("\n")
    }

    fn word(&mut self) -> &'static str {
        let list = match self.prose.dice.below(3) {
            0 => &self.prose.lexicon.things,
            1 => &self.prose.lexicon.ideas,
            _ => &self.prose.lexicon.places,
        };
        list.pick(&mut self.prose.dice)
    }

    /// `measure_harbour`, `quiet_lantern_3`.
    fn identifier(&mut self) -> String {
        let noun = self.word();
        match self.prose.dice.below(10) {
            0..=4 => format!("{}_{noun}", self.prose.transitive().base()),
            5..=8 => format!("{}_{noun}", self.prose.adjective()),
            _ => format!("{noun}_{}", self.prose.dice.between(2, 99)),
        }
    }

    fn expression(&mut self) -> String {
        match self.prose.dice.below(6) {
            0 => self.prose.dice.between(2, 9_999).to_string(),
            1 => {
                let operator = self.prose.dice.pick(&["+", "-", "*", "/", "%"]);
                format!("{} {operator} {}", self.identifier(), self.word())
            }
            2 => format!("{}({})", self.identifier(), self.word()),
            3 => format!("{}[{}]", self.word(), self.prose.dice.below(512)),
            4 => format!("\"{} {}\"", self.prose.adjective(), self.word()),
            _ => format!("{}.{}", self.word(), self.identifier()),
        }
    }

    fn condition(&mut self) -> String {
        let operator = self.prose.dice.pick(&["<", ">", "==", "!=", "<=", ">="]);
        format!("{} {operator} {}", self.word(), self.expression())
    }

    fn statement(&mut self) -> String {
        match self.prose.dice.below(8) {
            0..=2 => format!("    let {} = {}", self.identifier(), self.expression()),
            3 => {
                let (item, list) = (self.word(), self.identifier());
                let (inner, value) = (self.identifier(), self.expression());
                format!("    for {item} in {list} {{\n        {inner} += {value}\n    }}")
            }
            4 => {
                let (test, call) = (self.condition(), self.identifier());
                let argument = self.expression();
                format!("    if {test} {{\n        {call}({argument})\n    }}")
            }
            5 => format!(
                "    {}({}, {})",
                self.identifier(),
                self.word(),
                self.expression()
            ),
            6 => format!("    # {}", self.prose.sentence(DESCRIPTION)),
            _ => format!(
                "    {}.{} = {}",
                self.word(),
                self.identifier(),
                self.expression()
            ),
        }
    }
}
