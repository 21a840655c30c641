//! Questions that a proof does not take: rows and orders that it knows nothing of, axioms of a form
//! that no rule covers, texts that are too large.

use std::collections::BTreeSet;

use margay_language::{Mapping, Row};
use margay_models::diagnostic::{Diagnostic, SourcePlace};
use margay_models::model::{Check, Model, Role};

use crate::logic::{Meaning, TheoryExprId};
use crate::theory::mapping::{ExecutionSelection, chosen_order, ordered_fences};
use crate::theory::{Theory, TheoryVocabulary};

/// The most operators of an expression, without those of the definitions that it names.
const MOST_OPERATORS: u64 = 20_000;

/// What a load writes back is in coherence order, and nothing that a proof knows of rows says what
/// the source has instead.
pub(super) fn refuse_rows(
    mapping: &Mapping,
    selection: &ExecutionSelection,
) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for row in mapping.rows.iter().filter(|r| selection.constructs.contains(&r.construct)) {
        for lowering in row.alternatives.iter().filter(|l| l.writes_back(row.construct.operation)) {
            let what = format!(
                "`margay prove` does not know yet what `{}` writes back",
                row.construct.name(mapping.source.signature)
            );
            errors.push(
                Diagnostic::error(what)
                    .at(&mapping.file, lowering.span, "a load that is a read-modify-write")
                    .help("leave the construct out with `--without`, or ask `margay check` for counterexamples up to a bound"),
            );
        }
    }
    errors.extend(of_barriers(mapping, selection));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A wait reads behind all arrivals, and a proof knows nothing of what reads last.
fn of_barriers(mapping: &Mapping, selection: &ExecutionSelection) -> Option<Diagnostic> {
    let source = mapping.source.signature;
    let on_barriers: Vec<&Row> = mapping
        .rows
        .iter()
        .filter(|row| {
            selection.constructs.contains(&row.construct) && source.is_of_barrier(row.construct)
        })
        .collect();
    let names: BTreeSet<String> =
        on_barriers.iter().map(|row| row.construct.name(source)).collect();
    let names: Vec<String> = names.into_iter().collect();
    let what = format!(
        "`margay prove` does not know the phases of the barriers of `{}`",
        mapping.source.name
    );
    Some(Diagnostic::error(what).at(&mapping.file, on_barriers.first()?.span, "an operation on a barrier").help(format!(
        "leave them out with `--without {}`, or ask `margay check` for counterexamples up to a bound",
        names.join(",")
    )))
}

/// Where a source chooses an order of its fences, a theorem is that one order satisfies all axioms
/// at once, and it takes one that the target tells of. What is undefined must not depend on which
/// it is: a program is undefined if it is so with any.
pub(super) fn refuse_chosen_fences(
    mapping: &Mapping,
    axioms: &[usize],
    selection: &ExecutionSelection,
) -> Result<(), Vec<Diagnostic>> {
    let fences = ordered_fences(mapping, selection).join(",");
    if fences.is_empty() {
        return Ok(());
    }
    let source = &mapping.source;
    let without = format!(
        "leave the fences out with `--without {fences}`; `margay check` asks about all orders, up to a bound"
    );
    let is_axiom = |c: &Check| c.role == Role::Axiom && !c.is_undefined_behaviour();
    if (0..source.checks.len()).any(|i| is_axiom(&source.checks[i]) && !axioms.contains(&i)) {
        let what = format!(
            "the axioms of `{}` are taken together: an execution chooses the order `sync_fence` of {fences}",
            source.name
        );
        return Err(vec![Diagnostic::error(what).help(format!(
            "ask about all axioms, or leave the fences out: `--without {fences}`"
        ))]);
    }
    if chosen_order(mapping, selection).is_none() {
        let what = format!(
            "`margay prove` finds no order for the fences of `{}`: no axiom of `{}` is `acyclic`",
            source.name, mapping.target.name
        );
        return Err(vec![
            Diagnostic::error(what)
                .at(&mapping.file, mapping.rows[0].span, "its fences are to be ordered")
                .help(without),
        ]);
    }
    let mut theory = Theory::default();
    let base = theory.declare_base(source.signature, false, None);
    let translated = theory.translate(source, &base);
    let order = theory.symbols.sync_fence();
    let depends = |e: TheoryExprId| {
        order.is_some_and(|o| TheoryVocabulary::of(&theory, [e]).relations.contains(&o))
    };
    let undefined = source
        .checks
        .iter()
        .zip(&translated.checks)
        .find(|(c, e)| c.is_undefined_behaviour() && depends(**e));
    let Some((check, _)) = undefined else { return Ok(()) };
    let what = format!(
        "`margay prove` does not know whether `{}` of `{}` happens: it depends on the order of the fences, which an execution chooses",
        check.display_name(),
        source.name
    );
    Err(vec![
        Diagnostic::error(what)
            .at(&check.place.file, check.place.span, "`sync_fence` is part of it")
            .help(without),
    ])
}

