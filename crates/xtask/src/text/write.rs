//! Rust of the functions.

use super::message::{Argument, Catalogue, Message};

const MADE: &str = "// Written by `cargo xtask text`; change the catalogues instead.\n\n";

/// Most arguments of a function that clippy accepts.
const MOST_ARGUMENTS: usize = 7;

/// The module that lists the areas.
pub(super) fn index(areas: &[&str]) -> String {
    let mut out =
        format!("{MADE}//! Messages by area: one function each, from the English catalogues.\n\n");
    for area in areas {
        out.push_str(&format!("pub mod {area};\n"));
    }
    out
}

/// The functions of an area.
pub(super) fn area(name: &str, catalogue: &Catalogue) -> String {
    let messages = &catalogue.messages;
    let mut out = format!(
        "{MADE}//! {}\n\nuse crate::Language;\nuse crate::catalogue::Area;\n\n",
        catalogue.about
    );
    let keys: Vec<String> = messages
        .iter()
        .map(|message| format!("{:?}", message.key))
        .collect();
    let source =
        |language: &str| format!("include_str!(\"../../catalogues/{language}/{name}.ftl\")");
    out.push_str(&format!(
        "static AREA: Area = Area::new(&[{}], [{}]);\n",
        keys.join(", "),
        ["en", "ja", "ko", "zh"].map(source).join(", ")
    ));
    for (place, message) in messages.iter().enumerate() {
        out.push('\n');
        out.push_str(&function(place, message));
    }
    out
}

fn function(place: usize, message: &Message) -> String {
    let name = message.key.replace('-', "_");
    let fence = if message.text.contains('`') {
        "`` "
    } else {
        "`"
    };
    let end: String = fence.chars().rev().collect();
    let text = message.text.trim().replace('\n', " ");
    let documentation = format!("/// {fence}{text}{end}\n");
    if message.arguments.is_empty() {
        return format!(
            "{documentation}pub fn {name}(language: Language) -> &'static str {{ \
             AREA.plain(language, {place}) }}\n"
        );
    }
    // One for the language besides.
    let many = if message.arguments.len() < MOST_ARGUMENTS {
        ""
    } else {
        "#[expect(clippy::too_many_arguments, reason = \"a sentence with so many figures\")]\n"
    };
    let typed: Vec<String> = message.arguments.iter().map(typed).collect();
    let values: Vec<String> = message
        .arguments
        .iter()
        .map(|Argument { name, .. }| format!("({name:?}, {name}.into())"))
        .collect();
    format!(
        "{documentation}{many}pub fn {name}(language: Language, {}) -> String {{ \
         AREA.filled(language, {place}, &[{}]) }}\n",
        typed.join(", "),
        values.join(", ")
    )
}

fn typed(argument: &Argument) -> String {
    let Argument { name, is_count } = argument;
    format!("{name}: {}", if *is_count { "u64" } else { "&str" })
}
