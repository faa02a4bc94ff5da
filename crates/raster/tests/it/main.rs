//! Pictures, looked at by their pixels.
#![expect(clippy::unwrap_used, reason = "tests may fail loudly")]

use tokmark_raster::{RasterError, png};

/// Width, height and the pixels as red, green, blue, alpha.
fn pixels(png: &[u8]) -> (u32, u32, Vec<[u8; 4]>) {
    let decoder = png::Decoder::new(std::io::Cursor::new(png));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(frame.color_type, png::ColorType::Rgba);
    let pixels = bytes.chunks_exact(4).map(|pixel| pixel.try_into().unwrap());
    (frame.width, frame.height, pixels.collect())
}

fn svg(body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"200\" height=\"40\">\
         <style>.a{{fill:#ff0000}}</style><rect width=\"200\" height=\"40\" fill=\"#ffffff\"/>{body}</svg>"
    )
}

fn dark(picture: &str) -> usize {
    let (_, _, pixels) = pixels(&png(picture).unwrap());
    let dark = pixels.iter().filter(|[r, g, b, _]| r.max(g).max(b) < &64);
    dark.count()
}

fn words(words: &str) -> String {
    svg(&format!(
        "<text x=\"10\" y=\"28\" font-size=\"24\" font-family=\"No Such Font,sans-serif\">{words}</text>"
    ))
}

#[test]
fn shapes_and_styles_become_pixels() {
    let picture = svg("<rect class=\"a\" x=\"100\" width=\"100\" height=\"40\"/>");
    let (width, height, pixels) = pixels(&png(&picture).unwrap());
    assert_eq!((width, height), (200, 40));
    let red = pixels.iter().filter(|pixel| **pixel == [255, 0, 0, 255]);
    assert_eq!(red.count(), 100 * 40);
}

#[test]
fn words_are_drawn_without_a_font_of_the_machine() {
    assert_eq!(dark(&words("")), 0);
    let (one, two) = (dark(&words("tok/s")), dark(&words("tok/s tok/s")));
    assert!(one > 50, "{one}");
    assert!(two > one * 3 / 2, "{one} {two}");
    for letters in ["äöüß ñ", "Δμ", "Ж", "±1.2 – …"] {
        assert!(dark(&words(letters)) > 10, "{letters}");
    }
}

#[test]
fn the_same_picture_is_the_same_bytes() {
    let picture = words("126.6 tok/s");
    assert_eq!(png(&picture).unwrap(), png(&picture).unwrap());
}

#[test]
fn what_no_font_has_is_a_box_and_not_a_hole() {
    // A place of the alphabet that will never have a letter.
    assert!(dark(&words("\u{f8fe}")) > 20);
}

#[test]
fn nothing_is_loaded() {
    let href = "/etc/hostname";
    let picture = svg(&format!(
        "<image href=\"{href}\" width=\"200\" height=\"40\"/>\
         <image href=\"data:image/svg+xml;base64,PHN2Zy8+\" width=\"200\" height=\"40\"/>"
    ));
    assert_eq!(png(&picture).unwrap(), png(&svg("")).unwrap());
}

#[test]
fn what_is_no_picture_is_refused() {
    assert!(matches!(png("no svg"), Err(RasterError::Svg(_))));
    let large = svg("").replace(
        "width=\"200\" height=\"40\">",
        "width=\"9000\" height=\"40\">",
    );
    match png(&large) {
        Err(RasterError::Size { width, height }) => assert_eq!((width, height), (9_000, 40)),
        other => panic!("{other:?}"),
    }
}
