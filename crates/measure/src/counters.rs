//! The server's own gauges and counters: what they gained, and their averages over a window.

use tokmark_run_format::evidence::{Scrape, Window};
use tokmark_units::float;

/// Longest time between the two readings around an edge of a window for interpolating between them.
/// Readings are a second apart; a longer hole says little about the edge.
const CLOSE_NS: u64 = 2_500_000_000;

/// A moment in nanoseconds and what was read then.
type Point = (u64, f64);

/// Why a counter gives no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CounterFault {
    /// Nothing to subtract.
    #[error("there are no two readings of the counter around the span")]
    TooFew,
    /// It went backwards: the server restarted, or several of them answer at one address (case
    /// B080). No later reading can be compared with an earlier one.
    #[error("the counter went backwards")]
    Backwards,
}

/// What a counter gained from the first reading to the last.
pub fn increase(readings: &[f64]) -> Result<f64, CounterFault> {
    let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
        return Err(CounterFault::TooFew);
    };
    let falls = |(before, after): (&f64, &f64)| after < before;
    if readings.len() < 2 {
        Err(CounterFault::TooFew)
    } else if readings.iter().zip(readings.iter().skip(1)).any(falls) {
        Err(CounterFault::Backwards)
    } else {
        Ok(last - first)
    }
}

/// What one counter gained per unit that another one gained, such as tokens per second of decode;
/// `None` where the other one stood still.
pub fn ratio(of: &[f64], per: &[f64]) -> Result<Option<f64>, CounterFault> {
    let (of, per) = (increase(of)?, increase(per)?);
    Ok((per > 0.0).then(|| of / per))
}

/// Readings in order of time.
#[derive(Debug, Clone)]
pub(crate) struct Readings<'a> {
    all: Vec<&'a Scrape>,
}

impl<'a> Readings<'a> {
    pub(crate) fn of(scrapes: &'a [Scrape]) -> Self {
        let mut all: Vec<&Scrape> = scrapes.iter().collect();
        all.sort_by_key(|scrape| moment(scrape));
        Self { all }
    }

    /// From the last reading before the launch to the first one after the window. Where readings
    /// begin later or end earlier, what there is counts.
    pub(crate) fn launch_and_window(&self, launch_ns: u64, window: Option<Window>) -> Self {
        let before = self
            .all
            .partition_point(|scrape| scrape.start_ns <= launch_ns);
        let end_ns = window.map_or(u64::MAX, |window| window.end_ns);
        let until = self.all.partition_point(|scrape| moment(scrape) < end_ns);
        self.range(before.saturating_sub(1), until)
    }

    /// From the last reading asked for before the launch to the first one after `ready_ns`; `None`
    /// when one of them is missing.
    pub(crate) fn launch(&self, launch_ns: u64, ready_ns: u64) -> Option<Self> {
        let before = self
            .all
            .partition_point(|scrape| scrape.start_ns <= launch_ns);
        let until = self.all.partition_point(|scrape| moment(scrape) < ready_ns);
        let from = before.checked_sub(1)?;
        (until < self.all.len()).then(|| self.range(from, until))
    }

    fn range(&self, from: usize, last: usize) -> Self {
        let all = self
            .all
            .iter()
            .skip(from)
            .take((last + 1).saturating_sub(from));
        Self {
            all: all.copied().collect(),
        }
    }

    /// What a counter gained over these readings.
    pub(crate) fn increase(
        &self,
        read: impl Fn(&Scrape) -> Option<f64>,
    ) -> Result<f64, CounterFault> {
        let values: Vec<f64> = self.all.iter().filter_map(|scrape| read(scrape)).collect();
        increase(&values)
    }

    fn points(&self, read: impl Fn(&Scrape) -> Option<f64>) -> Vec<Point> {
        let point = |scrape: &&Scrape| Some((moment(scrape), read(scrape)?));
        self.all.iter().filter_map(point).collect()
    }

    /// What a counter gained in a window, interpolated between the readings around each edge.
    pub(crate) fn increase_in(
        &self,
        window: Window,
        read: impl Fn(&Scrape) -> Option<f64>,
    ) -> Result<f64, CounterFault> {
        let points = self.points(read);
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        increase(&values)?;
        let at = |edge| value_at(&points, edge).ok_or(CounterFault::TooFew);
        Ok(at(window.end_ns)? - at(window.start_ns)?)
    }

