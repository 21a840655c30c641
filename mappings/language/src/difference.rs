//! Two tables, use by use: which rows differ, in the words of tables. A change that is the same at
//! every scope is said once.

use std::collections::{BTreeMap, BTreeSet};

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, constructs};

use super::assemble::{self, cells, exact};
use super::kind::{ConstructUse, EXCHANGE, KindSet, OPERATIONS, RowUses, TYPES};
use super::parse::{MappingLines, Nothing, WrittenRow};
use super::resolve::written_rows;
use super::{Lowering, LoweringForm, Mapping, Row, ScopePattern, StepScope};

/// A row that two tables have differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedRow {
    /// The left-hand side; several, where one row cannot say which uses differ.
    pub head: String,
    /// What the older table says: instructions, `absent`, `other "..."`, or `no row`.
    pub old: String,
    /// What the newer one says.
    pub new: String,
}

/// What two tables say about themselves, and differently: the architecture, the scopes, types and
/// operations that there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionDifference {
    /// The word that begins the line.
    pub what: &'static str,
    /// What the older table says; nothing where it has no such line.
    pub old: Option<String>,
    /// What the newer one says.
    pub new: Option<String>,
}

/// What differs between two tables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableDifference {
    /// The rows that differ, in the order of the language's constructs.
    pub rows: Vec<ChangedRow>,
    /// How many rows are the same.
    pub same: usize,
    /// What they say differently about themselves.
    pub descriptions: Vec<DescriptionDifference>,
}

