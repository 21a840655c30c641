//! From rows as they are written to rows of whole constructs: for each use of a construct the row
//! that says most about it is meant. Rows that speak of all uses of a construct stay as they are.

use std::collections::BTreeSet;

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature};

use super::about::{Knowledge, Left, Stated};
use super::instruction::is_c;
use super::kind::{self, ConstructUse, KindSet, OPERATIONS, RowUses, TYPES};
use super::parse::{MappingLines, Nothing, WrittenRow};
use super::{Lowering, LoweringForm, Mapping, Row, ScopePattern, StepScope, Used};

/// The most lowerings of one construct, in all its uses.
const MAX_LOWERINGS: usize = 32;

/// The types that a mapping has objects of: those that it declares; else integers up to 64 bits,
/// and what its rows name.
pub fn types(mapping: &Mapping, named: KindSet) -> KindSet {
    mapping
        .about
        .types
        .unwrap_or_else(|| named.union(KindSet::named(&["b8", "b16", "b32", "b64"], &TYPES)))
}

/// The operations of read-modify-writes, likewise.
pub fn operations(mapping: &Mapping, named: KindSet) -> KindSet {
    let integers = ["exch", "add", "sub", "and", "or", "xor", "min", "max", "umin", "umax"];
    mapping.about.operations.unwrap_or_else(|| named.union(KindSet::named(&integers, &OPERATIONS)))
}

/// Makes the rows of a mapping.
pub fn assemble(
    mapping: &mut Mapping,
    lines: &MappingLines,
    written: Vec<WrittenRow>,
) -> Result<(), Vec<Diagnostic>> {
    let is_special = |w: &WrittenRow| {
        !w.when.is_any()
            || w.from.is_some()
            || w.nothing.is_some()
            || w.row.alternatives.iter().any(|l| l.bits.is_some())
    };
    let signature = mapping.source.signature;
    let stated: Vec<(Span, Stated)> = written
        .iter()
        .filter(|w| w.nothing.is_none())
        .map(|w| {
            let evidence =
                w.from.as_ref().and_then(|from| mapping.about.evidence.get(from.evidence));
            let assumed = evidence.is_some_and(|evidence| evidence.known == Knowledge::Assumed);
            (w.row.span, Stated { head: w.head(signature), assumed, idle: false })
        })
        .collect();
    let scopes = mapping.scopes();
    // The rows that some operation has, by their places.
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let constructs: Vec<Construct> =
        written.iter().filter(|w| is_special(w)).map(|w| w.row.construct).collect();
    let (special, plain): (Vec<WrittenRow>, Vec<WrittenRow>) =
        written.into_iter().partition(|w| constructs.contains(&w.row.construct));
    let union = |of: &dyn Fn(&RowUses) -> Option<KindSet>| {
        special.iter().filter_map(|w| of(&w.when)).fold(KindSet::default(), KindSet::union)
    };
    let types = types(mapping, union(&|u| u.data));
    let operations = operations(mapping, union(&|u| u.operations));
    let exists = |w: &&WrittenRow| match w.row.scope {
        ScopePattern::Named(scope) => scopes.contains(&scope),
        ScopePattern::Any(_) => true,
    };
    used.extend(plain.iter().filter(exists).map(|w| w.row.span.start));
    let mut rows =
        lines.whole(plain.into_iter().map(|w| w.row).collect(), mapping.source.signature)?;
    let mut errors = Vec::new();
    let mut done: Vec<Construct> = Vec::new();
    for construct in constructs {
        if !done.contains(&construct) {
            done.push(construct);
            let of: Vec<&WrittenRow> =
                special.iter().filter(|w| w.row.construct == construct).collect();
            let group = ConstructRows { mapping, construct, of, types, operations };
            match group.rows(&mut used) {
                Ok((made, left)) => {
                    rows.extend(made);
                    mapping.about.left.extend(left);
                }
                Err(wrong) => errors.extend(wrong),
            }
        }
    }
    let idle =
        |(place, stated): (Span, Stated)| Stated { idle: !used.contains(&place.start), ..stated };
    mapping.about.stated.extend(stated.into_iter().map(idle));
    // In the order of the text.
    rows.sort_by_key(|r| r.span.start);
    mapping.rows = rows;
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The rows of one construct, its compare-exchanges included.
struct ConstructRows<'a> {
    mapping: &'a Mapping,
    construct: Construct,
    of: Vec<&'a WrittenRow>,
    types: KindSet,
    operations: KindSet,
}

