//! What `strengthen` finds, against every single change of a random program, and pairs of changes,
//! made here by hand: not through its search space.

use crate::shipped::model;
use margay_litmus::engine::{Choice, Engine, Runner};
use margay_litmus::explicit::Options;
use margay_litmus::print::SourceText;
use margay_litmus::read;
use margay_litmus::strengthen::{
    Costs, Limits, RepairsFound, Site, SiteKind, Strength, Terms, cheapest,
};
use margay_litmus::test::*;
use margay_models::Model;
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Order, Scope};
use proptest::prelude::*;

fn parse(text: &str) -> Test {
    match read::test(&SourceFile::new("test", text)) {
        Ok(read) => read.test,
        Err(errors) => panic!("{}\n{text}", errors[0]),
    }
}

fn repair(text: &str, model: &Model) -> RepairsFound {
    let test = parse(text);
    let costs = Costs::default();
    let terms = Terms { language: SourceText::new(&test, text).language(), ..Terms::all(&costs) };
    let found =
        cheapest(&test, model, &terms, &Options::default(), Choice::Auto, Limits::default());
    found.unwrap_or_else(|e| panic!("{}\n{test}", e.error))
}

/// A changed program and what the change costs.
type Changed = (u32, Test);

fn cost(kind: SiteKind, now: Option<Strength>, to: Strength, scoped: bool) -> u32 {
    Costs::default().extra(&Site { thread: ThreadId(0), kind, now, repeats: false }, to, scoped)
}

/// Every program that one change of a PTX program gives: one fence anywhere, one stronger access.
fn ptx_changes(test: &Test, one_sided: bool) -> Vec<Changed> {
    let scopes = [Scope::Cta, Scope::Gpu, Scope::Sys];
    let mut found = Vec::new();
    for t in 0..test.threads.len() {
        let Body::Instructions(body) = &test.threads[t].body else { continue };
        let mut push = |cost: u32, change: &dyn Fn(&mut Vec<TestInstruction>)| {
            let mut changed = test.clone();
            if let Body::Instructions(body) = &mut changed.threads[t].body {
                change(body);
            }
            found.push((cost, changed));
        };
        for scope in scopes {
            let fences = [
                (Order::Acq, FenceOrder::Acquire),
                (Order::Rel, FenceOrder::Release),
                (Order::AcqRel, FenceOrder::AcqRel),
                (Order::Sc, FenceOrder::Sc),
            ];
            for (order, written) in fences.into_iter().skip(if one_sided { 0 } else { 2 }) {
                let price = cost(SiteKind::Slot(0), None, Strength { order, scope }, true);
                for at in 0..=body.len() {
                    let fence = Operation::Fence { order: Some(written), scope: Some(scope) };
                    push(price, &|body| body.insert(at, fence.clone().into()));
                }
            }
            for (i, instruction) in body.iter().enumerate() {
                let Some((access, _)) = instruction.operation.memory() else { continue };
                let (kind, orders) = match &instruction.operation {
                    Operation::Load { .. } => {
                        (SiteKind::Load, &[AccessOrder::Relaxed, AccessOrder::Acquire][..])
                    }
                    Operation::Store { .. } => {
                        (SiteKind::Store, &[AccessOrder::Relaxed, AccessOrder::Release][..])
                    }
                    _ => (
                        SiteKind::Rmw,
                        &[
                            AccessOrder::Relaxed,
                            AccessOrder::Acquire,
                            AccessOrder::Release,
                            AccessOrder::AcqRel,
                        ][..],
                    ),
                };
                let order = |o: AccessOrder| match o {
                    AccessOrder::Acquire => Order::Acq,
                    AccessOrder::Release => Order::Rel,
                    AccessOrder::AcqRel => Order::AcqRel,
                    AccessOrder::Weak => Order::Plain,
                    _ => Order::Rlx,
                };
                let volatile = access.order == Some(AccessOrder::Volatile);
                let reach = if volatile { Scope::Sys } else { access.scope.unwrap_or(Scope::Cta) };
                let now = Strength {
                    order: order(access.order.unwrap_or(AccessOrder::Weak)),
                    scope: reach,
                };
                for &written in orders {
                    let to = Strength { order: order(written), scope };
                    if !now.at_most(to) || now == to {
                        continue;
                    }
                    push(cost(kind, Some(now), to, true), &|body| {
                        if let Some(access) = body[i].operation.access_mut() {
                            (access.order, access.scope) = (Some(written), Some(scope));
                        }
                    });
                }
            }
        }
    }
    found
}

