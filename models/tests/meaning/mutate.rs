//! Every small weakening or strengthening of a model's text: a check dropped; a branch of a union,
//! a part of an intersection, a step of a sequence or what a difference takes away dropped; a
//! closure, an option or an inverse taken off; one side of a product opened to every event;
//! acyclicity weakened to irreflexivity.

use margay_models::CheckKind;
use margay_models::cat::ast::{
    Bindings, CatExpr, CatFile, CatInstruction, ExprKind, InstructionKind,
};

/// A model with one change.
pub struct Mutant {
    /// What was changed, e.g. ``sw: drop `[F]` from `[F]; sb` ``.
    pub change: String,
    /// The changed model.
    pub file: CatFile,
}

/// Every mutant of a model. Changes with the same description are numbered.
pub fn mutants(file: &CatFile) -> Vec<Mutant> {
    let mut found: Vec<Mutant> = Vec::new();
    let mut add = |change: String, instructions: Vec<CatInstruction>| {
        let file = CatFile { instructions, ..file.clone() };
        let same = found.iter().filter(|m| {
            m.change.trim_end_matches(|c: char| c == '#' || c.is_ascii_digit()).trim_end() == change
        });
        let change = match same.count() {
            0 => change,
            n => format!("{change} #{}", n + 1),
        };
        found.push(Mutant { change, file });
    };
    of_instructions(&file.instructions, &mut add);
    found
}

/// Is a change of a model about asynchronous operations, mbarriers and exits? The executions here
/// of the tables here have none: those are made from programs, and litmus/tests/asynchronous asks
/// the tests of the corpus about each of these changes.
pub fn is_of_programs(change: &str) -> bool {
    const DEFINITIONS: [&str; 35] = [
        "same-mbarrier",
        "narrow-mbarrier",
        "initialisation",
        "releases-initialisation",
        "initialised",
        "restricted",
        "limited",
        "shared-release",
        "shared-acquire",
        "synchronizes-proxies",
        "released-map",
        "acquired-map",
        "map-causality",
        "synchronizes-maps",
        "launched-maps",
        "map-order",
        "before-sync",
        "after-sync",
        "release-of-shared",
        "acquire-of-shared",
        "synchronizes-shared",
        "shared-causality",
        "commits",
        "completed",
        "tensor",
        "execution",
        "told",
        "multiplied",
        "piped",
        "tensor-order",
        "before-async",
        "enter-async",
        "from-async",
        "into-async",
        "into-asynchronous",
    ];
    const BASES: [&str; 5] = ["ASYNC", "TENSORMAP", "MBARRIER", "SHARED", "async_"];
    let (definition, what) = change.split_once(": ").unwrap_or((change, ""));
    // What is dropped, or put in the place of something, stands first.
    let piece = what.split('`').nth(1).unwrap_or_default();
    // What stands behind an arrival that orders no memory, as the exit of a thread:
    // litmus/tests/litmus/isa_8.rs takes that away, and has it follow all arrivals, or order
    // memory.
    let behind_arrivals = definition == "No-Thin-Air"
        && ["po | async_issue", "RLX | ACQ"].iter().any(|piece| what.contains(piece));
    let by_exits = definition == "synchronizes" && what == "drop `ACQ` from `RLX | ACQ`";
    behind_arrivals
        || by_exits
        || DEFINITIONS.contains(&definition)
        || DEFINITIONS.contains(&piece)
        || BASES.iter().any(|base| piece.contains(base))
}

/// Every change of one instruction of a list, with its description; procedures are such lists, too.
fn of_instructions(
    instructions: &[CatInstruction],
    add: &mut dyn FnMut(String, Vec<CatInstruction>),
) {
    for (index, instruction) in instructions.iter().enumerate() {
        let with = |kind: InstructionKind| {
            let mut changed = instructions.to_vec();
            changed[index].kind = kind;
            changed
        };
        match &instruction.kind {
            InstructionKind::Let(bindings) => {
                for (b, binding) in bindings.bindings.iter().enumerate() {
                    for (change, body) in of_expression(&binding.body) {
                        let mut changed: Bindings = bindings.clone();
                        changed.bindings[b].body = body;
                        add(
                            format!("{}: {change}", binding.name),
                            with(InstructionKind::Let(changed)),
                        );
                    }
                }
            }
            InstructionKind::Check { role, negated, kind, expr, name } => {
                let label = name.as_ref().map_or_else(|| expr.to_string(), ToString::to_string);
                let check = |kind: CheckKind, expr: CatExpr| {
                    with(InstructionKind::Check {
                        role: *role,
                        negated: *negated,
                        kind,
                        expr,
                        name: name.clone(),
                    })
                };
                let mut without = instructions.to_vec();
                without.remove(index);
                add(format!("{label}: drop the check"), without);
                if *kind == CheckKind::Acyclic {
                    add(
                        format!("{label}: irreflexive for acyclic"),
                        check(CheckKind::Irreflexive, expr.clone()),
                    );
                }
                for (change, changed) in of_expression(expr) {
                    add(format!("{label}: {change}"), check(*kind, changed));
                }
            }
            InstructionKind::Procedure { recursive, name, parameters, body } => {
                of_instructions(body, &mut |change, body| {
                    let (recursive, name, parameters) =
                        (*recursive, name.clone(), parameters.clone());
                    let changed = with(InstructionKind::Procedure {
                        recursive,
                        name: name.clone(),
                        parameters,
                        body,
                    });
                    add(format!("{name}: {change}"), changed);
                });
            }
            _ => {}
        }
    }
}

