//! A changed row of a mapping.

use margay_mappings::change::Changed;
use margay_mappings::language::Mapping;
use margay_reports::change::RowChangeRecord;

/// A changed row as text.
pub fn change(mapping: &Mapping, changed: &Changed) -> RowChangeRecord {
    let (row, before) = changed.slot.text(mapping, changed.slot.lowering(mapping));
    RowChangeRecord { row, before, after: changed.slot.text(mapping, &changed.lowering).1 }
}