/// Can two tables be compared?
///
/// # Errors
/// They are of different languages, or for different machines.
pub fn of_one_kind(old: &Mapping, new: &Mapping) -> Result<(), Vec<Diagnostic>> {
    let sides = [("source", &old.source, &new.source), ("target", &old.target, &new.target)];
    let errors: Vec<Diagnostic> = sides
        .into_iter()
        .filter(|(_, a, b)| a.signature != b.signature)
        .map(|(side, a, b)| {
            Diagnostic::error(format!(
                "the tables have different {side}s: {} (`{}`) and {} (`{}`)",
                a.signature, a.name, b.signature, b.name
            ))
            .at(&new.file, Span::default(), "this table")
            .at(&old.file, Span::default(), "the other one")
            .help("compare tables whose rows have the same constructs on the left, and the same instructions on the right")
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Compares two tables from the same language to the same machine.
///
/// # Errors
/// They are of different languages, or for different machines.
pub fn difference(old: &Mapping, new: &Mapping) -> Result<TableDifference, Vec<Diagnostic>> {
    of_one_kind(old, new)?;
    let tables = [SaidTable::new(old)?, SaidTable::new(new)?];
    let scopes: BTreeSet<Scope> = tables.iter().flat_map(|t| t.scopes.iter().copied()).collect();
    let comparison = TablesBeside {
        scopes: scopes.into_iter().collect(),
        types: tables[0].types.union(tables[1].types),
        operations: tables[0].operations.union(tables[1].operations),
        new,
        tables,
    };
    let mut out =
        TableDifference { descriptions: descriptions(old, new), ..TableDifference::default() };
    for construct in constructs(new.source.signature) {
        for form in [
            LoweringForm::Usual,
            LoweringForm::CompareExchange,
            LoweringForm::FailedCompareExchange,
        ] {
            comparison.compare(construct, form, &mut out);
        }
    }
    Ok(out)
}

fn descriptions(old: &Mapping, new: &Mapping) -> Vec<DescriptionDifference> {
    let said = |m: &Mapping| -> [Option<String>; 4] {
        let scopes =
            |scopes: &Vec<Scope>| scopes.iter().map(|s| s.name()).collect::<Vec<_>>().join(" ");
        [
            m.about.architecture.clone(),
            m.about.scopes.as_ref().map(scopes),
            m.about.types.map(|set| set.words(&TYPES)),
            m.about.operations.map(|set| set.words(&OPERATIONS)),
        ]
    };
    let pairs = ["architecture", "scopes", "types", "operations"]
        .into_iter()
        .zip(said(old).into_iter().zip(said(new)));
    pairs
        .filter(|(_, (old, new))| old != new)
        .map(|(what, (old, new))| DescriptionDifference { what, old, new })
        .collect()
}

/// A table as it is written, to be asked use by use.
struct SaidTable<'a> {
    mapping: &'a Mapping,
    rows: Vec<WrittenRow>,
    scopes: Vec<Scope>,
    types: KindSet,
    operations: KindSet,
}

/// What a table says of a use at a scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SaidLowering {
    /// With the scope by its name.
    named: String,
    /// With `s` in the place of the scope.
    variable: String,
}

impl SaidLowering {
    fn alike(text: &str) -> Self {
        Self { named: text.to_owned(), variable: text.to_owned() }
    }
}

impl<'a> SaidTable<'a> {
    fn new(mapping: &'a Mapping) -> Result<Self, Vec<Diagnostic>> {
        let lines = MappingLines::new(&mapping.file).map_err(|error| vec![error])?;
        let rows = written_rows(&lines, (&mapping.source, &mapping.target), &mapping.about)?;
        let named = |of: &dyn Fn(&RowUses) -> Option<KindSet>| {
            rows.iter().filter_map(|w| of(&w.when)).fold(KindSet::default(), KindSet::union)
        };
        let types = assemble::types(mapping, named(&|u| u.data));
        let operations = assemble::operations(mapping, named(&|u| u.operations));
        Ok(Self { mapping, scopes: mapping.scopes(), types, operations, rows })
    }

    fn has_form(&self, construct: Construct, form: LoweringForm) -> bool {
        self.rows.iter().any(|w| w.row.construct == construct && w.form == form)
    }

    /// What it says; `None` if it has no row.
    fn said(
        &self,
        construct: Construct,
        form: LoweringForm,
        scope: Option<Scope>,
        cell: ConstructUse,
    ) -> Option<SaidLowering> {
        let outside = |set: KindSet, index: Option<usize>| index.is_some_and(|i| !set.has(i));
        let no_scope = scope.is_some_and(|s| !self.scopes.contains(&s));
        if no_scope || outside(self.types, cell.data) || outside(self.operations, cell.operation) {
            return None;
        }
        let is_here = |w: &&WrittenRow| match w.row.scope {
            ScopePattern::Any(_) => true,
            ScopePattern::Named(named) => scope == Some(named),
        };
        let of_form = || {
            self.rows
                .iter()
                .filter(|w| w.row.construct == construct && w.form == form)
                .filter(is_here)
        };
        if form == LoweringForm::CompareExchange && of_form().next().is_none() {
            // A row of a read-modify-write is for every kind of it.
            return self.said(
                construct,
                LoweringForm::Usual,
                scope,
                ConstructUse { partner: None, operation: Some(EXCHANGE), ..cell },
            );
        }
        let row = of_form().filter(|w| w.when.covers(cell)).max_by_key(|w| w.when.rank())?;
        Some(match &row.nothing {
            Some(Nothing::Absent(why)) if why.is_empty() => SaidLowering::alike("absent"),
            Some(Nothing::Absent(why)) => SaidLowering::alike(&format!("absent \"{why}\"")),
            Some(Nothing::Other(what)) => SaidLowering::alike(&format!("other \"{what}\"")),
            None => {
                let text = |pick: &dyn Fn(&StepScope) -> StepScope| {
                    let one = |lowering: &Lowering| {
                        let mut lowering = lowering.clone();
                        lowering.steps.iter_mut().for_each(|step| step.scope = pick(&step.scope));
                        lowering.text(self.mapping.target.signature, "s")
                    };
                    let all: BTreeSet<String> = row.row.alternatives.iter().map(one).collect();
                    all.into_iter().collect::<Vec<_>>().join(" or ")
                };
                let named = |of: &StepScope| match (of, scope) {
                    (StepScope::Same, Some(scope)) => StepScope::Named(scope),
                    (StepScope::Same, None) => StepScope::Named(Scope::Sys),
                    (other, _) => *other,
                };
                let variable = |of: &StepScope| {
                    if scope.is_some() && *of == scope.map_or(*of, StepScope::Named) {
                        StepScope::Same
                    } else {
                        *of
                    }
                };
                SaidLowering { named: text(&named), variable: text(&variable) }
            }
        })
    }
}

/// Two tables, and what there is in either.
struct TablesBeside<'a> {
    tables: [SaidTable<'a>; 2],
    new: &'a Mapping,
    scopes: Vec<Scope>,
    types: KindSet,
    operations: KindSet,
}

/// The scopes at which a row differs, and what the two tables say there.
type ScopedDifference = (Vec<Option<Scope>>, [String; 2]);

impl TablesBeside<'_> {
    /// Compares what the tables say of a construct in a form.
    fn compare(&self, construct: Construct, form: LoweringForm, out: &mut TableDifference) {
        if !self.tables.iter().any(|t| t.has_form(construct, form)) {
            return;
        }
        let signature = self.new.source.signature;
        let scopes: Vec<Option<Scope>> =
            match construct.has_scope(signature) && !self.scopes.is_empty() {
                true => self.scopes.iter().copied().map(Some).collect(),
                false => vec![None],
            };
        let all = cells(construct, form, signature, self.types, self.operations);
        let mut differ: Vec<(ScopedDifference, Vec<ConstructUse>)> = Vec::new();
        let mut same: BTreeSet<Vec<Option<SaidLowering>>> = BTreeSet::new();
        // Uses of which both tables say the same are many; what a row says is put into words once.
        let mut known: BTreeMap<Vec<[Option<SaidLowering>; 2]>, Vec<ScopedDifference>> =
            BTreeMap::new();
        for &cell in &all {
            let said: Vec<[Option<SaidLowering>; 2]> = scopes
                .iter()
                .map(|&scope| [0, 1].map(|i| self.tables[i].said(construct, form, scope, cell)))
                .collect();
            let apart = known.entry(said.clone()).or_insert_with(|| apart(&scopes, &said)).clone();
            if apart.is_empty() && said.iter().any(|[old, _]| old.is_some()) {
                same.insert(said.into_iter().map(|[old, _]| old).collect());
            }
            for one in apart {
                match differ.iter_mut().find(|(known, _)| *known == one) {
                    Some((_, cells)) => cells.push(cell),
                    None => differ.push((one, vec![cell])),
                }
            }
        }
        out.same += same.len();
        for ((at, [old, new]), of) in differ {
            let patterns: Vec<ScopePattern> = match at.len() == scopes.len() && at.len() > 1 {
                true => vec![ScopePattern::Any(Some("s".to_owned()))],
                false => at
                    .iter()
                    .map(|scope| scope.map_or(ScopePattern::Any(None), ScopePattern::Named))
                    .collect(),
            };
            let heads = patterns.into_iter().flat_map(|scope| {
                let row = Row {
                    construct,
                    scope,
                    alternatives: Vec::new(),
                    span: Span::default(),
                    failures_apart: false,
                };
                uses(&of, &all).into_iter().map(move |when| row.head_for(signature, form, when))
            });
            out.rows.push(ChangedRow { head: heads.collect::<Vec<_>>().join(", "), old, new });
        }
    }
}

