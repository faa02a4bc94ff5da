//! One reading of `/metrics`, with the faults that hit it.

use std::sync::atomic::Ordering;

use http::Method;

use super::dialect::Content;
use super::error::ApiError;
use super::shared::Shared;
use crate::faults::MetricsFaults;
use crate::model::RankStats;

/// What goes wrong with the reading of a page; nothing where it is no page of metrics.
pub(super) fn faults(shared: &Shared, path: &str) -> MetricsFaults {
    if !path.ends_with("/metrics") {
        return MetricsFaults::default();
    }
    let number = shared.scrapes.fetch_add(1, Ordering::Relaxed);
    shared.config.faults.for_scrape(number)
}

/// Before the page is written: it may not be there, or know one rank only.
pub(super) fn before(
    faults: MetricsFaults,
    method: &Method,
    path: &str,
    ranks: &mut Vec<RankStats>,
) -> Result<(), ApiError> {
    if faults.absent {
        return Err(ApiError::Route {
            method: method.to_string(),
            path: path.to_owned(),
        });
    }
    if faults.one_rank {
        ranks.truncate(1);
    }
    Ok(())
}

/// After the page is written.
pub(super) fn after(faults: MetricsFaults, mut page: Content) -> Content {
    if faults.renamed {
        page.text = renamed(&page.text);
    }
    page
}

/// Every family under a new name, which no reader can know.
fn renamed(page: &str) -> String {
    const NEW: &str = "renamed_";
    let rename = |line: &str| {
        for head in ["# HELP ", "# TYPE "] {
            if let Some(rest) = line.strip_prefix(head) {
                return format!("{head}{NEW}{rest}\n");
            }
        }
        if line.is_empty() || line.starts_with('#') {
            return format!("{line}\n");
        }
        format!("{NEW}{line}\n")
    };
    page.lines().map(rename).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_is_renamed_and_nothing_else() {
        assert_eq!(
            renamed("# HELP a:b Some a:b.\n# TYPE a:b gauge\na:b{c=\"d\"} 1.0\n# EOF\n"),
            "# HELP renamed_a:b Some a:b.\n# TYPE renamed_a:b gauge\nrenamed_a:b{c=\"d\"} 1.0\n# EOF\n"
        );
    }
}
