//! Styles, script and icon, inside the binary.
//!
//! An asset's address holds a hash of its bytes, so that browsers may keep it for ever.

use std::sync::LazyLock;

/// A file that the site serves.
#[derive(Debug, Clone)]
pub struct Asset {
    /// Plain name, for example `page.css`.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// Its address: `/assets/{hash}-{name}`.
    pub path: String,
}

/// The styles of every page.
pub(crate) const STYLES: &str = concat!(
    include_str!("../assets/base.css"),
    include_str!("../assets/run.css"),
    include_str!("../assets/matrix.css"),
    include_str!("../assets/chart.css"),
    include_str!("../assets/predicted.css"),
    include_str!("../assets/list.css"),
    include_str!("../assets/print.css"),
);

/// The script of every page: copy buttons.
pub(crate) const SCRIPT: &str = include_str!("../assets/page.js");

/// Styles of the calculator's pages, beside those of every page.
const CALCULATOR_STYLES: &str = include_str!("../assets/calculator.css");

/// Asks for the answer while the form is filled in.
const CALCULATOR_SCRIPT: &str = include_str!("../assets/calculator.js");

const ICON: &str = include_str!("../assets/icon.svg");

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    vec![
        asset("page.css", "text/css; charset=utf-8", STYLES),
        asset("page.js", "text/javascript; charset=utf-8", SCRIPT),
        asset(
            "calculator.css",
            "text/css; charset=utf-8",
            CALCULATOR_STYLES,
        ),
        asset(
            "calculator.js",
            "text/javascript; charset=utf-8",
            CALCULATOR_SCRIPT,
        ),
        asset("icon.svg", "image/svg+xml", ICON),
    ]
});

/// Every asset of the site.
pub fn assets() -> &'static [Asset] {
    &ASSETS
}

/// The address of an asset.
pub(crate) fn path(name: &str) -> &'static str {
    assets()
        .iter()
        .find(|asset| asset.name == name)
        .map_or("", |asset| asset.path.as_str())
}

fn asset(name: &'static str, content_type: &'static str, text: &'static str) -> Asset {
    let bytes = text.as_bytes();
    Asset {
        name,
        content_type,
        bytes,
        path: format!("/assets/{:016x}-{name}", fingerprint(bytes)),
    }
}

/// 64-bit FNV-1a: tells two versions of our own files apart, which needs no cryptography.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_content() {
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"a"), 0xaf63_dc4c_8601_ec8c);
        for asset in assets() {
            assert!(asset.path.starts_with("/assets/"), "{}", asset.path);
            assert!(asset.path.ends_with(asset.name), "{}", asset.path);
            assert_eq!(path(asset.name), asset.path);
        }
    }

    #[test]
    fn assets_load_nothing_from_elsewhere() {
        for asset in assets() {
            let text = str::from_utf8(asset.bytes).unwrap();
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for word in ["http:", "https:", "//cdn", "@import", "url("] {
                assert!(!text.contains(word), "{} has {word}", asset.name);
            }
        }
    }

    #[test]
    fn styles_and_script_may_stand_inside_a_page() {
        assert!(!STYLES.contains("</"));
        assert!(!SCRIPT.contains("</"));
    }
}