/// The orders that the other outcome of a compare-exchange can have.
pub fn partners(form: LoweringForm, signature: Signature) -> Vec<Option<Order>> {
    match form {
        LoweringForm::CompareExchange if is_c(signature) => {
            vec![Some(Order::Rlx), Some(Order::Acq), Some(Order::Sc)]
        }
        LoweringForm::FailedCompareExchange if is_c(signature) => {
            [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc]
                .into_iter()
                .map(Some)
                .collect()
        }
        _ => vec![None],
    }
}

/// Every use of a construct in a form, of these types and operations.
pub fn cells(
    construct: Construct,
    form: LoweringForm,
    signature: Signature,
    types: KindSet,
    operations: KindSet,
) -> Vec<ConstructUse> {
    let has_operation = construct.operation == Operation::Rmw && form == LoweringForm::Usual;
    let operations: Vec<Option<usize>> =
        if has_operation { operations.iter().map(Some).collect() } else { vec![None] };
    let types: Vec<Option<usize>> = if construct.operation == Operation::Fence {
        vec![None]
    } else {
        types.iter().map(Some).collect()
    };
    let mut out = Vec::new();
    for partner in partners(form, signature) {
        for &operation in &operations {
            for &data in &types {
                if let (Some(o), Some(d)) = (operation, data)
                    && !kind::exists(o, d)
                {
                    continue;
                }
                out.push(ConstructUse { partner, operation, data });
            }
        }
    }
    out
}

