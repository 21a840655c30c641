//! Not only the smallest counterexample: one of each cause, the worst first.

use margay_mappings::causes::{Causes, Weakness, causes};
use margay_mappings::check::{Level, Silent};

use crate::setup::{names, options, read, shipped};

/// The causes of the published mapping with other rows, programs of these constructs alone.
fn of(rows: &str, only: &str, bound: usize) -> Causes {
    let heads: Vec<&str> = rows.lines().filter_map(|l| l.split(' ').next()).collect();
    let text = shipped("rc11-to-ptx").to_string();
    let kept = text.lines().filter(|l| !heads.iter().any(|h| l.split(' ').next() == Some(h)));
    let text = format!("{}\n{rows}\n", kept.collect::<Vec<_>>().join("\n"));
    let mapping = read(&text).unwrap_or_else(|e| panic!("{text}\n{e:#?}"));
    let mut options = options(bound);
    options.level = Level::Program;
    options.only = names(only);
    causes(&mapping, &options, &Silent).unwrap_or_else(|e| panic!("{e:#?}"))
}

fn blamed(all: &Causes) -> Vec<(&str, usize, Vec<&str>)> {
    all.causes
        .iter()
        .map(|c| {
            (c.setting, c.counterexample.events, c.rows.iter().map(|(h, _)| h.as_str()).collect())
        })
        .collect()
}

/// A scope that is lost needs three events and two GPUs; an order that is lost needs four, and
/// every program with message passing on one GPU has it. The second one is worse, and the first one
/// is found, too.
#[test]
fn the_smallest_is_not_the_worst() {
    let rows = "W.REL.s => st.relaxed.s\nRMW.RLX.s => atom.relaxed.gpu";
    let found = of(rows, "R.NA,W.NA,R.ACQ,W.REL,W.RLX,RMW.RLX", 4);
    assert_eq!(
        blamed(&found),
        [
            ("one scope (device), one GPU", 4, vec!["W.REL.s"]),
            ("one scope (system), any GPUs", 3, vec!["RMW.RLX.s"])
        ]
    );
    assert!(found.causes.iter().all(|c| c.single));
    assert!(found.settings.iter().all(|(_, end)| *end == Ok(4)), "{:?}", found.settings);
}

/// Each cause alone is the only one.
#[test]
fn one_of_each() {
    let order = of("W.REL.s => st.relaxed.s", "R.NA,W.NA,R.ACQ,W.REL", 4);
    assert_eq!(blamed(&order), [("one scope (device), one GPU", 4, vec!["W.REL.s"])]);
    assert_eq!(order.causes[0].rows[0].1, "st.relaxed.s");
    let both = of("W.REL.s => st.relaxed.s\nR.ACQ.s => ld.relaxed.s", "R.NA,W.NA,R.ACQ,W.REL", 4);
    let mut heads: Vec<&str> = blamed(&both).into_iter().flat_map(|(_, _, rows)| rows).collect();
    heads.sort_unstable();
    heads.dedup();
    assert_eq!(heads, ["R.ACQ.s", "W.REL.s"], "{both:#?}");
    assert!(
        both.causes.iter().any(|c| !c.single),
        "with both wrong, neither alone mends it: {both:#?}"
    );
}

/// A mapping that stands has none, and a bound at which nothing can be wrong shows none.
#[test]
fn none() {
    let found = of("W.REL.s => st.release.s", "R.NA,W.NA,R.ACQ,W.REL", 4);
    assert!(found.causes.is_empty(), "{found:#?}");
    let found = of("W.REL.s => st.relaxed.s", "R.NA,W.NA,R.ACQ,W.REL", 3);
    assert!(found.causes.is_empty() && found.settings.iter().all(|(_, end)| *end == Ok(3)));
}