/// Axioms that claim that something *is* there are of another form.
pub(super) fn refuse<'c>(
    model: &Model,
    checks: impl Iterator<Item = &'c Check>,
) -> Result<(), Vec<Diagnostic>> {
    let negated =
        checks.filter(|c| c.negated && c.role == Role::Axiom && !c.is_undefined_behaviour());
    let errors: Vec<Diagnostic> = negated
        .map(|c| {
            let what =
                format!("no rule proves the axiom `{}` of `{}`: it claims that something is there", c.display_name(), model.name);
            Diagnostic::error(what)
                .at(&c.place.file, c.place.span, "a proof speaks of the events of a violation, and this one has none")
                .help("name the other axioms with `--axiom`; expected `empty`, `irreflexive` or `acyclic` without `~`")
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// An expression is written out without `?`: `r?; s` is `s | r; s`, where s stands twice. A few
/// dozen of them in one another are more than could be gone through.
pub(super) fn refuse_large(model: &Model) -> Result<(), Vec<Diagnostic>> {
    let mut theory = Theory::default();
    let base = theory.declare_base(model.signature, false, None);
    let translated = theory.translate(model, &base);
    let mut errors = Vec::new();
    let mut look = |theory: &Theory, value: TheoryExprId, name: &str, place: &SourcePlace| {
        let operators = largest(theory, value);
        if operators > MOST_OPERATORS {
            let what = format!("`{name}` of `{}` is too large for a proof", model.name);
            let here = if operators == u64::MAX {
                "more operators than can be counted".to_owned()
            } else {
                format!("{operators} operators")
            };
            errors.push(Diagnostic::error(what).at(&place.file, place.span, format!("written out without `?` it has {here}")).help(format!(
                "expected at most {MOST_OPERATORS}; `r?; s` is `s | r; s`, where s stands twice: give parts of it a name by `let`"
            )));
        }
    };
    for (check, &value) in model.checks.iter().zip(&translated.checks) {
        look(&theory, value, &check.display_name(), &check.place);
    }
    for (id, pred) in translated.symbols(&theory) {
        let definition = model.definition(id);
        if let Meaning::Defined(body) | Meaning::Fixpoint(body, _) | Meaning::Closure(body) =
            theory.symbols.get(pred).meaning
        {
            look(&theory, body, &definition.name, &definition.place);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The operators of an expression, or of the closure, domain or range in it that has most.
fn largest(theory: &Theory, value: TheoryExprId) -> u64 {
    let inner = TheoryVocabulary::of(theory, [value]);
    let parts = inner.sets.into_iter().chain(inner.relations).filter_map(|p| {
        match theory.symbols.get(p).meaning {
            Meaning::Closure(e) | Meaning::Domain(e) | Meaning::Range(e) => Some(e),
            _ => None,
        }
    });
    parts.chain([value]).map(|e| theory.exprs.operators(e)).max().unwrap_or_default()
}
