//! Rows that make the barriers of a source into mbarriers: `mbarrier.arrive.release.cta`,
//! `mbarrier.try_wait.acquire.cta` (PTX ISA, *Parallel synchronization and communication
//! instructions: mbarrier*). A wait is one that returns; how often it was tried is no event.

use margay_models::diagnostic::{Diagnostic, nearest};
use margay_models::execution::{Order, Scope};
use margay_models::signature::{BaseSet, Construct, Operation};

use super::instruction::{BadInstruction, is_ptx, scope_name};
use super::{Lowering, LoweringStep, Mapping, Row, ScopePattern, StepScope};

/// Reads an operation on an mbarrier; `None` for another instruction.
pub(super) fn parse(
    text: &str,
    parts: &[&str],
    variable: Option<&str>,
) -> Option<Result<LoweringStep, BadInstruction>> {
    let (mut rest, operation) = match parts {
        ["mbarrier", "arrive", rest @ ..] => (rest, Operation::Rmw),
        ["mbarrier", "try_wait" | "test_wait", "parity", rest @ ..] => (rest, Operation::Read),
        ["mbarrier", "try_wait" | "test_wait", rest @ ..] => (rest, Operation::Read),
        ["mbarrier", ..] => {
            let message = format!("rows do not emit `{text}`");
            let help = "of mbarriers a row emits mbarrier.arrive or mbarrier.try_wait; who initialises one is the program";
            return Some(Err(BadInstruction::new(message, help)));
        }
        _ => return None,
    };
    let wrong = |message: String, help: &str| Some(Err(BadInstruction::new(message, help)));
    let strong =
        if operation == Operation::Rmw { ("release", Order::Rel) } else { ("acquire", Order::Acq) };
    let orders = [strong, ("relaxed", Order::Rlx)];
    let mut order = strong.1;
    if let [word, behind @ ..] = rest
        && let Some((_, named)) = orders.iter().find(|(name, _)| name == word)
    {
        (order, rest) = (*named, behind);
    }
    // The other order is one of mbarriers, and of the other operation.
    if let [word @ ("acquire" | "release"), ..] = rest {
        let who =
            if operation == Operation::Rmw { "an arrival releases" } else { "a wait acquires" };
        let message = format!("`{text}`: `{}.{}` has no `{word}`", parts[0], parts[1]);
        return wrong(message, &format!("{who}: write `{}` or `relaxed`", strong.0));
    }
    let scopes = "mbarriers have .cta and .cluster; without either it is .cta";
    let scope = match rest {
        [] => Scope::Cta,
        [word] => match scope_name(word) {
            Some(scope @ (Scope::Cta | Scope::Cluster)) => scope,
            Some(_) => {
                return wrong(
                    format!("`{text}`: no operation on an mbarrier has this scope"),
                    scopes,
                );
            }
            None if variable == Some(*word) => {
                let help = "write a row for each scope, and in it .cta or .cluster: mbarriers have no other";
                return wrong(
                    format!("`{text}`: the row is for scopes that no mbarrier has"),
                    help,
                );
            }
            None => {
                let known = [strong.0, "relaxed", "cta", "cluster"];
                let help = match nearest(word, known) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("orders: {}, relaxed; scopes: cta, cluster", strong.0),
                };
                return wrong(
                    format!(
                        "`{word}` is neither an order nor a scope of `{}.{}`",
                        parts[0], parts[1]
                    ),
                    &help,
                );
            }
        },
        [_, extra, ..] => {
            return wrong(
                format!("unexpected `.{extra}` after the scope"),
                "write instruction.order.scope",
            );
        }
    };
    let scope = StepScope::Named(scope);
    Some(Ok(LoweringStep {
        operation,
        order,
        scope,
        volatile: false,
        failed: false,
        unused: false,
        mbarrier: true,
    }))
}

impl LoweringStep {
    /// Is there such an instruction? An arrival at an mbarrier releases or is relaxed, a wait
    /// acquires or is relaxed, and neither has a scope wider than a cluster.
    pub fn exists(&self) -> bool {
        let scope = matches!(self.scope, StepScope::Named(Scope::Cta | Scope::Cluster));
        let order = match self.operation {
            Operation::Rmw => matches!(self.order, Order::Rel | Order::Rlx),
            _ => matches!(self.order, Order::Acq | Order::Rlx),
        };
        !self.mbarrier || scope && order
    }
}

