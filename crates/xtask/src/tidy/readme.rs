//! The README begins with what a visitor came for: how to see it run, and how to test it.

use crate::finding::Finding;

/// The file.
pub(super) const PATH: &str = "README.md";

/// Lines that fit on a visitor's first screen.
const FIRST_SCREEN: usize = 40;

const COMMANDS: [&str; 2] = ["cargo run --release -- demo", "./test"];

/// The commands that the first screen lacks.
pub(super) fn check(text: &str) -> Vec<Finding> {
    let lacks = |command: &&str| {
        !text
            .lines()
            .take(FIRST_SCREEN)
            .any(|line| line.contains(*command))
    };
    COMMANDS
        .into_iter()
        .filter(lacks)
        .map(|command| {
            Finding::new(
                PATH,
                1,
                format!("`{command}` is not in the first {FIRST_SCREEN} lines"),
                "show it there",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::lines;

    const GOOD: &str = "# tokmark\n\n```sh\ncargo run --release -- demo\n./test\n```\n";

    #[test]
    fn both_commands_are_on_the_first_screen() {
        assert!(check(GOOD).is_empty());
        assert_eq!(
            lines(&check(&GOOD.replace("./test", "make"))),
            ["README.md:1: `./test` is not in the first 40 lines; show it there"]
        );
        assert_eq!(check("").len(), 2);
    }

    #[test]
    fn line_41_is_too_late() {
        assert!(check(&format!("{}{GOOD}", "\n".repeat(35))).is_empty());
        assert_eq!(check(&format!("{}{GOOD}", "\n".repeat(36))).len(), 1);
    }
}
