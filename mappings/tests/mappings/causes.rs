//! Not only the smallest counterexample: one of each cause, the worst first.

use margay_mappings::causes::{Causes, causes};
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
    all.causes.iter().map(|c| (c.setting, c.counterexample.events, c.rows.iter().map(|(h, _)| h.as_str()).collect())).collect()
}

/// A scope that is lost needs three events and two GPUs; an order that is lost needs four, and every program with message passing on
/// one GPU has it. The second one is worse, and the first one is found, too.
#[test]
fn the_smallest_is_not_the_worst() {
    let rows = "W.REL.s => st.relaxed.s\nRMW.RLX.s => atom.relaxed.gpu";
    let found = of(rows, "R.NA,W.NA,R.ACQ,W.REL,W.RLX,RMW.RLX", 4);
    assert_eq!(
        blamed(&found),
        [("one scope (device), one GPU", 4, vec!["W.REL.s"]), ("one scope (system), any GPUs", 3, vec!["RMW.RLX.s"])]
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
    assert!(both.causes.iter().any(|c| !c.single), "with both wrong, neither alone mends it: {both:#?}");
}

/// A mapping that stands has none, and a bound at which nothing can be wrong shows none.
#[test]
fn none() {
    let found = of("W.REL.s => st.release.s", "R.NA,W.NA,R.ACQ,W.REL", 4);
    assert!(found.causes.is_empty(), "{found:#?}");
    let found = of("W.REL.s => st.relaxed.s", "R.NA,W.NA,R.ACQ,W.REL", 3);
    assert!(found.causes.is_empty() && found.settings.iter().all(|(_, end)| *end == Ok(3)));
}
