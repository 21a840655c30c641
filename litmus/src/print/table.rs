//! The tabular forms: Dartagnan's PTX, the generic one, and that of the 2015 paper (its Fig. 12).

use std::collections::BTreeMap;

use margay_models::execution::{Proxy, Scope};

use super::instruction::{instruction, type_suffix};
use super::{braces, initial, locations};
use crate::test::{
    Body, Dialect, HOST, LaunchOrder, LocationDeclaration, Operation, RegisterDeclaration, Test,
    ThreadId,
};

/// Initial state and program of a test in the tabular syntax.
pub(super) fn tabular(test: &Test, out: &mut String) {
    let mut groups = vec![locations(test.locations.iter(), location)];
    for thread in threads(test) {
        let of_thread = test.registers.iter().filter(|r| r.thread == thread);
        groups.push(of_thread.map(|r| register(r, &thread.to_string())).collect());
    }
    out.push_str(&braces(&groups));
    out.push('\n');
    let signature = test.dialect.signature();
    let clusters = signature.tabular().is_some() || shows_clusters(test);
    let levels: Vec<Scope> =
        signature.scopes(clusters).iter().copied().filter(|&s| s != Scope::Sys).collect();
    let header = |t: ThreadId| {
        let numbers = test.threads[t.index()].placement.iter().flat_map(|place| {
            levels
                .iter()
                .map(|&scope| format!("{} {}", signature.scope_name(scope), place.number(scope)))
        });
        let mut numbers: Vec<String> = numbers.collect();
        let of_place = test
            .instructions(t)
            .iter()
            .filter_map(|i| of_place(&i.operation))
            .map(|order| format!(" {}", order.text()));
        let of_place = of_place.collect::<String>();
        if let (Dialect::Text(_), Some(last)) = (test.dialect, numbers.last_mut()) {
            *last += &of_place;
        }
        if let (Some(place), Dialect::Ptx) = (test.threads[t.index()].placement, test.dialect) {
            let kernel = format!("kernel {}{of_place}", place.kernel);
            match place.kernel {
                HOST => numbers = vec!["host".to_owned()],
                _ if launches(test) => numbers.insert(0, kernel),
                _ => {}
            }
            if place.kernel != HOST && warps(test) {
                numbers.insert(0, format!("warp {}", place.warp));
            }
        }
        if numbers.is_empty() { t.to_string() } else { format!("{t}@{}", numbers.join(",")) }
    };
    columns(test, &threads(test).map(header).collect::<Vec<_>>(), out);
}

/// Initial state, program, scope tree and memory map of a test in the form of the 2015 paper.
pub(super) fn gpu_ptx(test: &Test, out: &mut String) {
    // The memory map declares what comes behind all others.
    let is_declared =
        |l: &LocationDeclaration| l.value.is_some() || l.alias.is_some() || l.space.is_none();
    let declared = test.locations
        [..test.locations.iter().rposition(is_declared).map_or(0, |last| last + 1)]
        .iter();
    // Their state spaces are in the memory map.
    let unmapped =
        |l: &LocationDeclaration| location(&LocationDeclaration { space: None, ..l.clone() });
    let mut groups = vec![locations(declared, unmapped)];
    for thread in threads(test) {
        let of_thread = test.registers.iter().filter(|r| r.thread == thread);
        groups.push(of_thread.map(|r| register(r, &thread.0.to_string())).collect());
    }
    out.push_str(&braces(&groups));
    out.push('\n');
    columns(test, &threads(test).map(|t| format!("T{}", t.0)).collect::<Vec<_>>(), out);
    if test.threads.iter().any(|t| t.placement.is_some()) {
        out.push_str(&scope_tree(test));
        out.push('\n');
    }
    let mapped: Vec<String> = test
        .locations
        .iter()
        .filter_map(|l| l.space.map(|s| format!("{}: {}", l.name, s.name())))
        .collect();
    if !mapped.is_empty() {
        out.push_str(&mapped.join(", "));
        out.push('\n');
    }
}

fn threads(test: &Test) -> impl Iterator<Item = ThreadId> + use<> {
    (0..test.threads.len()).map(|t| ThreadId(t as u16))
}

