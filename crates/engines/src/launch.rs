//! Options on a server's command line.

/// The value of the last option of one of `names`, as `--name value` or `--name=value`.
pub(crate) fn value<'a>(arguments: &'a [String], names: &[&str]) -> Option<&'a str> {
    let mut found = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if names.contains(&argument.as_str()) {
            found = rest.clone().next().map(String::as_str);
        } else if let Some((name, value)) = argument.split_once('=')
            && names.contains(&name)
        {
            found = Some(value);
        }
    }
    found
}

/// Whether an option without a value is present.
pub(crate) fn has(arguments: &[String], names: &[&str]) -> bool {
    arguments
        .iter()
        .any(|argument| names.contains(&argument.as_str()))
}

/// As [`value`], for whole numbers; thousands separators are allowed.
pub(crate) fn number(arguments: &[String], names: &[&str]) -> Option<u64> {
    whole_number(value(arguments, names)?)
}

/// A whole number as people and programs write it: `131072`, `131,072`, `131072.0`.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    let digits: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ',' | '_'))
        .collect();
    let digits = digits.strip_suffix(".0").unwrap_or(&digits);
    digits.parse().ok()
}