/// The scopes at which two tables differ about a use, together where the difference is the same.
fn apart(scopes: &[Option<Scope>], said: &[[Option<SaidLowering>; 2]]) -> Vec<ScopedDifference> {
    let side = |i: usize, side: usize, pick: &dyn Fn(&SaidLowering) -> &String| {
        said[i][side].as_ref().map_or("no row", |s| pick(s).as_str())
    };
    let named = |i: usize, of: usize| side(i, of, &|s| &s.named);
    let variable = |i: usize, of: usize| side(i, of, &|s| &s.variable);
    let differ: Vec<usize> = (0..scopes.len()).filter(|&i| named(i, 0) != named(i, 1)).collect();
    let Some(&first) = differ.first() else { return Vec::new() };
    // What a table says at all these scopes: the same, whatever the scope, or the same of each.
    let at_all = |of: usize| {
        let alike = |pick: &dyn Fn(usize, usize) -> String| {
            differ.iter().all(|&i| pick(i, of) == pick(first, of)).then(|| pick(first, of))
        };
        alike(&|i, of| named(i, of).to_owned())
            .or_else(|| alike(&|i, of| variable(i, of).to_owned()))
    };
    if let (Some(old), Some(new)) = (at_all(0), at_all(1)) {
        return vec![(differ.iter().map(|&i| scopes[i]).collect(), [old, new])];
    }
    let mut out: Vec<(Vec<usize>, [String; 2])> = Vec::new();
    for i in differ {
        let text = [0, 1].map(|of| variable(i, of).to_owned());
        match out.iter_mut().find(|(_, known)| *known == text) {
            Some((of, _)) => of.push(i),
            None => out.push((vec![i], text)),
        }
    }
    let said = |(of, text): (Vec<usize>, [String; 2])| {
        let text =
            if of.len() == 1 { [0, 1].map(|side| named(of[0], side).to_owned()) } else { text };
        (of.into_iter().map(|i| scopes[i]).collect(), text)
    };
    out.into_iter().map(said).collect()
}

/// Some of all uses, as left-hand sides say them.
fn uses(of: &[ConstructUse], all: &[ConstructUse]) -> Vec<RowUses> {
    if of.len() == all.len() {
        return vec![RowUses::default()];
    }
    let partners: BTreeSet<Option<Order>> = all.iter().map(|c| c.partner).collect();
    let of_partner = |partner: Option<Order>| -> Vec<ConstructUse> {
        of.iter().copied().filter(|c| c.partner == partner).collect()
    };
    let without = |cells: &[ConstructUse]| -> Vec<ConstructUse> {
        cells.iter().map(|c| ConstructUse { partner: None, ..*c }).collect()
    };
    let first = partners.first().copied().flatten();
    if partners.len() > 1
        && partners.iter().all(|&p| without(&of_partner(p)) == without(&of_partner(first)))
    {
        let all: Vec<ConstructUse> = all.iter().copied().filter(|c| c.partner == first).collect();
        return uses(&without(&of_partner(first)), &without(&all));
    }
    let mut out: Vec<RowUses> = Vec::new();
    for mut when in exact(of) {
        let here = |when: &RowUses| {
            let when = *when;
            all.iter().filter(move |c| when.covers(**c))
        };
        let every_type = RowUses { data: None, ..when };
        if here(&every_type).all(|cell| of.contains(cell)) {
            when = every_type;
        }
        let every_operation = RowUses { operations: None, ..when };
        if here(&every_operation).all(|cell| of.contains(cell)) {
            when = every_operation;
        }
        if !out.contains(&when) {
            out.push(when);
        }
    }
    out
}
