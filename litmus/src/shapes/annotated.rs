//! A classic shape with its accesses annotated: PTX instructions and scoped C statements.

use crate::identity::classic::{Classic, ClassicAction};
use crate::test::*;
use margay_models::execution::{Placement, Scope};

/// How the accesses of a test are annotated, and what stands between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Plain accesses; PTX only.
    Weak,
    Relaxed,
    ReleaseAcquire,
    SeqCst,
    FenceAcqRel,
    FenceSc,
}

impl Style {
    fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Relaxed => "rlx",
            Self::ReleaseAcquire => "ra",
            Self::SeqCst => "sc",
            Self::FenceAcqRel => "f.acqrel",
            Self::FenceSc => "f.sc",
        }
    }
}

/// What the scopes are, where the threads are, and what both are called: `gpu.cta` is gpu scope
/// within one cta.
pub(super) const PLACES: [(Scope, Scope); 6] = [
    (Scope::Cta, Scope::Cta),
    (Scope::Cta, Scope::Gpu),
    (Scope::Cluster, Scope::Cluster),
    (Scope::Gpu, Scope::Gpu),
    (Scope::Gpu, Scope::Sys),
    (Scope::Sys, Scope::Sys),
];

fn placement(together: Scope, thread: u16) -> Placement {
    match together {
        Scope::Warp | Scope::Cta => Placement::default(),
        Scope::Cluster => Placement { cta: thread, ..Placement::default() },
        Scope::Gpu => Placement { cluster: thread, cta: thread, ..Placement::default() },
        Scope::Sys => Placement { gpu: thread, ..Placement::default() },
    }
}

fn ptx_body(actions: &[ClassicAction], style: Style, scope: Scope) -> Vec<TestInstruction> {
    let mut body = Vec::new();
    let mut register = 0;
    for (i, action) in actions.iter().enumerate() {
        let fence = match style {
            Style::FenceAcqRel => Some(FenceOrder::AcqRel),
            Style::FenceSc => Some(FenceOrder::Sc),
            _ => None,
        };
        if let Some(order) = fence.filter(|_| i > 0) {
            body.push(Operation::Fence { order: Some(order), scope: Some(scope) }.into());
        }
        let order = match (style, action.writes) {
            (Style::Weak, _) => AccessOrder::Weak,
            (Style::ReleaseAcquire, true) => AccessOrder::Release,
            (Style::ReleaseAcquire, false) => AccessOrder::Acquire,
            _ => AccessOrder::Relaxed,
        };
        let scope = (order != AccessOrder::Weak).then_some(scope);
        let access = Access { order: Some(order), scope, ..Access::default() };
        let address = Address::location(action.location.clone());
        body.push(TestInstruction::from(if action.writes {
            Operation::Store { access, address, value: TestOperand::Integer(action.value) }
        } else {
            register += 1;
            Operation::Load { access, destination: format!("r{}", register - 1), address }
        }));
    }
    body
}

fn c_body(actions: &[ClassicAction], style: Style, scope: Scope) -> Vec<Statement> {
    let mut body: Vec<Statement> = Vec::new();
    let mut register = 0;
    for (i, action) in actions.iter().enumerate() {
        let fence = match style {
            Style::FenceAcqRel => Some(CMemoryOrder::AcqRel),
            Style::FenceSc => Some(CMemoryOrder::SeqCst),
            _ => None,
        };
        if let Some(order) = fence.filter(|_| i > 0) {
            body.push(StatementKind::Fence { order, scope: Some(scope.into()) }.into());
        }
        let order = match (style, action.writes) {
            (Style::ReleaseAcquire, true) => CMemoryOrder::Release,
            (Style::ReleaseAcquire, false) => CMemoryOrder::Acquire,
            (Style::SeqCst, _) => CMemoryOrder::SeqCst,
            _ => CMemoryOrder::Relaxed,
        };
        let function = if action.writes {
            AtomicFunction::Store(Expression::Integer(action.value))
        } else {
            AtomicFunction::Load
        };
        let address = Expression::Name(action.location.clone());
        let call = Expression::Atomic(Box::new(AtomicCall {
            function,
            address,
            order: Some(order),
            scope: Some(scope.into()),
            object_first: false,
        }));
        body.push(Statement::from(if action.writes {
            StatementKind::Evaluate(call)
        } else {
            register += 1;
            StatementKind::Assign {
                declares: Some(CInteger::Int),
                name: format!("r{}", register - 1),
                value: Some(call),
            }
        }));
    }
    body
}

/// The test of a shape in C (else in PTX).
pub(super) fn test(
    shape: &Classic,
    style: Style,
    (scope, together): (Scope, Scope),
    c: bool,
) -> Test {
    let name = shape.name;
    let thread = |(t, actions): (usize, &Vec<ClassicAction>)| {
        let mut used: Vec<&String> = actions.iter().map(|a| &a.location).collect();
        used.sort();
        used.dedup();
        let parameters = used.into_iter().map(|l| CParameter {
            ty: CType::ATOMIC_INT,
            space: None,
            name: l.clone(),
        });
        Thread {
            placement: Some(placement(together, t as u16)),
            parameters: if c { parameters.collect() } else { Vec::new() },
            body: if c {
                Body::Statements(c_body(actions, style, scope))
            } else {
                Body::Instructions(ptx_body(actions, style, scope))
            },
            place: Place::default(),
        }
    };
    Test {
        dialect: if c { Dialect::C } else { Dialect::Ptx },
        name: match style {
            Style::Weak => format!("{name}+weak"),
            _ => format!("{name}+{}+{}.{}", style.name(), scope.name(), together.name()),
        },
        threads: shape.threads().iter().enumerate().map(thread).collect(),
        ..shape.test()
    }
}
