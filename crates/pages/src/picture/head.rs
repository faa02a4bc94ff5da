//! Title and lines above a picture, and where it comes from below.

use tokmark_run_format::RunDocument;

use super::MARGIN;
use super::sheet::Sheet;
use super::text::Font;
use crate::summary;
use crate::words;

/// Title, engine, extent.
pub(super) fn draw(sheet: &mut Sheet, run: &RunDocument) {
    sheet.y = MARGIN;
    let lines = [
        (summary::title(run), Font::bold(24.0), "ink bold"),
        (summary::engine_line(run), Font::plain(15.0), "ink"),
        (summary::extent_line(run), Font::plain(13.0), "quiet"),
    ];
    for (text, font, class) in lines {
        paragraph(sheet, &text, font, class, 2);
    }
    if !run.complete {
        paragraph(sheet, words::INCOMPLETE, Font::plain(13.0), "quiet", 2);
    }
}

/// Tool, date and trust at the left, the name at the right.
pub(super) fn origin(sheet: &mut Sheet, run: &RunDocument) {
    sheet.y += 14.0;
    let font = Font::plain(12.0);
    let baseline = sheet.y + font.size;
    let right = sheet.width - MARGIN;
    let room = right - MARGIN - Font::bold(font.size).width(words::BRAND) - 24.0;
    let line = font.shortened(&summary::origin_line(run), room);
    sheet.text((MARGIN, baseline), font.size, "quiet", &line);
    sheet.text((right, baseline), font.size, "ink bold end", words::BRAND);
    sheet.y = baseline + MARGIN * 0.75;
}

/// Lines from the left edge to the right one.
pub(super) fn paragraph(sheet: &mut Sheet, text: &str, font: Font, class: &str, most: usize) {
    let width = sheet.width - 2.0 * MARGIN;
    for line in font.lines(text, width, most) {
        sheet.y += font.size * 1.3;
        let at = (MARGIN, sheet.y - font.size * 0.25);
        sheet.text(at, font.size, class, &line);
    }
}
