//! Colours, which are those of the pages' styles, as rules of a picture.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::assets;

/// The colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// Light, and dark where the reader's colour scheme is.
    #[default]
    Auto,
    /// Light for everybody.
    Light,
    /// Dark for everybody.
    Dark,
}

/// Which property of which class takes which colour of the styles.
const RULES: [(&str, &str, &str); 15] = [
    (".surface", "fill", "surface"),
    (".raised", "fill", "raised"),
    (".ink", "fill", "ink"),
    (".quiet", "fill", "quiet"),
    (".accent", "fill", "accent"),
    (".marked", "stroke", "marked-line"),
    (".bad", "fill", "bad-ground"),
    (".bad-ink", "fill", "bad-ink"),
    (".rule", "stroke", "line"),
    (".base", "stroke", "quiet"),
    (".dot", "stroke", "surface"),
    (".dot.hollow", "fill", "surface"),
    (".q0", "fill", "q0"),
    (".t0", "fill", "t0"),
    (".s0", "color", "s0"),
];

/// What is the same in every theme. The program's own font is named, too: it is what a PNG has.
const FIXED: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Helvetica Neue',Arial,sans-serif;\
font-variant-numeric:tabular-nums}\
.bold{font-weight:700}.unit{font-weight:400}.mid{text-anchor:middle}.end{text-anchor:end}\
.rule,.base{stroke-width:1}.marked{stroke-width:2}.marked,.rule,.base,.line,.interval{fill:none}\
.line,.interval{stroke:currentColor;stroke-width:2;stroke-linejoin:round}.interval{stroke-width:1.5}\
.dashed .line{stroke-dasharray:4 4}.dot{fill:currentColor;stroke-width:1}\
.dot.hollow{stroke:currentColor;stroke-width:2}.band{fill:currentColor;opacity:.17}";

/// The style sheet of a picture.
pub(super) fn styles(theme: Theme) -> String {
    let colours = match theme {
        Theme::Light => rules(&COLOURS.light),
        Theme::Dark => rules(&COLOURS.dark),
        Theme::Auto => format!(
            "{}@media (prefers-color-scheme:dark){{{}}}",
            rules(&COLOURS.light),
            rules(&COLOURS.dark)
        ),
    };
    format!("{FIXED}{colours}")
}

/// A rule of class `q0`, `t0` or `s0` stands for its whole scale.
fn rules(colours: &BTreeMap<&str, &str>) -> String {
    let mut out = String::new();
    for (selector, property, name) in RULES {
        match name.strip_suffix('0') {
            None => out.push_str(&rule(selector, property, colours.get(name))),
            Some(scale) => {
                for step in 0..=9 {
                    let name = format!("{scale}{step}");
                    if let Some(colour) = colours.get(name.as_str()) {
                        out.push_str(&rule(&format!(".{name}"), property, Some(colour)));
                    }
                }
            }
        }
    }
    out
}

fn rule(selector: &str, property: &str, colour: Option<&&str>) -> String {
    let colour = colour.map(|colour| format!("{selector}{{{property}:{colour}}}"));
    colour.unwrap_or_default()
}

struct Colours {
    light: BTreeMap<&'static str, &'static str>,
    dark: BTreeMap<&'static str, &'static str>,
}

static COLOURS: LazyLock<Colours> = LazyLock::new(|| read(assets::STYLES));

/// The variables of the styles: those of the dark scheme stand in its media rule.
fn read(styles: &'static str) -> Colours {
    let mut light = BTreeMap::new();
    let mut dark = BTreeMap::new();
    let mut scheme = None;
    for line in styles.lines() {
        match line.trim_end() {
            ":root {" => scheme = Some(&mut light),
            "@media screen and (prefers-color-scheme: dark) {" => scheme = Some(&mut dark),
            // Rules begin at the left edge; the dark scheme's `:root` does not.
            "}" => scheme = None,
            line => {
                let Some(scheme) = scheme.as_mut() else {
                    continue;
                };
                let pairs = line.split(';').filter_map(|pair| {
                    let (name, value) = pair.trim().strip_prefix("--")?.split_once(':')?;
                    Some((name, value.trim()))
                });
                scheme.extend(pairs.filter(|(_, value)| value.starts_with('#')));
            }
        }
    }
    Colours { light, dark }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_of_a_picture_is_one_of_the_pages() {
        for (selector, _, name) in RULES {
            let (light, dark) = (COLOURS.light.get(name), COLOURS.dark.get(name));
            assert!(light.is_some() && dark.is_some(), "{selector}: {name}");
            assert_ne!(light, dark, "{name}");
        }
        assert_eq!(COLOURS.light.get("q6"), Some(&"#0b4678"));
        assert_eq!(COLOURS.dark.get("s7"), Some(&"#a8b3bf"));
    }

    #[test]
    fn a_theme_is_one_scheme_or_both() {
        let [auto, light, dark] = [Theme::Auto, Theme::Light, Theme::Dark].map(styles);
        assert!(light.contains(".q6{fill:#0b4678}") && !light.contains("#b4dcfa"));
        assert!(dark.contains(".q6{fill:#b4dcfa}") && !dark.contains("@media"));
        assert!(auto.contains("#0b4678") && auto.contains("#b4dcfa"));
        assert!(auto.contains("@media (prefers-color-scheme:dark){"));
    }
}
