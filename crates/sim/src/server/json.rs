//! Writing JSON straight into bytes, members in the order of the calls.
//!
//! Chunks are written once a token, and clients of different ages read them by shape, so the order
//! of the members is the server's and nothing is built in between.

use std::io::Write;

/// An object that is being written.
#[derive(Debug)]
pub(super) struct Object<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

/// An array that is being written.
#[derive(Debug)]
pub(super) struct Array<'a> {
    out: &'a mut Vec<u8>,
    empty: bool,
}

/// Appends an object with the members that `write` adds.
pub(super) fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    write(&mut Object { out, empty: true });
    out.push(b'}');
}

fn string(out: &mut Vec<u8>, text: &str) {
    // Writing to memory does not fail.
    let _written = serde_json::to_writer(&mut *out, text);
}

impl Object<'_> {
    fn key(&mut self, name: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// A string.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.key(name);
        string(self.out, text);
    }

    /// A string or null.
    pub(super) fn word(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.null(name),
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self, name: &str, number: impl Into<u64>) {
        self.key(name);
        let _written = write!(self.out, "{}", number.into());
    }

    /// A number; what is not finite becomes null, as JSON has no word for it.
    pub(super) fn float(&mut self, name: &str, number: f64) {
        self.key(name);
        if number.is_finite() {
            let _written = write!(self.out, "{number:?}");
        } else {
            self.out.extend_from_slice(b"null");
        }
    }

    /// True or false.
    pub(super) fn flag(&mut self, name: &str, flag: bool) {
        self.key(name);
        let word: &[u8] = if flag { b"true" } else { b"false" };
        self.out.extend_from_slice(word);
    }

    /// Null.
    pub(super) fn null(&mut self, name: &str) {
        self.key(name);
        self.out.extend_from_slice(b"null");
    }

    /// An array of whole numbers, or null.
    pub(super) fn ids(&mut self, name: &str, ids: Option<&[u32]>) {
        let Some(ids) = ids else {
            return self.null(name);
        };
        self.array(name, |array| {
            for id in ids {
                array.number(*id);
            }
        });
    }

    /// An object.
    pub(super) fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        self.key(name);
        object(self.out, write);
    }

    /// An array.
    pub(super) fn array(&mut self, name: &str, write: impl FnOnce(&mut Array<'_>)) {
        self.key(name);
        self.out.push(b'[');
        write(&mut Array {
            out: self.out,
            empty: true,
        });
        self.out.push(b']');
    }

    /// An array of one object, as `choices` is.
    pub(super) fn only(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        self.array(name, |array| array.object(write));
    }
}

impl Array<'_> {
    fn next(&mut self) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self, number: impl Into<u64>) {
        self.next();
        let _written = write!(self.out, "{}", number.into());
    }

    /// An object.
    pub(super) fn object(&mut self, write: impl FnOnce(&mut Object<'_>)) {
        self.next();
        object(self.out, write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_the_order_of_the_calls() {
        let mut out = Vec::new();
        object(&mut out, |all| {
            all.text("text", "a\"\n\u{e9}");
            all.word("none", None);
            all.number("count", 3u32);
            all.float("share", 1.0);
            all.float("never", f64::NAN);
            all.flag("yes", true);
            all.ids("ids", Some(&[1, 2]));
            all.ids("no_ids", None);
            all.array("empty", |_| {});
            all.only("choices", |choice| choice.object("delta", |_| {}));
        });
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            r#"{"text":"a\"\né","none":null,"count":3,"share":1.0,"never":null,"yes":true,"ids":[1,2],"no_ids":null,"empty":[],"choices":[{"delta":{}}]}"#
        );
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
