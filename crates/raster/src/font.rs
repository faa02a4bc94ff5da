//! The font that the program brings, and those of the machine for what it lacks.

use std::sync::{Arc, LazyLock};

use resvg::usvg::FontResolver;
use resvg::usvg::fontdb::{Database, Source};

/// The family's name.
pub(crate) const FAMILY: &str = "Noto Sans";

static REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
static BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");

static OWN: LazyLock<Arc<Database>> = LazyLock::new(|| Arc::new(brought()));

/// With the machine's fonts, which are looked for once, when a picture first needs them. The
/// program's own come first and have the same places in both.
static ALL: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = brought();
    fonts.load_system_fonts();
    families(&mut fonts);
    Arc::new(fonts)
});

/// The fonts of a picture that needs no other.
pub(crate) fn own() -> Arc<Database> {
    Arc::clone(&OWN)
}

/// Asks the machine's fonts for a character that ours lack. `None` leaves the box that a font draws
/// for what it does not have.
pub(crate) fn resolver() -> FontResolver<'static> {
    let select = FontResolver::default_fallback_selector();
    FontResolver {
        select_font: FontResolver::default_font_selector(),
        select_fallback: Box::new(move |c, used, fonts| {
            select(c, used, fonts).or_else(|| {
                *fonts = Arc::clone(&ALL);
                select(c, used, fonts)
            })
        }),
    }
}

fn brought() -> Database {
    let mut fonts = Database::new();
    for face in [REGULAR, BOLD] {
        fonts.load_font_source(Source::Binary(Arc::new(face)));
    }
    families(&mut fonts);
    fonts
}

/// Every generic name means the program's own family.
fn families(fonts: &mut Database) {
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
}
