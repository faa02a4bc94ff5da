//! Text for terminals: no boxes, words instead of symbols, the 16 colours of the user's theme.

/// Space between two columns.
pub const GAP: usize = 2;

/// Words, and how they look in colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The words.
    pub words: String,
    /// How they look.
    pub look: Look,
}

/// How words look in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// As the terminal writes.
    Plain,
    /// Bold.
    Strong,
    /// Dim.
    Quiet,
    /// To be read with care.
    Warning,
    /// Something is wrong.
    Fault,
}

/// To which edge of its column a text goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left one: words.
    Left,
    /// The right one: figures.
    Right,
}

impl Text {
    /// Words in a look.
    pub fn new(words: impl Into<String>, look: Look) -> Self {
        Self {
            words: words.into(),
            look,
        }
    }
}

impl Look {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Strong => Some("1"),
            Self::Quiet => Some("2"),
            Self::Warning => Some("33"),
            Self::Fault => Some("31"),
        }
    }
}

/// Writes words in their look, or without any.
#[derive(Debug, Clone, Copy)]
pub struct Painter {
    colour: bool,
}

impl Painter {
    /// With colour, or without.
    pub fn new(colour: bool) -> Self {
        Self { colour }
    }

    /// The words with the terminal's codes around them.
    pub fn paint(&self, text: &str, look: Look) -> String {
        let text = printable(text);
        match look.code().filter(|_| self.colour && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text,
        }
    }

    /// The text at an edge of a column.
    fn aligned(self, text: &Text, width: usize, side: Side) -> String {
        let space = " ".repeat(width.saturating_sub(columns(&text.words)));
        let painted = self.paint(&text.words, text.look);
        match side {
            Side::Left => painted + &space,
            Side::Right => space + &painted,
        }
    }
}

/// A text without control characters, which a terminal would obey.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Columns of our own words: figures, labels, Latin letters.
pub fn columns(text: &str) -> usize {
    text.chars().count()
}

/// One column of a matrix: its heading and the lines of each of its cells, at its right edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    heading: Text,
    cells: Vec<Vec<Text>>,
    width: usize,
}

impl Column {
    /// A column as wide as its widest line.
    pub fn new(heading: Text, cells: Vec<Vec<Text>>) -> Self {
        let lines = cells.iter().flatten().chain([&heading]);
        let width = lines.map(|text| columns(&text.words)).max().unwrap_or(0);
        Self {
            heading,
            cells,
            width,
        }
    }
}

/// A matrix with a label before each row and `heading` above the labels; where the terminal is too
/// narrow, its columns follow in groups one below another.
pub fn matrix(
    heading: &str,
    labels: &[String],
    all: &[Column],
    width: usize,
    painter: Painter,
) -> Vec<String> {
    let first = labels
        .iter()
        .map(|label| columns(label))
        .chain([columns(heading)])
        .max()
        .unwrap_or(0);
    let mut out = Vec::new();
    let mut rest = all;
    while !rest.is_empty() {
        let mut used = first;
        let fitting = rest.iter().take_while(|column| {
            used += GAP + column.width;
            used <= width
        });
        let (group, later) = rest.split_at(fitting.count().max(1));
        if !out.is_empty() {
            out.push(String::new());
        }
        out.extend(group_lines(heading, group, labels, first, painter));
        rest = later;
    }
    out
}

fn group_lines(
    heading: &str,
    group: &[Column],
    labels: &[String],
    first: usize,
    painter: Painter,
) -> Vec<String> {
    let gap = " ".repeat(GAP);
    let line = |label: &Text, cells: Vec<Option<&Text>>| {
        let blank = Text::new("", Look::Plain);
        let mut parts = vec![painter.aligned(label, first, Side::Right)];
        for (cell, column) in cells.into_iter().zip(group) {
            parts.push(painter.aligned(cell.unwrap_or(&blank), column.width, Side::Right));
        }
        parts.join(&gap).trim_end().to_owned()
    };
    let headings = group.iter().map(|column| Some(&column.heading)).collect();
    let mut out = vec![line(&Text::new(heading, Look::Quiet), headings)];
    for (row, label) in labels.iter().enumerate() {
        let lines_of = |column: &Column| column.cells.get(row).map_or(0, Vec::len);
        let height = group.iter().map(lines_of).max().unwrap_or(1).max(1);
        for at in 0..height {
            let label = if at == 0 { label.as_str() } else { "" };
            let cells = group.iter().map(|column| column.cells.get(row)?.get(at));
            out.push(line(&Text::new(label, Look::Plain), cells.collect()));
        }
    }
    out
}

/// Rows of cells, each column as wide as its widest cell; a column beyond `sides` goes to the left.
pub fn rows(rows: &[Vec<Text>], sides: &[Side], painter: Painter) -> Vec<String> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| {
        let cells = rows.iter().filter_map(|cells| cells.get(at));
        cells.map(|cell| columns(&cell.words)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let line = |cells: &Vec<Text>| {
        let sides = sides.iter().copied().chain(std::iter::repeat(Side::Left));
        let cells = cells.iter().zip(&widths).zip(sides);
        let parts: Vec<String> = cells
            .map(|((cell, width), side)| painter.aligned(cell, *width, side))
            .collect();
        parts.join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// A text in lines of at most `width` columns where its words allow; later lines are indented.
pub fn wrapped(text: &str, width: usize, indent: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
        }
        if !line.trim().is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}
