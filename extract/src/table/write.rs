//! A table as a mapping: few rows that say what differs (docs/mapping-language.md).

use std::collections::BTreeMap;

use margay_mappings::language::LoweringForm;
use margay_mappings::language::kind::{ConstructUse, OPERATIONS, RowUses, TYPES, exists};
use margay_models::execution::{Order, Scope};
use margay_models::signature::{Construct, Operation, Signature, constructs};
use margay_models::text::in_line;

use crate::lowering::LoweringAnswer;
use crate::point::order_name;

use super::{MeasuredRow, SHORT, Table, hash};

/// The models of the mapping that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Models {
    /// The model of the language.
    pub source: String,
    /// The model of PTX.
    pub target: String,
}

impl Default for Models {
    fn default() -> Self {
        Self { source: "rc11-scoped".to_owned(), target: "ptx-8".to_owned() }
    }
}

/// A right-hand side: what it says, and a comment.
type TableBody = (String, String);

/// A line: head, body, the hash of its functions, comment.
type TableLine = (String, String, String, String);

/// The mapping of a table.
pub fn map(table: &Table, models: &Models) -> String {
    let scopes = existing(table);
    let [lowered, absent, other, unknown] = table.counts();
    let mut out = format!(
        "// What {} emits, by `margay extract {}`: of {} rows {lowered} are lowered, {absent} do not compile",
        in_line(&table.version),
        in_line(&table.front),
        table.rows.len()
    );
    out.push_str(&format!(
        "{}{}.\n",
        if other > 0 {
            format!(", {other} compile to code that no row can describe")
        } else {
            String::new()
        },
        if unknown > 0 { format!(", of {unknown} it is not known") } else { String::new() },
    ));
    if table.not_run() > 0 {
        out.push_str(&format!(
            "// {} of the rows that are lowered were read from paths alone, and not run on numbers.\n",
            table.not_run()
        ));
    }
    if let Some(threads) = &table.threads {
        out.push_str(&format!("// {threads}: rows for one thread say little.\n"));
    }
    if let Some(target) = &table.written_for {
        out.push_str(&format!(
            "// It was asked for {}, and wrote PTX for {}.\n",
            in_line(&table.architecture),
            in_line(target)
        ));
    }
    let gone: Vec<&str> =
        table.scopes.iter().filter(|s| !scopes.contains(s)).map(|s| s.name()).collect();
    if !gone.is_empty() {
        out.push_str(&format!("// Nothing compiles at scope {}.\n", gone.join(", ")));
    }
    out.push_str(&format!(
        "mapping \"{}\" from {} to {}\n",
        table_title(table),
        models.source,
        models.target
    ));
    out.push_str(&format!("architecture {}\n", table.of_architecture()));
    if !scopes.is_empty() {
        out.push_str(&format!(
            "scopes {}\n",
            scopes.iter().map(|s| s.name()).collect::<Vec<_>>().join(" ")
        ));
    }
    out.push_str(&format!("types {}\n", table.types.words(&TYPES)));
    if !table.operations.is_empty() {
        out.push_str(&format!("operations {}\n", table.operations.words(&OPERATIONS)));
    }
    let quoted = |text: &str| in_line(text).replace('"', "'");
    out.push_str(&format!(
        "evidence {} ran \"{}\" \"{}\" sha256 {}\n",
        evidence(table),
        quoted(&table.version),
        quoted(&table.command),
        table.hash
    ));
    let mut lines: Vec<TableLine> = Vec::new();
    for construct in constructs(Signature::C) {
        let mut forms = vec![LoweringForm::Usual];
        if construct.operation == Operation::Rmw {
            forms.push(LoweringForm::CompareExchange);
        }
        if construct.operation == Operation::Read
            && [Order::Rlx, Order::Acq, Order::Sc].contains(&construct.order)
        {
            forms.push(LoweringForm::FailedCompareExchange);
        }
        for form in forms {
            lines.extend(of_construct(table, construct, form, &scopes));
        }
    }
    let width = lines.iter().map(|l| l.0.len()).max().unwrap_or(0);
    let body_width = lines.iter().map(|l| l.1.len()).filter(|&w| w < 60).max().unwrap_or(0);
    let mut operation = String::new();
    for (head, body, hash, comment) in lines {
        let of = head.split('.').next().unwrap_or_default().to_owned();
        if of != operation {
            out.push('\n');
            operation = of;
        }
        let from = format!("[{}{}{hash}]", evidence(table), if hash.is_empty() { "" } else { " " });
        let comment =
            if comment.is_empty() { String::new() } else { format!("  // {}", in_line(&comment)) };
        // The reason in a body is the compiler's.
        let body = in_line(&body);
        out.push_str(&format!("{head:width$} => {body:body_width$} {from}{comment}\n"));
    }
    out
}

/// The name of the line of evidence.
fn evidence(table: &Table) -> &'static str {
    if table.assembly.is_some() { "asm" } else { "ptx" }
}

/// `nvrtc 13.5, libcu++ cuda::atomic, sm_90`.
fn table_title(table: &Table) -> String {
    in_line(&format!("{}, {}, {}", table.version, table.title, table.of_architecture()))
        .replace('"', "'")
}