/// Every program that one change of a C program gives, in the statements of the threads and of
/// their `if`s.
fn c_changes(test: &Test, scoped: bool) -> Vec<Changed> {
    let scopes: &[Scope] =
        if scoped { &[Scope::Cta, Scope::Gpu, Scope::Sys] } else { &[Scope::Sys] };
    let written = |scope: Scope| scoped.then_some(CScope::Threads(scope));
    let orders = [
        CMemoryOrder::Relaxed,
        CMemoryOrder::Acquire,
        CMemoryOrder::Release,
        CMemoryOrder::AcqRel,
        CMemoryOrder::SeqCst,
    ];
    let mut found = Vec::new();
    for t in 0..test.threads.len() {
        let Body::Statements(body) = &test.threads[t].body else { continue };
        let inner = body.iter().position(|s| matches!(s.kind, StatementKind::If { .. }));
        for block in [None, inner].into_iter().take(1 + usize::from(inner.is_some())) {
            let statements = match block.map(|at| &body[at].kind) {
                Some(StatementKind::If { then, .. }) => then,
                _ => body,
            };
            let mut push = |cost: u32, change: &dyn Fn(&mut Vec<Statement>)| {
                let mut changed = test.clone();
                if let Body::Statements(body) = &mut changed.threads[t].body {
                    match block.map(|at| &mut body[at].kind) {
                        Some(StatementKind::If { then, .. }) => change(then),
                        _ => change(body),
                    }
                }
                found.push((cost, changed));
            };
            for (&scope, order) in scopes.iter().flat_map(|s| orders.map(|o| (s, o))) {
                let to = Strength { order: order.order(), scope };
                if order != CMemoryOrder::Relaxed {
                    let price = cost(SiteKind::Slot(0), None, to, scoped);
                    for at in 0..=statements.len() {
                        let fence = StatementKind::Fence { order, scope: written(scope) };
                        push(price, &|body| body.insert(at, fence.clone().into()));
                    }
                }
                for (i, statement) in statements.iter().enumerate() {
                    let Some((kind, now)) = access_of(&statement.kind) else { continue };
                    let fits = match kind {
                        SiteKind::Load => matches!(to.order, Order::Rlx | Order::Acq | Order::Sc),
                        SiteKind::Store => matches!(to.order, Order::Rlx | Order::Rel | Order::Sc),
                        _ => true,
                    };
                    if !fits || !now.at_most(to) || now == to {
                        continue;
                    }
                    push(cost(kind, Some(now), to, scoped), &|body| {
                        set(&mut body[i].kind, order, written(scope))
                    });
                }
            }
        }
    }
    found
}

fn access_of(kind: &StatementKind) -> Option<(SiteKind, Strength)> {
    let plain = Strength { order: Order::Plain, scope: Scope::Cta };
    let call = match kind {
        StatementKind::Store { .. } => return Some((SiteKind::Store, plain)),
        StatementKind::Assign { value: Some(Expression::Dereference(_)), .. } => {
            return Some((SiteKind::Load, plain));
        }
        StatementKind::Assign { value: Some(Expression::Atomic(call)), .. }
        | StatementKind::Evaluate(Expression::Atomic(call)) => call,
        _ => return None,
    };
    let scope = CScope::of_events(call.scope).unwrap_or(Scope::Sys);
    let now = Strength { order: call.order.unwrap_or(CMemoryOrder::SeqCst).order(), scope };
    let kind = match call.function {
        AtomicFunction::Load => SiteKind::Load,
        AtomicFunction::Store(_) => SiteKind::Store,
        _ => SiteKind::Rmw,
    };
    Some((kind, now))
}

