//! Which model is served.

use tokmark_catalog::matching::Match;
use tokmark_catalog::{Catalog, KvCache, Model as CatalogModel};
use tokmark_run_format::FigureSource;
use tokmark_run_format::roofline::RooflineModel;

use super::inputs::{FileModel, Subject};
use super::{engine, shape};

/// Rows that a reason names at most.
const NAMED: usize = 3;

/// The model and its blocks, or why it is not known.
pub(super) fn choose(
    subject: &Subject<'_>,
    catalog: &Catalog,
) -> Result<(RooflineModel, u32), String> {
    let (cache, kv_type_source) = engine::kv_cache(subject.engine, subject.launch)?;
    let (recorded, blocks) = match subject.files {
        Some(Ok(files)) => (of_files(files, cache), files.spec.blocks),
        Some(Err(unread)) => of_row(subject, cache, catalog)
            .map_err(|reason| format!("its files cannot be read ({unread}), and {reason}"))?,
        None => of_row(subject, cache, catalog)?,
    };
    let model = RooflineModel {
        kv_type_source,
        ..recorded
    };
    Ok((model, blocks))
}

fn of_files(files: &FileModel, cache: KvCache) -> RooflineModel {
    RooflineModel {
        source: FigureSource::Files,
        name: files.kind.clone(),
        weight_format: files.spec.quantization.clone(),
        weight_format_source: FigureSource::Files,
        ..shape::recorded(&files.spec, cache)
    }
}

fn of_row(
    subject: &Subject<'_>,
    cache: KvCache,
    catalog: &Catalog,
) -> Result<(RooflineModel, u32), String> {
    let row = row(subject, catalog)?;
    let (format, source) = engine::weight_format(subject.engine, subject.model, catalog)?;
    let spec = row.spec(format).ok_or_else(|| match &row.not_modelled {
        Some(why) => format!("no speed can be calculated for `{}`: {why}", row.id),
        None => format!("the parameters of `{}` are not known", row.id),
    })?;
    let bits = tokmark_units::format::decimal(format.bits_per_weight(), 2);
    let recorded = RooflineModel {
        source: FigureSource::Catalogue,
        name: row.id.clone(),
        weight_format: Some(format!("{bits} bits a weight")),
        weight_format_source: source,
        ..shape::recorded(&spec, cache)
    };
    Ok((recorded, row.blocks))
}

/// The catalogue's row that one of the model's names means.
fn row<'a>(subject: &Subject<'_>, catalog: &'a Catalog) -> Result<&'a CatalogModel, String> {
    let names: Vec<&str> = engine::names(subject.model).collect();
    let found: Vec<(&str, Match<'a, CatalogModel>)> = names
        .iter()
        .map(|name| (*name, catalog.find_model(name)))
        .collect();
    if let Some(row) = found.iter().find_map(|(_, found)| found.found()) {
        return Ok(row);
    }
    let hint = "--repository OWNER/NAME or --model-files tells which model it is";
    let akin = found.iter().find_map(|(name, found)| {
        let rows: Vec<&str> = found
            .candidates()
            .iter()
            .map(|row| row.id.as_str())
            .collect();
        (!rows.is_empty()).then_some((name, rows))
    });
    Err(match (akin, names.first()) {
        (Some((name, rows)), _) => {
            let some: Vec<&str> = rows.into_iter().take(NAMED).collect();
            format!(
                "`{name}` is not in the catalogue; akin are {}; {hint}",
                some.join(", ")
            )
        }
        (None, Some(name)) => format!("`{name}` is not in the catalogue; {hint}"),
        (None, None) => format!("the model has no name; {hint}"),
    })
}
