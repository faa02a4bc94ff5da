//! The page carries the document itself.

use tokmark_pages::{PageOptions, run_page};
use tokmark_run_format::read_document;

use crate::kit::full_run;

#[test]
fn the_document_can_be_taken_out_of_the_page() {
    let run = full_run("");
    let page = run_page(&run, &PageOptions::self_contained());
    let start = "href=\"data:application/json;base64,";
    let at = page.find(start).unwrap() + start.len();
    let encoded = page[at..].split('"').next().unwrap();
    // Templates write the plus signs of base64 as they are; only markup is escaped.
    let bytes = data_encoding::BASE64.decode(encoded.as_bytes()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(read_document(&text).unwrap(), run);
}