/// Every change of one expression, with its description.
fn of_expression(expr: &CatExpr) -> Vec<(String, CatExpr)> {
    let same = |kind: ExprKind| CatExpr::new(kind, expr.span);
    let mut found = Vec::new();
    // Changes at the root.
    match &expr.kind {
        ExprKind::Union(es)
        | ExprKind::Sequence(es)
        | ExprKind::Intersection(es)
        | ExprKind::Difference(es) => {
            let first = usize::from(matches!(expr.kind, ExprKind::Difference(_)));
            for (i, dropped) in es.iter().enumerate().skip(first) {
                let mut rest = es.clone();
                rest.remove(i);
                let rest =
                    if rest.len() == 1 { rest.remove(0) } else { same(list(&expr.kind, rest)) };
                found.push((format!("drop `{dropped}` from `{expr}`"), rest));
            }
        }
        ExprKind::Closure(e) | ExprKind::Optional(e) | ExprKind::Inverse(e) => {
            found.push((format!("`{e}` for `{expr}`"), (**e).clone()));
        }
        ExprKind::ReflexiveClosure(e) => {
            for kind in [ExprKind::Closure(e.clone()), ExprKind::Optional(e.clone())] {
                let changed = same(kind);
                found.push((format!("`{changed}` for `{expr}`"), changed));
            }
        }
        ExprKind::Product(a, b) => {
            let open = |e: &CatExpr| Box::new(CatExpr::new(ExprKind::Universe, e.span));
            for kind in
                [ExprKind::Product(open(a), b.clone()), ExprKind::Product(a.clone(), open(b))]
            {
                let changed = same(kind);
                if changed.to_string() != expr.to_string() {
                    found.push((format!("`{changed}` for `{expr}`"), changed));
                }
            }
        }
        _ => {}
    }
    // Changes within.
    let boxed = |e: &CatExpr, wrap: &dyn Fn(Box<CatExpr>) -> ExprKind| -> Vec<(String, CatExpr)> {
        of_expression(e).into_iter().map(|(change, e)| (change, same(wrap(Box::new(e))))).collect()
    };
    match &expr.kind {
        ExprKind::Union(es)
        | ExprKind::Sequence(es)
        | ExprKind::Intersection(es)
        | ExprKind::Difference(es) => {
            for (i, member) in es.iter().enumerate() {
                for (change, member) in of_expression(member) {
                    let mut members = es.clone();
                    members[i] = member;
                    found.push((change, same(list(&expr.kind, members))));
                }
            }
        }
        ExprKind::Closure(e) => found.extend(boxed(e, &ExprKind::Closure)),
        ExprKind::ReflexiveClosure(e) => found.extend(boxed(e, &ExprKind::ReflexiveClosure)),
        ExprKind::Optional(e) => found.extend(boxed(e, &ExprKind::Optional)),
        ExprKind::Inverse(e) => found.extend(boxed(e, &ExprKind::Inverse)),
        ExprKind::Complement(e) => found.extend(boxed(e, &ExprKind::Complement)),
        ExprKind::Diagonal(e) => found.extend(boxed(e, &ExprKind::Diagonal)),
        ExprKind::Product(a, b) => {
            found.extend(boxed(a, &|a| ExprKind::Product(a, b.clone())));
            found.extend(boxed(b, &|b| ExprKind::Product(a.clone(), b)));
        }
        ExprKind::Apply(function, arguments) => {
            for (i, argument) in arguments.iter().enumerate() {
                for (change, argument) in of_expression(argument) {
                    let mut arguments = arguments.clone();
                    arguments[i] = argument;
                    found.push((change, same(ExprKind::Apply(function.clone(), arguments))));
                }
            }
        }
        _ => {}
    }
    found
}

/// A list of the same kind with other members.
fn list(kind: &ExprKind, members: Vec<CatExpr>) -> ExprKind {
    match kind {
        ExprKind::Union(_) => ExprKind::Union(members),
        ExprKind::Sequence(_) => ExprKind::Sequence(members),
        ExprKind::Intersection(_) => ExprKind::Intersection(members),
        _ => ExprKind::Difference(members),
    }
}