/// An order of launches that is written in the place of a thread, and not among its instructions.
fn of_place(operation: &Operation) -> Option<LaunchOrder> {
    match operation {
        Operation::Launches(order) if order.is_of_place() => Some(*order),
        _ => None,
    }
}

/// Are there several launches, or orders of them?
fn launches(test: &Test) -> bool {
    let places = test.threads.iter().filter_map(|t| t.placement);
    let mut instructions = threads(test).flat_map(|t| test.instructions(t));
    places.into_iter().any(|p| p.kernel != 0)
        || instructions.any(|i| matches!(i.operation, Operation::Launches(_)))
}

/// Does it matter which threads are of one warp?
fn warps(test: &Test) -> bool {
    let places = test.threads.iter().filter_map(|t| t.placement);
    let mut instructions = threads(test).flat_map(|t| test.instructions(t));
    places.into_iter().any(|p| p.warp != 0)
        || instructions.any(|i| matches!(i.operation, Operation::Warp(_)))
}

/// A header names clusters if they are not simply those of the ctas.
fn shows_clusters(test: &Test) -> bool {
    test.threads.iter().filter_map(|t| t.placement).any(|p| p.cluster != p.cta)
}

fn location(l: &LocationDeclaration) -> String {
    let is = match (l.mbarrier, l.space) {
        (true, _) => "mbarrier ".to_owned(),
        (false, Some(space)) => format!("{} ", space.name()),
        (false, None) => String::new(),
    };
    match (&l.alias, &l.value) {
        (Some(alias), _) => format!("{is}{} @ {} aliases {}", l.name, proxy(alias.proxy), alias.of),
        (None, Some(value)) => format!("{is}{}={}", l.name, initial(value)),
        (None, None) => format!("{is}{}", l.name),
    }
}

fn proxy(proxy: Proxy) -> &'static str {
    match proxy {
        Proxy::Generic | Proxy::Alias => "generic",
        Proxy::Surface => "surface",
        Proxy::Texture => "texture",
        Proxy::Constant => "constant",
        // No name is declared for these.
        Proxy::Async | Proxy::Tensormap => "generic",
    }
}

fn register(r: &RegisterDeclaration, thread: &str) -> String {
    let value = r.value.as_ref().map(initial);
    match (r.ty, value) {
        (Some(ty), Some(value)) => {
            format!("{thread}:.reg {} {}={value}", type_suffix(Some(ty)), r.name)
        }
        (Some(ty), None) => format!("{thread}:.reg {} {}", type_suffix(Some(ty)), r.name),
        (None, Some(value)) => format!("{thread}:{}={value}", r.name),
        (None, None) => format!("{thread}:{}", r.name),
    }
}

/// The header and the rows, in aligned columns.
fn columns(test: &Test, headers: &[String], out: &mut String) {
    let cells: Vec<Vec<String>> = test
        .threads
        .iter()
        .map(|t| match &t.body {
            Body::Instructions(instructions) => {
                let written = instructions.iter().filter(|i| of_place(&i.operation).is_none());
                written.map(|i| instruction(i, test.dialect)).collect()
            }
            Body::Statements(_) => Vec::new(),
        })
        .collect();
    let width = |t: usize| {
        cells[t]
            .iter()
            .chain(headers.get(t))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..headers.len()).map(width).collect();
    let rows = cells.iter().map(Vec::len).max().unwrap_or_default();
    let mut line = |cell: &dyn Fn(usize) -> String| {
        let padded: Vec<String> =
            widths.iter().enumerate().map(|(t, &w)| format!(" {:w$} ", cell(t))).collect();
        out.push_str(&padded.join("|"));
        out.push_str(";\n");
    };
    line(&|t| headers[t].clone());
    for row in 0..rows {
        line(&|t| cells[t].get(row).cloned().unwrap_or_default());
    }
}

