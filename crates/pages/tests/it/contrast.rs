//! The contrast of every text on every ground it stands on, from the style sheets' own values.

use std::collections::BTreeMap;

use tokmark_pages::assets;

type Colours = BTreeMap<String, f64>;

fn styles() -> String {
    let asset = assets()
        .iter()
        .find(|asset| asset.name == "page.css")
        .unwrap();
    String::from_utf8(asset.bytes.to_vec()).unwrap()
}

/// Relative luminance (WCAG 2.2) of `#rrggbb`.
fn luminance(hex: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.040_45 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

/// The `--name: #rrggbb;` declarations of a block.
fn collect(block: &str, into: &mut Colours) {
    for declaration in block.split("--").skip(1) {
        let (name, rest) = declaration.split_once(':').unwrap();
        let value = rest.split(';').next().unwrap().trim();
        if value.starts_with('#') {
            into.insert(name.trim().to_owned(), luminance(value));
        }
    }
}

/// Light, and light with what dark changes.
fn schemes() -> [Colours; 2] {
    let styles = styles();
    let screen = styles.split("@media print").next().unwrap();
    let (mut light, mut dark) = (Colours::new(), Colours::new());
    let mut before = "";
    for part in screen.split(":root {") {
        let block = part.split('}').next().unwrap();
        match before.trim_end() {
            "" => {}
            end if end.ends_with("(prefers-color-scheme: dark) {") => {
                collect(block, &mut dark);
            }
            _ => collect(block, &mut light),
        }
        before = part;
    }
    assert_eq!(
        dark.keys()
            .filter(|name| !light.contains_key(*name))
            .count(),
        0
    );
    let mut all_dark = light.clone();
    all_dark.extend(dark);
    [light, all_dark]
}

#[track_caller]
fn check(colours: &Colours, text: &str, ground: &str, least: f64) {
    let of = |name: &str| {
        colours
            .get(name)
            .unwrap_or_else(|| panic!("no colour {name}"))
    };
    let (a, b) = (of(text), of(ground));
    let ratio = (a.max(*b) + 0.05) / (a.min(*b) + 0.05);
    assert!(ratio >= least, "{text} on {ground}: {ratio:.2}");
}

#[test]
fn every_text_can_be_read_in_light_and_dark() {
    for colours in schemes() {
        assert!(colours.len() >= 38, "{colours:?}");
        for ground in ["ground", "surface", "raised"] {
            for text in ["ink", "quiet", "accent"] {
                check(&colours, text, ground, 4.5);
            }
        }
        for tone in ["marked", "bad", "good"] {
            check(
                &colours,
                &format!("{tone}-ink"),
                &format!("{tone}-ground"),
                4.5,
            );
        }
        check(&colours, "quiet", "hatch", 4.5);
        for step in 0..7 {
            check(&colours, &format!("t{step}"), &format!("q{step}"), 4.5);
            check(&colours, &format!("e{step}"), &format!("d{step}"), 4.5);
        }
        for line in 0..8 {
            check(&colours, &format!("s{line}"), "surface", 4.5);
        }
        for edge in ["marked-line", "bad-line"] {
            check(&colours, edge, "surface", 3.0);
        }
    }
}

#[test]
fn the_scale_runs_in_one_direction() {
    let [light, dark] = schemes();
    let steps = |colours: &Colours| -> Vec<f64> {
        (0..7).map(|step| colours[&format!("q{step}")]).collect()
    };
    assert!(steps(&light).windows(2).all(|pair| pair[0] > pair[1] * 1.1));
    assert!(steps(&dark).windows(2).all(|pair| pair[1] > pair[0] * 1.1));
}
