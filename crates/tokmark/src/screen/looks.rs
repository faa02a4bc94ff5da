//! How the screen looks: colours of the terminal, and symbols that it can show.

use ratatui::style::{Color, Modifier, Style};
use tokmark_run_format::CellStatus;

/// What the terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// None, or none wanted (`NO_COLOR`): bold, dim and reversed say what matters.
    No,
    /// The 16 of the user's theme.
    Theme,
    /// 256.
    Many,
}

/// Looks of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Looks {
    /// Colours.
    pub(crate) colours: Colours,
    /// Whether lines and blocks can be shown; else ASCII stands for them.
    pub(crate) unicode: bool,
}

/// Steps of rate by colour: dark to light blue, even in lightness, the same with any colour vision.
const STEPS: [(u8, u8); 7] = [
    (17, 231),
    (18, 231),
    (25, 231),
    (32, 16),
    (74, 16),
    (117, 16),
    (195, 16),
];

impl Looks {
    /// By the environment: `variable` gives a variable's value.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let term = set("TERM").unwrap_or_default();
        let few = [
            "", "linux", "xterm", "screen", "ansi", "cygwin", "vt100", "vt220",
        ];
        let colours = if set("NO_COLOR").is_some() {
            Colours::No
        } else if few.contains(&term.as_str()) && set("COLORTERM").is_none() {
            Colours::Theme
        } else {
            Colours::Many
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let utf8 = |locale: String| {
            locale
                .to_ascii_lowercase()
                .replace('-', "")
                .contains("utf8")
        };
        // A terminal without any locale is a container's, and its terminal is of today.
        Self {
            colours,
            unicode: locale.is_none_or(utf8),
        }
    }

    fn coloured(self, style: Style, colour: Color) -> Style {
        match self.colours {
            Colours::No => style,
            Colours::Theme | Colours::Many => style.fg(colour),
        }
    }

    /// Figures that matter.
    pub(super) fn strong() -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is read second.
    pub(super) fn quiet() -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// To be read with care.
    pub(super) fn warning(self) -> Style {
        self.coloured(Style::new(), Color::Yellow)
    }

    /// Something is wrong.
    pub(super) fn fault(self) -> Style {
        self.coloured(Self::strong(), Color::Red)
    }

    /// The running cell.
    pub(super) fn running() -> Style {
        Self::strong().add_modifier(Modifier::REVERSED)
    }

    /// A cell with a number, `place` of the way from the slowest to the fastest.
    pub(super) fn rate(self, place: f64, status: CellStatus) -> Style {
        if self.colours != Colours::Many {
            return match status {
                CellStatus::Valid => Self::strong(),
                _ => self.status(status),
            };
        }
        let step = tokmark_units::float::floor_to_usize(place * 7.0).min(6);
        let (back, front) = STEPS.get(step).copied().unwrap_or((17, 231));
        Style::new()
            .bg(Color::Indexed(back))
            .fg(Color::Indexed(front))
    }

    /// The words of a status.
    pub(super) fn status(self, status: CellStatus) -> Style {
        match status {
            CellStatus::Valid => Style::new(),
            CellStatus::Looped => self.fault(),
            _ if status.is_incomplete() => self.fault(),
            _ if status.is_not_run() => Self::quiet(),
            _ => self.warning(),
        }
    }

    /// The line of a heading.
    pub(super) fn rule(self) -> &'static str {
        if self.unicode { "─" } else { "-" }
    }

    /// A cell that is still to come.
    pub(super) fn pending(self) -> &'static str {
        if self.unicode { "·" } else { "." }
    }

    /// Before the running cell.
    pub(super) fn pointer(self) -> &'static str {
        if self.unicode { "▸" } else { ">" }
    }

    /// A bar of so many columns, `share` of it full.
    pub(super) fn bar(self, share: f64, width: usize) -> String {
        let (full, empty) = if self.unicode {
            ('█', '░')
        } else {
            ('#', '.')
        };
        let wide = tokmark_units::float::from_usize(width);
        let filled = tokmark_units::float::floor_to_usize(share.clamp(0.0, 1.0) * wide + 0.5);
        (0..width)
            .map(|at| if at < filled { full } else { empty })
            .collect()
    }

    /// Rates over time, as many of the newest as fit, from zero to the largest.
    pub(super) fn spark(self, rates: &[f64], width: usize) -> String {
        let levels: &[char] = if self.unicode {
            &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
        } else {
            &['_', '.', ':', '-', '=', '+', '*', '#']
        };
        let shown = rates
            .get(rates.len().saturating_sub(width)..)
            .unwrap_or(rates);
        let most = shown.iter().copied().fold(0.0, f64::max);
        let level = |rate: f64| {
            let share = if most > 0.0 { rate / most } else { 0.0 };
            let at = tokmark_units::float::floor_to_usize(share * 7.99);
            levels.get(at).copied().unwrap_or(' ')
        };
        shown.iter().map(|rate| level(*rate)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colours_and_symbols() {
        let check = |variables: &[(&str, &str)], colours, unicode| {
            let looks = Looks::of(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            });
            assert_eq!(looks, Looks { colours, unicode }, "{variables:?}");
        };
        check(&[("TERM", "xterm-256color")], Colours::Many, true);
        check(
            &[("TERM", "xterm-kitty"), ("LANG", "C")],
            Colours::Many,
            false,
        );
        check(
            &[("TERM", "linux"), ("LANG", "de_DE.UTF-8")],
            Colours::Theme,
            true,
        );
        check(
            &[("TERM", "xterm"), ("COLORTERM", "truecolor")],
            Colours::Many,
            true,
        );
        check(
            &[("TERM", "tmux-256color"), ("NO_COLOR", "1")],
            Colours::No,
            true,
        );
        check(
            &[
                ("TERM", "foot"),
                ("NO_COLOR", ""),
                ("LC_ALL", "POSIX"),
                ("LANG", "C.UTF-8"),
            ],
            Colours::Many,
            false,
        );
    }

    #[test]
    fn bars_and_sparks_are_as_long_as_their_share() {
        let looks = Looks {
            colours: Colours::No,
            unicode: false,
        };
        assert_eq!(looks.bar(0.5, 6), "###...");
        assert_eq!(looks.bar(7.0, 3), "###");
        assert_eq!(looks.spark(&[0.0, 1.0, 2.0, 4.0], 3), ".-#");
        assert_eq!(looks.spark(&[0.0, 0.0], 3), "__");
        assert_eq!(looks.spark(&[], 3), "");
    }
}
