//! Writes the classic shapes (Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014, and the cycles of three and four threads)
//! in PTX and scoped C, with relaxed, release and acquire, and fenced accesses, at every scope and placement that matters, to
//! tests/corpus/shapes-ptx and tests/corpus/shapes-c, with the verdicts of the explicit engine.
//!
//!     cargo run --release -p margay-litmus --example shapes -- tests/corpus

use std::path::Path;

use margay_litmus::clusters;
use margay_litmus::corpus::{EXPECTED, Expected, Line, write};
use margay_litmus::explicit::{Options, Runner};
use margay_litmus::identity::classic::{Action, CLASSICS, Classic};
use margay_litmus::test::*;
use margay_models::execution::{Placement, Scope};
use margay_models::library;

/// How the accesses of a test are annotated, and what stands between them.
#[derive(Clone, Copy, PartialEq)]
enum Style {
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

/// What the scopes are, where the threads are, and what both are called: `gpu.cta` is gpu scope within one cta.
const PLACES: [(Scope, Scope); 6] = [
    (Scope::Cta, Scope::Cta),
    (Scope::Cta, Scope::Gpu),
    (Scope::Cluster, Scope::Cluster),
    (Scope::Gpu, Scope::Gpu),
    (Scope::Gpu, Scope::Sys),
    (Scope::Sys, Scope::Sys),
];

fn placement(together: Scope, thread: u8) -> Placement {
    match together {
        Scope::Cta => Placement { gpu: 0, cluster: 0, cta: 0 },
        Scope::Cluster => Placement { gpu: 0, cluster: 0, cta: thread },
        Scope::Gpu => Placement { gpu: 0, cluster: thread, cta: thread },
        Scope::Sys => Placement { gpu: thread, cluster: 0, cta: 0 },
    }
}

fn ptx_body(actions: &[Action], style: Style, scope: Scope) -> Vec<Instruction> {
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
        body.push(Instruction::from(if action.writes {
            Operation::Store { access, address, value: Value::Integer(action.value) }
        } else {
            register += 1;
            Operation::Load { access, destination: format!("r{}", register - 1), address }
        }));
    }
    body
}

fn c_body(actions: &[Action], style: Style, scope: Scope) -> Vec<Statement> {
    let mut body: Vec<Statement> = Vec::new();
    let mut register = 0;
    for (i, action) in actions.iter().enumerate() {
        let fence = match style {
            Style::FenceAcqRel => Some(MemoryOrder::AcqRel),
            Style::FenceSc => Some(MemoryOrder::SeqCst),
            _ => None,
        };
        if let Some(order) = fence.filter(|_| i > 0) {
            body.push(StatementKind::Fence { order, scope: Some(scope.into()) }.into());
        }
        let order = match (style, action.writes) {
            (Style::ReleaseAcquire, true) => MemoryOrder::Release,
            (Style::ReleaseAcquire, false) => MemoryOrder::Acquire,
            (Style::SeqCst, _) => MemoryOrder::SeqCst,
            _ => MemoryOrder::Relaxed,
        };
        let function =
            if action.writes { AtomicFunction::Store(Expression::Integer(action.value)) } else { AtomicFunction::Load };
        let address = Expression::Name(action.location.clone());
        let call = Expression::Atomic(Box::new(AtomicCall { function, address, order: Some(order), scope: Some(scope.into()) }));
        body.push(Statement::from(if action.writes {
            StatementKind::Evaluate(call)
        } else {
            register += 1;
            StatementKind::Assign { declares: Some(CInteger::Int), name: format!("r{}", register - 1), value: Some(call) }
        }));
    }
    body
}

fn test(shape: &Classic, style: Style, (scope, together): (Scope, Scope), c: bool) -> Test {
    let name = shape.name;
    let threads = shape.threads();
    let mut locations: Vec<String> = threads.iter().flatten().map(|a| a.location.clone()).collect();
    locations.sort();
    locations.dedup();
    let thread = |(t, actions): (usize, &Vec<Action>)| {
        let mut used: Vec<&String> = actions.iter().map(|a| &a.location).collect();
        used.sort();
        used.dedup();
        let parameters = used.into_iter().map(|l| Parameter { ty: CType::ATOMIC_INT, space: None, name: l.clone() });
        Thread {
            placement: Some(placement(together, t as u8)),
            parameters: if c { parameters.collect() } else { Vec::new() },
            body: if c {
                Body::Statements(c_body(actions, style, scope))
            } else {
                Body::Instructions(ptx_body(actions, style, scope))
            },
            place: Place::default(),
        }
    };
    let declared = |name: &String| LocationDeclaration {
        name: name.clone(),
        value: Some(InitialValue::Integer(0)),
        alias: None,
        space: None,
        place: Place::default(),
    };
    Test {
        dialect: if c { Dialect::C } else { Dialect::Ptx },
        name: match style {
            Style::Weak => format!("{name}+weak"),
            _ => format!("{name}+{}+{}.{}", style.name(), scope.name(), together.name()),
        },
        description: None,
        locations: locations.iter().map(declared).collect(),
        registers: Vec::new(),
        threads: threads.iter().enumerate().map(thread).collect(),
        observed: Vec::new(),
        filter: None,
        condition: Condition { quantifier: Quantifier::Exists, proposition: shape.outcome() },
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: shapes FOLDER")?;
    let sets: [(&str, bool, &[Style], &[&str]); 2] = [
        (
            "shapes-ptx",
            false,
            &[Style::Weak, Style::Relaxed, Style::ReleaseAcquire, Style::FenceAcqRel, Style::FenceSc],
            &["ptx-6.0", "ptx-8", "tso", "sc"],
        ),
        (
            "shapes-c",
            true,
            &[Style::Relaxed, Style::ReleaseAcquire, Style::SeqCst, Style::FenceAcqRel, Style::FenceSc],
            &["rc11-scoped", "c20-scoped"],
        ),
    ];
    for (name, c, styles, models) in sets {
        let folder = Path::new(&folder).join(name);
        std::fs::create_dir_all(&folder)?;
        let mut runners = Vec::new();
        for model in models {
            let loaded = library::load(model, &[]).map_err(|e| e[0].clone())?;
            let runner = Runner::new(&loaded.model);
            runners.push((*model, loaded.model.knows_clusters(), runner));
        }
        let mut lines = Vec::new();
        for shape in &CLASSICS {
            for &style in styles {
                let places: &[(Scope, Scope)] = if style == Style::Weak { &[(Scope::Gpu, Scope::Gpu)] } else { &PLACES };
                for &place in places {
                    let test = test(shape, style, place, c);
                    let file = format!("{}.litmus", test.name);
                    std::fs::write(folder.join(&file), test.to_string())?;
                    for (model, clustered, runner) in &mut runners {
                        // Without scopes all places are the same.
                        if matches!(*model, "tso" | "sc") && place != (Scope::Gpu, Scope::Gpu) {
                            continue;
                        }
                        if !c && !*clustered && clusters::first_use(&test).is_some() {
                            continue;
                        }
                        let verdict = runner.run(&test, &Options::default())?;
                        lines.push(Line {
                            file: file.clone(),
                            model: model.to_string(),
                            expected: Expected::from(&verdict),
                            source: "explicit engine".to_string(),
                        });
                    }
                }
            }
        }
        std::fs::write(folder.join(EXPECTED), write(&lines))?;
        println!("{}: {} verdicts", folder.display(), lines.len());
    }
    Ok(())
}
