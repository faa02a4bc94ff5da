//! A picture while it is drawn: shapes and words from the top down, every word escaped.

use super::theme::{Theme, styles};
use crate::chart::number;

/// A picture: what is drawn so far, and the first free place below it.
pub(super) struct Sheet {
    pub(super) width: f64,
    /// The upper edge of what comes next.
    pub(super) y: f64,
    body: String,
}

/// A rectangle: left, upper edge, width, height.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Sheet {
    pub(super) fn new(width: f64) -> Self {
        Self {
            width,
            y: 0.0,
            body: String::new(),
        }
    }

    /// A rectangle with rounded corners.
    pub(super) fn rect(&mut self, place: Place, radius: f64, class: &str) {
        let [x, y, width, height] = [place.x, place.y, place.width, place.height].map(number);
        self.body.push_str(&format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\" class=\"{class}\"/>\n",
            number(radius)
        ));
    }

    /// Words on a baseline. Classes say their colour, weight and to which side they go.
    pub(super) fn text(&mut self, at: (f64, f64), size: f64, class: &str, words: &str) {
        let (x, y) = (number(at.0), number(at.1));
        self.body.push_str(&format!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" class=\"{class}\">{}</text>\n",
            number(size),
            escaped(words)
        ));
    }

    /// Elements of our own; words in them are escaped by whoever wrote them.
    pub(super) fn raw(&mut self, elements: &str) {
        self.body.push_str(elements);
    }

    /// The file. The words say what the picture shows to those who do not see it.
    pub(super) fn written(&self, title: &str, description: &str, theme: Theme) -> String {
        let (width, height) = (number(self.width), number(self.y));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"title desc\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"desc\">{}</desc>\n<style>{}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" class=\"surface\"/>\n{}</svg>\n",
            escaped(title),
            escaped(description),
            styles(theme),
            self.body
        )
    }
}

/// A text as XML: nothing in it is markup, and what XML does not allow at all becomes a space.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\u{fffe}' | '\u{ffff}' => out.push(' '),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        assert_eq!(
            escaped("a<b>&\"'\u{0}\u{1b}\n\u{ffff}é"),
            "a&lt;b&gt;&amp;&quot;&#39;    é"
        );
    }
}