/// A table of a language without scopes, all of whose read-modify-writes are an `atom` without
/// order and scope. That all order is lost on one GPU is worse than that a scope is too narrow for
/// two, and neither hides the other: each dimension of a row's weakness is a cause of its own.
#[test]
fn order_and_scope_are_causes_of_their_own() {
    let table = |rmw: &str| {
        let rows: String = ["RLX", "ACQ", "REL", "ACQ_REL", "SC"]
            .iter()
            .map(|o| format!("RMW.{o} => {rmw}\n"))
            .collect();
        let text = format!(
            "mapping \"atomics without orders\" from c20 to ptx-8\noperations add\nR.NA => ld.weak\nR.RLX => ld.relaxed.sys\n\
             R.ACQ => ld.acquire.sys\nR.SC => fence.sc.sys ; ld.acquire.sys\nW.NA => st.weak\nW.RLX => st.relaxed.sys\n\
             W.REL => st.release.sys\nW.SC => fence.sc.sys ; st.release.sys\n{rows}F.ACQ => fence.acquire.sys\n\
             F.REL => fence.release.sys\nF.ACQ_REL => fence.acq_rel.sys\nF.SC => fence.sc.sys\n"
        );
        let mapping = read(&text).unwrap_or_else(|e| panic!("{e:#?}"));
        let mut options = options(5);
        options.level = Level::Program;
        options.only = names("R.NA,W.NA,R.ACQ,W.REL,RMW.RLX,RMW.ACQ,RMW.REL,RMW.ACQ_REL");
        causes(&mapping, &options, &Silent).unwrap_or_else(|e| panic!("{e:#?}"))
    };
    let naive = table("atom");
    let all = |found: &Causes| -> Vec<(&str, Weakness, usize)> {
        found.causes.iter().map(|c| (c.setting, c.weakness, c.counterexample.events)).collect()
    };
    assert_eq!(
        all(&naive),
        [
            ("without scopes, one GPU", Weakness::Order, 5),
            ("without scopes, any GPUs", Weakness::Scope, 3)
        ],
        "{:#?}",
        blamed(&naive)
    );
    let rows = |cause: usize| -> Vec<&str> {
        let mut heads: Vec<&str> = naive.causes[cause]
            .rows
            .iter()
            .filter_map(|(head, _)| head.split(' ').next())
            .collect();
        heads.sort_unstable();
        heads
    };
    assert_eq!(rows(0), ["RMW.ACQ", "RMW.ACQ_REL", "RMW.REL"]);
    assert_eq!(rows(1), ["RMW.ACQ", "RMW.ACQ_REL", "RMW.REL", "RMW.RLX"]);
    let wide = table("atom.relaxed.sys");
    assert_eq!(all(&wide), [("without scopes, one GPU", Weakness::Order, 5)]);
    assert!(wide.settings.iter().all(|(_, end)| *end == Ok(5)), "{:?}", wide.settings);
}

/// Operations that all have system scope are asked about on one GPU, too; and what differs by the
/// type of the object is one cause.
#[test]
fn system_scope_alone_is_asked_about_on_one_gpu() {
    let text =
        shipped("llvm-23-sm90").file.text.replace("scopes cta cluster gpu sys", "scopes sys");
    let line = |line: &str| match line.split_once("=>") {
        Some((head, body)) if head.starts_with("W.REL.s") => {
            format!("{head}=>{}", body.replace("st.release", "st.relaxed"))
        }
        _ => line.to_owned(),
    };
    let mapping = read(&text.lines().map(line).collect::<Vec<_>>().join("\n"))
        .unwrap_or_else(|e| panic!("{e:#?}"));
    let mut options = options(4);
    options.level = Level::Program;
    options.only = names("R.NA,W.NA,R.ACQ,W.REL");
    let found = causes(&mapping, &options, &Silent).unwrap_or_else(|e| panic!("{e:#?}"));
    assert_eq!(blamed(&found), [("one scope (system), one GPU", 4, vec!["W.REL.s b32"])]);
    assert_eq!(found.causes[0].weakness, Weakness::Order);
    assert_eq!(found.settings.len(), 2, "{:?}", found.settings);
}
