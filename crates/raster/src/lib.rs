//! Pictures as pixels: an SVG of ours as a PNG.
//!
//! The same SVG gives the same bytes on every machine as long as its characters are in the font that
//! the program brings (Noto Sans, see `fonts/`): Latin, Greek, Cyrillic and the signs of figures. For
//! other characters, for example Chinese, Japanese and Korean ones, the machine's own fonts are asked;
//! what no font has becomes a box.

mod font;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// The most pixels of a picture: four times the social card, in both directions.
const MOST_SIDE: u32 = 8_192;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum RasterError {
    /// The text is no SVG.
    #[error("the picture's text is no SVG")]
    Svg(#[from] resvg::usvg::Error),
    /// It has no pixels, or too many.
    #[error("a picture of {width} x {height} pixels is not drawn")]
    Size {
        /// Pixels from left to right.
        width: u32,
        /// Pixels from top to bottom.
        height: u32,
    },
    /// It could not be encoded.
    #[error("the picture cannot be written as PNG: {0}")]
    Png(String),
}

/// The picture as PNG, one pixel for each of its units. It loads nothing: links inside the SVG lead
/// nowhere.
///
/// # Errors
///
/// See [`RasterError`]: the text is no SVG, or its size is out of reason.
pub fn png(svg: &str) -> Result<Vec<u8>, RasterError> {
    let mut options = Options {
        fontdb: font::own(),
        font_resolver: font::resolver(),
        font_family: font::FAMILY.to_owned(),
        ..Options::default()
    };
    // Neither files of this machine nor data inside the SVG become part of a picture.
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    options.image_href_resolver.resolve_data = Box::new(|_, _, _| None);
    let tree = Tree::from_str(svg, &options)?;
    let size = tree.size().to_int_size();
    let (width, height) = (size.width(), size.height());
    let too_large = RasterError::Size { width, height };
    if width.max(height) > MOST_SIDE {
        return Err(too_large);
    }
    let mut pixels = Pixmap::new(width, height).ok_or(too_large)?;
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|error| RasterError::Png(error.to_string()))
}
