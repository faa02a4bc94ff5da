//! English endings, for the regular words of our lists and the listed irregular forms.

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// `y` after a consonant, as in `carry`; not as in `obey`.
fn ends_in_consonant_y(word: &str) -> bool {
    matches!(word.as_bytes(), [.., before, b'y'] if !is_vowel(*before))
}

/// The plural of a noun, or the third person of a verb: `-s`, `-es` or `-ies`.
pub(crate) fn with_s(word: &str) -> String {
    let hisses = ["s", "x", "z", "ch", "sh", "cho"]
        .iter()
        .any(|end| word.ends_with(end));
    match word.strip_suffix('y') {
        Some(stem) if ends_in_consonant_y(word) => format!("{stem}ies"),
        _ if hisses => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// The forms of a verb from its line in the lists: `base`, `base/past/participle` or
/// `base/past/participle/ing`; what is not listed is regular.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verb<'a> {
    base: &'a str,
    past: Option<&'a str>,
    participle: Option<&'a str>,
    gerund: Option<&'a str>,
}

impl<'a> Verb<'a> {
    pub(crate) fn read(entry: &'a str) -> Self {
        let mut forms = entry.split('/');
        Self {
            base: forms.next().unwrap_or_default(),
            past: forms.next(),
            participle: forms.next(),
            gerund: forms.next(),
        }
    }

    pub(crate) fn base(self) -> &'a str {
        self.base
    }

    pub(crate) fn third_person(self) -> String {
        with_s(self.base)
    }

    pub(crate) fn past(self) -> String {
        self.past
            .map_or_else(|| regular_past(self.base), str::to_owned)
    }

    pub(crate) fn participle(self) -> String {
        self.participle
            .map_or_else(|| regular_past(self.base), str::to_owned)
    }

    pub(crate) fn gerund(self) -> String {
        self.gerund
            .map_or_else(|| regular_gerund(self.base), str::to_owned)
    }
}

fn regular_past(base: &str) -> String {
    match base.strip_suffix('y') {
        _ if base.ends_with('e') => format!("{base}d"),
        Some(stem) if ends_in_consonant_y(base) => format!("{stem}ied"),
        _ => format!("{base}ed"),
    }
}

fn regular_gerund(base: &str) -> String {
    let keeps_e = ["ee", "oe", "ye"].iter().any(|end| base.ends_with(end));
    match base.strip_suffix('e') {
        Some(stem) if !keeps_e => format!("{stem}ing"),
        _ => format!("{base}ing"),
    }
}

/// `a` or `an`, by the letters that the next word starts with. Silent `h` and the `u` of `unit` are
/// known for the words of our lists.
pub(crate) fn article(next: &str) -> &'static str {
    let consonant_sound = ["uni", "use", "usu", "uro", "one", "eu"];
    let vowel_sound = ["hon", "hour"];
    let starts = |heads: &[&str]| heads.iter().any(|head| next.starts_with(head));
    let vowel = next
        .bytes()
        .next()
        .is_some_and(|first| is_vowel(first.to_ascii_lowercase()));
    let honey = next.starts_with("honey");
    if (vowel && !starts(&consonant_sound)) || (starts(&vowel_sound) && !honey) {
        "an"
    } else {
        "a"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_verbs() {
        let check = |entry: &str, expect: [&str; 4]| {
            let verb = Verb::read(entry);
            let forms = [
                verb.third_person(),
                verb.past(),
                verb.participle(),
                verb.gerund(),
            ];
            assert_eq!(forms, expect, "{entry}");
        };
        check("carry", ["carries", "carried", "carried", "carrying"]);
        check("obey", ["obeys", "obeyed", "obeyed", "obeying"]);
        check("judge", ["judges", "judged", "judged", "judging"]);
        check("agree", ["agrees", "agreed", "agreed", "agreeing"]);
        check("crush", ["crushes", "crushed", "crushed", "crushing"]);
        check(
            "write/wrote/written",
            ["writes", "wrote", "written", "writing"],
        );
        check(
            "drop/dropped/dropped/dropping",
            ["drops", "dropped", "dropped", "dropping"],
        );
    }

    #[test]
    fn plurals_and_articles() {
        for (noun, expect) in [
            ("ferry", "ferries"),
            ("quay", "quays"),
            ("box", "boxes"),
            ("torch", "torches"),
            ("echo", "echoes"),
            ("lamp", "lamps"),
        ] {
            assert_eq!(with_s(noun), expect);
        }
        for (next, expect) in [
            ("anchor", "an"),
            ("useful", "a"),
            ("usual", "a"),
            ("urgent", "an"),
            ("honest", "an"),
            ("honey", "a"),
            ("harbour", "a"),
            ("Ostmere", "an"),
        ] {
            assert_eq!(article(next), expect, "{next}");
        }
    }
}