/// `ScopeTree(grid(cta(warp T0) (warp T1)))`; with `cluster` nodes where clusters differ from ctas,
/// and a `system` node around the grids of several gpus.
fn scope_tree(test: &Test) -> String {
    let clusters = shows_clusters(test);
    type Warps = BTreeMap<u16, Vec<ThreadId>>;
    let mut tree: BTreeMap<u16, BTreeMap<u16, BTreeMap<u16, Warps>>> = BTreeMap::new();
    for thread in threads(test) {
        let p = test.placement(thread);
        tree.entry(p.gpu)
            .or_default()
            .entry(if clusters { p.cluster } else { 0 })
            .or_default()
            .entry(p.cta)
            .or_default()
            .entry(p.warp)
            .or_default()
            .push(thread);
    }
    let node = |kind: &str, children: Vec<String>| format!("{kind}{}", children.join(" "));
    let wrap = |inner: String| format!("({inner})");
    let warp =
        |threads: &Vec<ThreadId>| threads.iter().map(|t| format!(" T{}", t.0)).collect::<String>();
    let cta = |warps: &Warps| {
        wrap(node(
            "cta",
            warps.values().map(|threads| format!("(warp{})", warp(threads))).collect(),
        ))
    };
    let grids: Vec<String> = tree
        .values()
        .map(|in_gpu| {
            let children = in_gpu.values().flat_map(|in_cluster| {
                let ctas: Vec<String> = in_cluster.values().map(cta).collect();
                if clusters { vec![wrap(node("cluster", ctas))] } else { ctas }
            });
            node("grid", children.collect())
        })
        .collect();
    match grids.as_slice() {
        [grid] => format!("ScopeTree({grid})"),
        _ => format!("ScopeTree({})", node("system", grids.into_iter().map(wrap).collect())),
    }
}

#[cfg(test)]
mod tests {
    use margay_models::execution::Placement;

    use super::*;
    use crate::test::{
        Access, AccessOrder, Address, Condition, Dialect, Operation, Proposition, Quantifier,
        TestOperand, Thread,
    };

    fn thread(placement: Placement) -> Thread {
        let store = Operation::Store {
            access: Access { order: Some(AccessOrder::Weak), ..Access::default() },
            address: Address::location("x"),
            value: TestOperand::Integer(1),
        };
        Thread {
            placement: Some(placement),
            parameters: Vec::new(),
            body: Body::Instructions(vec![store.into()]),
            place: Default::default(),
        }
    }

    fn test(dialect: Dialect, placements: &[Placement]) -> Test {
        Test {
            dialect,
            sequencing: Default::default(),
            name: "t".into(),
            description: None,
            locations: Vec::new(),
            registers: Vec::new(),
            threads: placements.iter().map(|&p| thread(p)).collect(),
            observed: Vec::new(),
            filter: None,
            condition: Condition { quantifier: Quantifier::Exists, proposition: Proposition::True },
        }
    }

    #[test]
    fn clusters_are_named_where_they_join_ctas() {
        let p = |cluster, cta| Placement { cluster, cta, ..Placement::default() };
        let apart = test(Dialect::Ptx, &[p(0, 0), p(1, 1)]).to_string();
        assert!(apart.contains(" P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;"), "{apart}");
        let joined = test(Dialect::Ptx, &[p(0, 0), p(0, 1)]).to_string();
        assert!(
            joined.contains(" P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;"),
            "{joined}"
        );
    }

    #[test]
    fn scope_trees_nest_as_in_the_2015_paper() {
        let p = |gpu, cta| Placement { gpu, cluster: cta, cta, ..Placement::default() };
        let second = Placement { warp: 1, ..p(0, 0) };
        assert!(
            test(Dialect::GpuPtx, &[p(0, 0), p(0, 0)])
                .to_string()
                .contains("ScopeTree(grid(cta(warp T0 T1)))")
        );
        assert!(
            test(Dialect::GpuPtx, &[p(0, 0), second])
                .to_string()
                .contains("ScopeTree(grid(cta(warp T0) (warp T1)))")
        );
        assert!(
            test(Dialect::GpuPtx, &[p(0, 0), p(0, 1)])
                .to_string()
                .contains("ScopeTree(grid(cta(warp T0)) (cta(warp T1)))")
        );
        let systems = test(Dialect::GpuPtx, &[p(0, 0), p(1, 1)]).to_string();
        assert!(
            systems.contains("ScopeTree(system(grid(cta(warp T0))) (grid(cta(warp T1))))"),
            "{systems}"
        );
    }
}