impl ConstructRows<'_> {
    /// One row for the construct, or one for each scope if a row names scopes.
    fn rows(&self, used: &mut BTreeSet<usize>) -> Result<(Vec<Row>, Vec<Left>), Vec<Diagnostic>> {
        let named = self.of.iter().any(|w| matches!(w.row.scope, ScopePattern::Named(_)));
        let scopes: Vec<Option<Scope>> = match named {
            true => self.mapping.scopes().into_iter().map(Some).collect(),
            false => vec![None],
        };
        let span = self.of.iter().map(|w| w.row.span).min().unwrap_or_default();
        let (mut rows, mut left, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        for scope in scopes {
            let pattern = match scope {
                Some(scope) => ScopePattern::Named(scope),
                None => self.of[0].row.scope.clone(),
            };
            match self.row(scope, pattern, span, used) {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => {}
                Err(wrong) => errors.extend(wrong),
            }
        }
        let signature = self.mapping.source.signature;
        for w in &self.of {
            if let Some(nothing) = &w.nothing {
                let (why, exists) = match nothing {
                    Nothing::Absent(why) => (why.clone(), false),
                    Nothing::Other(why) => (why.clone(), true),
                };
                left.push(Left { head: w.head(signature), when: w.when, why, exists });
            }
        }
        if errors.is_empty() { Ok((rows, left)) } else { Err(errors) }
    }

    /// The row at one scope (`None`: at every scope alike). The places of the rows that it is made
    /// of are added to `used`.
    fn row(
        &self,
        scope: Option<Scope>,
        pattern: ScopePattern,
        span: Span,
        used: &mut BTreeSet<usize>,
    ) -> Result<Option<Row>, Vec<Diagnostic>> {
        let signature = self.mapping.source.signature;
        let here = |w: &&&WrittenRow| match w.row.scope {
            ScopePattern::Any(_) => true,
            ScopePattern::Named(named) => scope == Some(named),
        };
        let mut alternatives: Vec<Lowering> = Vec::new();
        let mut errors = Vec::new();
        let mut spoken = false;
        for form in [
            LoweringForm::Usual,
            LoweringForm::CompareExchange,
            LoweringForm::FailedCompareExchange,
        ] {
            let of: Vec<&WrittenRow> =
                self.of.iter().filter(|w| w.form == form).filter(here).copied().collect();
            if of.is_empty() && form != LoweringForm::Usual {
                continue;
            }
            spoken |= !of.is_empty();
            let mut missing = Vec::new();
            // For each row the uses that are its own.
            let mut own: Vec<Vec<ConstructUse>> = vec![Vec::new(); of.len()];
            for cell in cells(self.construct, form, signature, self.types, self.operations) {
                let covering: Vec<usize> =
                    (0..of.len()).filter(|&i| of[i].when.covers(cell)).collect();
                let rank = covering.iter().map(|&i| of[i].when.rank()).max();
                let best: Vec<usize> =
                    covering.into_iter().filter(|&i| Some(of[i].when.rank()) == rank).collect();
                match best[..] {
                    [] => missing.push(cell),
                    [one] => own[one].push(cell),
                    [first, second, ..] => {
                        errors.push(self.doubled(of[first], of[second], cell));
                        return Err(errors);
                    }
                }
            }
            // A construct without a row of its own is missed with all others of its kind.
            if !missing.is_empty() && !of.is_empty() {
                errors.push(self.missing(&of, form, &missing));
            }
            for (w, own) in of.iter().zip(own) {
                if !own.is_empty() {
                    used.insert(w.row.span.start);
                }
                for lowering in w.row.alternatives.iter().map(|l| at_scope(l, scope)) {
                    let uses = exact(&own);
                    let uses = uses.into_iter().map(|when| Used { when, from: w.from.clone() });
                    let same = alternatives.iter_mut().find(|a| {
                        a.form == form
                            && a.steps == lowering.steps
                            && a.dependencies == lowering.dependencies
                            && a.bits == lowering.bits
                    });
                    match same {
                        Some(same) => same.uses.extend(uses),
                        None => alternatives.push(Lowering { uses: uses.collect(), ..lowering }),
                    }
                }
            }
        }
        alternatives.retain(|l| !l.uses.is_empty());
        if alternatives.len() > MAX_LOWERINGS {
            let message = format!(
                "{} lowerings of `{}`; at most {MAX_LOWERINGS} are supported",
                alternatives.len(),
                self.construct.name(signature)
            );
            errors.push(
                Diagnostic::error(message)
                    .at(&self.mapping.file, span, "the first of its rows")
                    .help("declare fewer types or operations, or split the mapping into several files"),
            );
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(spoken.then_some(Row {
            construct: self.construct,
            scope: pattern,
            alternatives,
            span,
            failures_apart: false,
        }))
    }

    fn doubled(&self, first: &WrittenRow, second: &WrittenRow, cell: ConstructUse) -> Diagnostic {
        let name = first.row.head_for(self.mapping.source.signature, first.form, one(cell));
        Diagnostic::error(format!("two rows for `{name}`"))
            .at(&self.mapping.file, second.row.span, "the second row")
            .at(&self.mapping.file, first.row.span, "the first row")
            .help("of two rows the one that says more is meant; these say as much as each other, so drop one, or write a third for what both speak of")
    }

    fn missing(
        &self,
        of: &[&WrittenRow],
        form: LoweringForm,
        missing: &[ConstructUse],
    ) -> Diagnostic {
        let signature = self.mapping.source.signature;
        let rows = exact(missing);
        let names: Vec<String> =
            rows.iter().take(4).map(|&when| of[0].row.head_for(signature, form, when)).collect();
        let more =
            if rows.len() > 4 { format!(" and {} more", rows.len() - 4) } else { String::new() };
        Diagnostic::error(format!("no row for {}{more}", names.join(", ")))
            .at(&self.mapping.file, of[0].row.span, "this construct has rows for some of its uses")
            .help("add a row without types, operations and second order for all that is left, or `=> absent` for what does not exist")
    }
}

/// A lowering in the row of one scope: that scope in the place of the variable.
fn at_scope(lowering: &Lowering, scope: Option<Scope>) -> Lowering {
    let mut lowering = lowering.clone();
    if let Some(scope) = scope {
        for step in lowering.steps.iter_mut().filter(|s| s.scope == StepScope::Same) {
            step.scope = StepScope::Named(scope);
        }
    }
    lowering
}

/// A use as a row that speaks of it alone.
fn one(cell: ConstructUse) -> RowUses {
    RowUses {
        partner: cell.partner,
        operations: cell.operation.map(|i| KindSet::of([i])),
        data: cell.data.map(|i| KindSet::of([i])),
    }
}

/// Uses as few rows that speak of nothing else.
pub fn exact(cells: &[ConstructUse]) -> Vec<RowUses> {
    let mut by_operation: Vec<(Option<Order>, Option<usize>, Option<KindSet>)> = Vec::new();
    for cell in cells {
        let data = cell.data.map(|i| KindSet::of([i]));
        match by_operation.iter_mut().find(|(p, o, _)| (*p, *o) == (cell.partner, cell.operation)) {
            Some((_, _, set)) => *set = set.map(|s| s.union(data.unwrap_or_default())),
            None => by_operation.push((cell.partner, cell.operation, data)),
        }
    }
    let mut out: Vec<RowUses> = Vec::new();
    for (partner, operation, data) in by_operation {
        let set = operation.map(|i| KindSet::of([i]));
        match out.iter_mut().find(|u| {
            (u.partner, u.data) == (partner, data) && u.operations.is_some() && set.is_some()
        }) {
            Some(same) => {
                same.operations = same.operations.map(|s| s.union(set.unwrap_or_default()))
            }
            None => out.push(RowUses { partner, operations: set, data }),
        }
    }
    out
}