/// The scopes at which anything compiles.
fn existing(table: &Table) -> Vec<Scope> {
    let has = |scope: &Scope| {
        let mut of = table.rows.iter().filter(|m| m.row.slot.scope == Some(*scope));
        of.any(|m| !matches!(m.row.answer, LoweringAnswer::Absent(_)))
    };
    table.scopes.iter().copied().filter(has).collect()
}

/// Every use of a construct in a form that the language of mappings has, of the types and
/// operations of the table.
fn cells(table: &Table, construct: Construct, form: LoweringForm) -> Vec<ConstructUse> {
    let partners: Vec<Option<Order>> = match form {
        LoweringForm::Usual => vec![None],
        LoweringForm::CompareExchange => [Order::Rlx, Order::Acq, Order::Sc].map(Some).to_vec(),
        LoweringForm::FailedCompareExchange => {
            [Order::Rlx, Order::Acq, Order::Rel, Order::AcqRel, Order::Sc].map(Some).to_vec()
        }
    };
    // A language without read-modify-writes has a row that says so.
    let is_rmw = construct.operation == Operation::Rmw
        && form == LoweringForm::Usual
        && !table.operations.is_empty();
    let operations: Vec<Option<usize>> =
        if is_rmw { table.operations.iter().map(Some).collect() } else { vec![None] };
    let is_fence = construct.operation == Operation::Fence;
    let types: Vec<Option<usize>> =
        if is_fence { vec![None] } else { table.types.iter().map(Some).collect() };
    let mut out = Vec::new();
    for &partner in &partners {
        for &operation in &operations {
            for &data in &types {
                if let (Some(o), Some(d)) = (operation, data)
                    && !exists(o, d)
                {
                    continue;
                }
                out.push(ConstructUse { partner, operation, data });
            }
        }
    }
    out
}

/// The rows of a construct in a form.
fn of_construct(
    table: &Table,
    construct: Construct,
    form: LoweringForm,
    scopes: &[Scope],
) -> Vec<TableLine> {
    let of: Vec<&MeasuredRow> = table
        .rows
        .iter()
        .filter(|m| m.row.slot.construct == construct && m.row.slot.form == form)
        .collect();
    // Without a row for one that fails nobody knows what it becomes; where others have rows, the
    // language has none with this order.
    let is_told = form == LoweringForm::FailedCompareExchange
        && table.rows.iter().any(|m| m.row.slot.form == form);
    if of.is_empty() && form != LoweringForm::Usual && !is_told {
        return Vec::new();
    }
    let cells = cells(table, construct, form);
    let mut by_slot: BTreeMap<(Option<Scope>, ConstructUse), &MeasuredRow> = BTreeMap::new();
    for m in of {
        by_slot.insert((m.row.slot.scope, m.row.slot.cell), m);
    }
    if !construct.has_scope(Signature::C) {
        let made =
            lines(construct, form, "", &cells, &|cell| by_slot.get(&(None, cell)).copied(), None);
        return made.into_iter().map(|(line, _)| line).collect();
    }
    // A language without scopes.
    if table.scopes.is_empty() {
        let made =
            lines(construct, form, "", &cells, &|cell| by_slot.get(&(None, cell)).copied(), None);
        return made.into_iter().map(|(line, _)| line).collect();
    }
    // The same at every scope, with the scope passed through or with the same scope always.
    let bodies = |scope: Scope, same: Option<Scope>| -> Vec<TableBody> {
        cells.iter().map(|&c| body(by_slot.get(&(Some(scope), c)).copied(), same)).collect()
    };
    let what = |b: Vec<TableBody>| b.into_iter().map(|(text, _)| text).collect::<Vec<_>>();
    let Some(&first) = scopes.first() else {
        return lines(construct, form, ".s", &cells, &|_| None, None)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
    };
    for passed in [true, false] {
        let same = |s: Scope| passed.then_some(s);
        if scopes.iter().all(|&s| what(bodies(s, same(s))) == what(bodies(first, same(first)))) {
            let here = |cell: ConstructUse| by_slot.get(&(Some(first), cell)).copied();
            let mut out = lines(construct, form, ".s", &cells, &here, same(first));
            // The hash is of all scopes.
            for (line, when) in out.iter_mut() {
                let mine = by_slot.iter().filter(|((scope, c), _)| {
                    scope.is_some_and(|s| scopes.contains(&s)) && when.contains(c)
                });
                line.2 = short(mine.filter_map(|(_, m)| m.ptx.as_deref()));
            }
            return out.into_iter().map(|(line, _)| line).collect();
        }
    }
    scopes
        .iter()
        .flat_map(|&s| {
            let suffix = format!(".{}", s.name());
            let here = |cell: ConstructUse| by_slot.get(&(Some(s), cell)).copied();
            lines(construct, form, &suffix, &cells, &here, None)
        })
        .map(|(line, _)| line)
        .collect()
}

/// The hash of functions, short; nothing of none.
fn short<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<&str> = texts.collect();
    if texts.is_empty() { String::new() } else { hash(texts)[..SHORT].to_owned() }
}