    /// Time average of a gauge over a window: linear between readings, level before the first and
    /// after the last one. `None` without a reading inside, or on both sides.
    pub(crate) fn average_in(
        &self,
        window: Window,
        read: impl Fn(&Scrape) -> Option<f64>,
    ) -> Option<f64> {
        let points = self.points(read);
        let after_start = points.partition_point(|point| point.0 < window.start_ns);
        let after_end = points.partition_point(|point| point.0 < window.end_ns);
        let both_sides = after_start > 0 && after_end < points.len();
        if after_start == after_end && !both_sides {
            return None;
        }
        let inside = points
            .iter()
            .skip(after_start)
            .take(after_end - after_start);
        let start = (window.start_ns, level_at(&points, window.start_ns)?);
        let end = (window.end_ns, level_at(&points, window.end_ns)?);
        let mut area = 0.0;
        let mut before = start;
        for point in inside.copied().chain(std::iter::once(end)) {
            area += f64::midpoint(before.1, point.1) * float::from_u64(point.0 - before.0);
            before = point;
        }
        Some(area / float::from_u64(window.len_ns()))
    }
}

/// When the server read its gauges: the middle of asking and answering.
fn moment(scrape: &Scrape) -> u64 {
    scrape.start_ns.midpoint(scrape.end_ns.max(scrape.start_ns))
}

/// Linear between the neighbours of a moment, when they are close to each other.
fn value_at(points: &[Point], at_ns: u64) -> Option<f64> {
    let (before, after) = neighbours(points, at_ns);
    let (before, after) = (before?, after?);
    (after.0 - before.0 <= CLOSE_NS).then(|| between(before, after, at_ns))
}

/// As [`value_at`], however far the neighbours are, and level outside.
fn level_at(points: &[Point], at_ns: u64) -> Option<f64> {
    match neighbours(points, at_ns) {
        (Some(before), Some(after)) => Some(between(before, after, at_ns)),
        (only, None) | (None, only) => only.map(|point| point.1),
    }
}

fn neighbours(points: &[Point], at_ns: u64) -> (Option<Point>, Option<Point>) {
    let after = points.partition_point(|point| point.0 < at_ns);
    let before = after.checked_sub(1).and_then(|index| points.get(index));
    let exact = points.get(after).filter(|point| point.0 == at_ns);
    (exact.or(before).copied(), points.get(after).copied())
}

fn between(before: Point, after: Point, at_ns: u64) -> f64 {
    let span = after.0 - before.0;
    if span == 0 {
        return before.1;
    }
    let share = float::from_u64(at_ns - before.0) / float::from_u64(span);
    before.1 + (after.1 - before.1) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn scrapes(every: &[(u64, f64)]) -> Vec<Scrape> {
        let scrape = |(at_s, value): &(u64, f64)| Scrape {
            start_ns: at_s * S - 5,
            end_ns: at_s * S + 5,
            running: Some(*value),
            output_tokens: Some(*value),
            ..Scrape::default()
        };
        every.iter().map(scrape).collect()
    }

    const WINDOW: Window = Window {
        start_ns: 10 * S,
        end_ns: 20 * S,
    };

    #[test]
    fn gauges_are_averaged_by_time() {
        let check = |readings: &[(u64, f64)], expect: Option<f64>| {
            let scrapes = scrapes(readings);
            let found = Readings::of(&scrapes).average_in(WINDOW, |scrape| scrape.running);
            assert_eq!(found, expect, "{readings:?}");
        };
        check(&[(8, 4.0), (22, 4.0)], Some(4.0));
        check(&[(10, 0.0), (20, 8.0)], Some(4.0));
        check(&[(9, 0.0), (11, 2.0), (19, 2.0), (21, 0.0)], Some(1.9));
        check(&[(15, 3.0)], Some(3.0));
        check(&[(5, 3.0), (9, 3.0)], None);
        check(&[(21, 3.0)], None);
        check(&[], None);
    }

    #[test]
    fn counters_are_interpolated_at_the_edges() {
        let check = |readings: &[(u64, f64)], expect: Result<f64, CounterFault>| {
            let scrapes = scrapes(readings);
            let found = Readings::of(&scrapes).increase_in(WINDOW, |scrape| scrape.output_tokens);
            assert_eq!(found, expect, "{readings:?}");
        };
        check(
            &[(9, 100.0), (11, 300.0), (19, 1_000.0), (21, 1_200.0)],
            Ok(900.0),
        );
        check(&[(10, 100.0), (20, 1_200.0)], Ok(1_100.0));
        check(
            &[(5, 100.0), (11, 300.0), (19, 900.0), (21, 1_000.0)],
            Err(CounterFault::TooFew),
        );
        check(
            &[(9, 100.0), (11, 300.0), (19, 900.0)],
            Err(CounterFault::TooFew),
        );
        check(
            &[
                (9, 100.0),
                (11, 300.0),
                (15, 20.0),
                (19, 900.0),
                (21, 1_000.0),
            ],
            Err(CounterFault::Backwards),
        );
    }
}