fn set(kind: &mut StatementKind, order: CMemoryOrder, scope: Option<CScope>) {
    let atomic = |function: AtomicFunction, address: &Expression| {
        Expression::Atomic(Box::new(AtomicCall {
            function,
            address: address.clone(),
            order: Some(order),
            scope,
            object_first: false,
        }))
    };
    match kind {
        StatementKind::Store { address, value } => {
            *kind = StatementKind::Evaluate(atomic(AtomicFunction::Store(value.clone()), address));
        }
        StatementKind::Assign { value: Some(value), .. } | StatementKind::Evaluate(value) => {
            match value {
                Expression::Dereference(address) => *value = atomic(AtomicFunction::Load, address),
                Expression::Atomic(call) => (call.order, call.scope) = (Some(order), scope),
                _ => {}
            }
        }
        _ => {}
    }
}

/// Holds an answer against single changes, and the strongest ones also in pairs.
fn hold(text: &str, model: &Model, changes: impl Fn(&Test) -> Vec<Changed>) {
    let found = repair(text, model);
    let test = parse(text);
    let mut runner = Runner::new(model);
    let mut helps = |test: &Test, engine: Choice| {
        let verdict =
            runner.run(test, &Options::default(), engine).unwrap_or_else(|e| panic!("{e}\n{test}"));
        !verdict.reachable && verdict.racy != Some(true)
    };
    assert_eq!(found.already(), helps(&test, Choice::Both), "{text}");
    for repair in &found.repairs {
        assert_eq!(
            helps(&repair.test, Choice::Both),
            repair.racy != Some(true),
            "{text}\n{}",
            repair.test
        );
    }
    if found.already() {
        return;
    }
    let single = changes(&test);
    let explicit = Choice::Only(Engine::Explicit);
    for (cost, changed) in &single {
        if !found.is_repairable() || *cost < found.cost {
            assert!(
                !helps(changed, explicit),
                "{cost} is enough, said was {}:\n{text}\n{changed}",
                found.cost
            );
        }
    }
    if !found.is_repairable() {
        let most = single.iter().map(|(_, changed)| changed).step_by(5);
        for changed in most {
            for (_, twice) in changes(changed).iter().step_by(3) {
                assert!(!helps(twice, explicit), "{text}\n{twice}");
            }
        }
    }
}

fn cases(most: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(most)
}

/// An instruction of PTX on one of two locations; a load goes to the register of its position.
fn ptx_instruction(position: usize) -> impl Strategy<Value = String> {
    let orders = ["weak", "weak", "relaxed.cta", "relaxed.gpu", "volatile"];
    let access =
        (0..orders.len(), 0..2usize, any::<bool>()).prop_map(move |(order, location, store)| {
            let (order, location) = (orders[order], ["x", "y"][location]);
            if store {
                format!("st.{order} {location}, 1")
            } else {
                format!("ld.{order} r{position}, {location}")
            }
        });
    prop_oneof![
        8 => access,
        1 => Just("bar.cta.sync 0".to_owned()),
        1 => (0..2usize).prop_map(|l| format!("st.release.gpu {}, 1", ["x", "y"][l])),
        1 => (0..2usize).prop_map(move |l| format!("ld.acquire.gpu r{position}, {}", ["x", "y"][l])),
        1 => (0..3usize).prop_map(|f| format!("fence.{}", ["acq_rel.cta", "acq_rel.gpu", "sc.gpu"][f])),
    ]
}

/// A condition on two of the registers that loads go to.
fn asked(
    loads: &[(usize, usize)],
    values: [bool; 2],
    equal: &str,
    thread: &str,
    and: &str,
) -> String {
    let terms = loads.iter().rev().take(2).zip(values);
    let terms: Vec<String> =
        terms.map(|((t, r), v)| format!("{thread}{t}:r{r} {equal} {}", u8::from(v))).collect();
    if terms.is_empty() { "true".to_owned() } else { terms.join(and) }
}