impl Lowering {
    /// Is it an operation on an mbarrier?
    pub fn is_of_mbarrier(&self) -> bool {
        self.steps.iter().any(|step| step.mbarrier)
    }
}

impl Mapping {
    /// Has it rows that make barriers into mbarriers?
    pub fn emits_mbarriers(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.alternatives).any(Lowering::is_of_mbarrier)
    }
}

/// What is wrong with the rows of mbarriers: who emits them, and for what.
pub(super) fn wrong(mapping: &Mapping) -> Vec<Diagnostic> {
    let (source, target) = (mapping.source.signature, &mapping.target);
    let mut errors = Vec::new();
    let lowerings = mapping
        .rows
        .iter()
        .flat_map(|row| row.alternatives.iter().map(move |lowering| (row, lowering)));
    let of_target = |step: &LoweringStep| {
        target.signature.is_of_barrier(Construct { operation: step.operation, order: step.order })
    };
    // What is a barrier of the source has its phase there.
    let is_wrong = |(row, lowering): &(&Row, &Lowering)| {
        !source.is_of_barrier(row.construct) && lowering.steps.iter().any(of_target)
    };
    if let Some((_, lowering)) = lowerings.clone().find(is_wrong) {
        let message =
            format!("no search knows the phases of the barriers of the target `{}`", target.name);
        let error = Diagnostic::error(message).at(
            &mapping.file,
            lowering.span,
            "an operation on a barrier",
        );
        return vec![error.help("leave the row out; of barriers, sources are asked about, and mbarriers as what they become")];
    }
    let all: Vec<(&Row, &Lowering)> =
        lowerings.filter(|(_, lowering)| lowering.is_of_mbarrier()).collect();
    for (row, lowering) in &all {
        let name = row.construct.name(source);
        let error = |message: String, help: &str| {
            Diagnostic::error(message)
                .at(&mapping.file, lowering.span, "an operation on an mbarrier")
                .help(help)
        };
        if is_ptx(target.signature) && !target.mentions_set(BaseSet::Mbarrier) {
            let message = format!("the target model `{}` does not speak of mbarriers", target.name);
            errors.push(error(message, "name a model that does: `to ptx-8`"));
        } else if !source.is_of_barrier(row.construct) {
            let message = format!("`{name}` is no operation on a barrier");
            let help = "which operations are, the text of the source's architecture says: `barrier ARRIVAL WAIT` (docs/architectures.md)";
            errors.push(error(message, help));
        } else if lowering
            .steps
            .iter()
            .any(|step| step.mbarrier && step.operation != row.construct.operation)
        {
            let message = format!("`{name}` is the other operation on a barrier");
            errors.push(error(
                message,
                "who arrives emits mbarrier.arrive, who waits mbarrier.try_wait",
            ));
        } else if !matches!(row.scope, ScopePattern::Named(Scope::Cta | Scope::Cluster)) {
            let message = format!(
                "an mbarrier is shared by the threads of a cluster, and this row of `{name}` is for others, too"
            );
            errors.push(error(
                message,
                "write a row for each scope: `.cta`, `.cluster`, and atomics for the others",
            ));
        }
    }
    if !errors.is_empty() {
        return errors;
    }
    // A barrier is an mbarrier for all who use it, or for none.
    for (row, lowering) in &all {
        let beside = mapping.rows.iter().filter(|other| {
            let same_scope =
                matches!(other.scope, ScopePattern::Any(_)) || other.scope == row.scope;
            source.is_of_barrier(other.construct) && same_scope
        });
        for other in beside {
            if let Some(differs) = other.alternatives.iter().find(|l| !l.is_of_mbarrier()) {
                let message = format!(
                    "`{}` and `{}` are of one barrier, and only the first is of an mbarrier",
                    row.construct.name(source),
                    other.construct.name(source)
                );
                errors.push(
                    Diagnostic::error(message)
                        .at(&mapping.file, differs.span, "no operation on an mbarrier")
                        .at(&mapping.file, lowering.span, "an operation on an mbarrier")
                        .help("an mbarrier is accessed by mbarrier instructions alone (PTX ISA): write one in each row of the scope"),
                );
            }
        }
    }
    errors.dedup_by(|a, b| a.message == b.message);
    errors
}