/// The right-hand side of a row.
fn body(measured: Option<&MeasuredRow>, same: Option<Scope>) -> TableBody {
    let quoted = |what: &str| what.replace('"', "'").replace('\n', " ");
    let Some(measured) = measured else {
        return ("absent \"not in the language\"".to_owned(), String::new());
    };
    match &measured.row.answer {
        LoweringAnswer::Lowered(all) => {
            let texts: Vec<String> = all.iter().map(|s| s.text(same)).collect();
            let said = measured
                .row
                .notes
                .iter()
                .filter(|n| !n.starts_with("where the object is in the thread's own"));
            (texts.join(" or "), said.map(|n| without_scope(n)).collect::<Vec<_>>().join("; "))
        }
        LoweringAnswer::Absent(why) => (format!("absent \"{}\"", quoted(why)), String::new()),
        LoweringAnswer::Other(what) => {
            (format!("other \"{}\"", quoted(&without_scope(what))), String::new())
        }
        LoweringAnswer::Unknown(why) => {
            (format!("other \"not known: {}\"", quoted(why)), String::new())
        }
    }
}

/// Instructions in a text without their scopes and types, so that rows that differ by these alone
/// are one.
fn without_scope(text: &str) -> String {
    let is_type = |p: &str| {
        p.len() <= 4 && p.starts_with(['b', 'u', 's', 'f']) && p[1..].parse::<u32>().is_ok()
    };
    let word = |w: &str| -> String {
        let open = if w.starts_with('`') { "`" } else { "" };
        let inner = w.trim_start_matches('`');
        let close = &inner[inner.trim_end_matches('`').len()..];
        let mut parts = inner.trim_end_matches('`').split('.');
        let first = parts.next().unwrap_or_default();
        let kept =
            parts.filter(|p| !(["cta", "cluster", "gpu", "sys", "gl"].contains(p) || is_type(p)));
        format!("{open}{}{close}", std::iter::once(first).chain(kept).collect::<Vec<_>>().join("."))
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// The rows of a construct at a scope, each with the uses that it is for.
fn lines<'a>(
    construct: Construct,
    form: LoweringForm,
    scope: &str,
    cells: &[ConstructUse],
    measured: &dyn Fn(ConstructUse) -> Option<&'a MeasuredRow>,
    same: Option<Scope>,
) -> Vec<(TableLine, Vec<ConstructUse>)> {
    let mut bodies: Vec<TableBody> = Vec::new();
    let mut of_cells: Vec<(ConstructUse, usize)> = Vec::new();
    for &cell in cells {
        let (text, comment) = body(measured(cell), same);
        let index = bodies.iter().position(|(t, _)| *t == text).unwrap_or_else(|| {
            bodies.push((text, comment.clone()));
            bodies.len() - 1
        });
        // A note is of the row if it is of every use of it.
        if bodies[index].1 != comment {
            let kept: Vec<&str> = bodies[index]
                .1
                .split("; ")
                .filter(|n| comment.split("; ").any(|c| c == *n))
                .collect();
            bodies[index].1 = kept.join("; ");
        }
        of_cells.push((cell, index));
    }
    let nothing = |text: &str| text.starts_with("absent") || text.starts_with("other");
    let absent: Vec<usize> = (0..bodies.len()).filter(|&i| nothing(&bodies[i].0)).collect();
    let rows = RowUses::rows(&of_cells, &absent);
    let own = |when: RowUses, body: usize| -> Vec<ConstructUse> {
        let best = |cell: ConstructUse| {
            rows.iter().filter(|(u, _)| u.covers(cell)).max_by_key(|(u, _)| u.rank()).map(|r| r.0)
        };
        of_cells
            .iter()
            .filter(|&&(c, b)| b == body && best(c) == Some(when))
            .map(|&(c, _)| c)
            .collect()
    };
    rows.iter()
        .map(|&(when, body)| {
            let mine = own(when, body);
            let (text, comment) = bodies[body].clone();
            let texts = mine.iter().filter_map(|&c| measured(c)).filter_map(|m| m.ptx.as_deref());
            ((head(construct, form, scope, when), text, short(texts), comment), mine)
        })
        .collect()
}

/// The left-hand side: `CAS_FAIL.REL/ACQ.s b8`.
fn head(construct: Construct, form: LoweringForm, scope: &str, when: RowUses) -> String {
    let own = order_name(construct.order);
    let words = when.words();
    match (form, when.partner.map(order_name)) {
        (LoweringForm::Usual, _) => format!("{}{scope}{words}", construct.name(Signature::C)),
        (LoweringForm::CompareExchange, None) => format!("CAS.{own}{scope}{words}"),
        (LoweringForm::CompareExchange, Some(failure)) => {
            format!("CAS.{own}/{failure}{scope}{words}")
        }
        (LoweringForm::FailedCompareExchange, None) => format!("CAS_FAIL.{own}{scope}{words}"),
        (LoweringForm::FailedCompareExchange, Some(success)) => {
            format!("CAS_FAIL.{success}/{own}{scope}{words}")
        }
    }
}