prop_compose! {
    fn ptx()(
        threads in prop::collection::vec((ptx_instruction(0), ptx_instruction(1), ptx_instruction(2), 1..4usize), 2..4),
        places in 0..3usize,
        values in any::<[bool; 2]>(),
    ) -> String {
        let columns: Vec<Vec<String>> = threads.into_iter().map(|(a, b, c, n)| vec![a, b, c].into_iter().take(n).collect()).collect();
        let heads: Vec<String> = (0..columns.len()).map(|t| match places {
            0 => format!("P{t}@cta 0,gpu 0"),
            1 => format!("P{t}@cta {},gpu 0", t / 2),
            _ => format!("P{t}@cta {t},gpu 0"),
        }).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let mut text = format!("PTX t\n{{ x=0; y=0; }}\n {} ;\n", heads.join(" | "));
        for row in 0..rows {
            let cells: Vec<String> = columns.iter().map(|c| c.get(row).cloned().unwrap_or_default()).collect();
            text.push_str(&format!(" {} ;\n", cells.join(" | ")));
        }
        let loads: Vec<(usize, usize)> = columns.iter().enumerate()
            .flat_map(|(t, c)| c.iter().enumerate().filter(|(_, i)| i.starts_with("ld")).map(move |(r, _)| (t, r))).collect();
        format!("{text}exists ({})", asked(&loads, values, "==", "P", " /\\ "))
    }
}

/// A statement of C on one of two locations; a load goes to the variable of its position.
fn c_statement(position: usize, scoped: bool) -> impl Strategy<Value = String> {
    let scopes =
        if scoped { [", memory_scope_work_group", ", memory_scope_device"] } else { [""; 2] };
    (0..6usize, 0..2usize, 0..2usize, 0..3usize).prop_map(move |(kind, location, scope, order)| {
        let (x, scope) = (["x", "y"][location], scopes[scope]);
        let load = ["relaxed", "relaxed", "acquire"][order];
        let store = ["relaxed", "relaxed", "release"][order];
        match kind {
            0 => format!("*{x} = 1;"),
            1 => format!("int r{position} = *{x};"),
            2 | 3 => format!("atomic_store_explicit({x}, 1, memory_order_{store}{scope});"),
            _ => {
                format!("int r{position} = atomic_load_explicit({x}, memory_order_{load}{scope});")
            }
        }
    })
}

prop_compose! {
    fn c(scoped: bool)(
        threads in prop::collection::vec((c_statement(0, scoped), c_statement(1, scoped), c_statement(2, scoped), 1..4usize, any::<bool>()), 2..=2),
        places in 0..3usize,
        values in any::<[bool; 2]>(),
    ) -> String {
        let mut text = "C t\n{ x=0; y=0; }\n".to_owned();
        let mut loads: Vec<(usize, usize)> = Vec::new();
        for (t, (a, b, c, n, guarded)) in threads.into_iter().enumerate() {
            let mut body: Vec<String> = vec![a, b, c].into_iter().take(n).collect();
            loads.extend(body.iter().enumerate().filter(|(_, s)| s.starts_with("int")).map(|(r, _)| (t, r)));
            if guarded && body.len() > 1 && body[0].starts_with("int") {
                let rest = body.split_off(1).join(" ");
                body.push(format!("if (r0 == 1) {{ {rest} }}"));
            }
            let place = match places { 0 => "@wg 0,dev 0".to_owned(), 1 => format!("@wg {t},dev 0"), _ => format!("@wg {t},dev {t}") };
            let place = if scoped { place } else { String::new() };
            text.push_str(&format!("P{t}{place} (int* x, int* y) {{ {} }}\n", body.join(" ")));
        }
        format!("{text}exists ({})", asked(&loads, values, "=", "", " /\\ "))
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_ptx(text in ptx(), newer in any::<bool>()) {
        let model = model(if newer { "ptx-8" } else { "ptx-6.0" });
        hold(&text, &model, |test| ptx_changes(test, newer));
    }

    #[test]
    fn of_c_with_scopes(text in c(true)) {
        hold(&text, &model("rc11-scoped"), |test| c_changes(test, true));
    }

    #[test]
    fn of_c_without_scopes(text in c(false), older in any::<bool>()) {
        hold(&text, &model(if older { "rc11" } else { "c20" }), |test| c_changes(test, false));
    }
}
