//! Every small change of what ptx-8.cat says of mbarriers and asynchronous operations (a step, a
//! branch, a set dropped): a test of the corpus tells it, or it changes nothing, for the reason
//! that is given here. This holds in both directions: a change that a test tells may not be
//! listed.

use std::collections::BTreeSet;

use margay_litmus::engine::Choice;
use margay_models::cat;
use margay_models::diagnostic::SourceFile;

use crate::mutate::{Mutant, is_of_programs, mutants};
use crate::{differing, model, on_all_cores, shipped, tests_of};

/// Changes without effect, and why.
const WITHOUT_EFFECT: [(&str, &[&str]); 19] = [
    (
        "First and last operation of the patterns are morally strong, as accesses of two places are not.",
        &[
            "shared-release: drop `F` from `F & REL & SHARED`",
            "shared-acquire: drop `F` from `F & ACQ & SHARED`",
        ],
    ),
    (
        "What is waited for is asynchronous, and what is asynchronous is of shared, global or tensor memory.",
        &["tensor: drop `ASYNC` from `M & ASYNC`"],
    ),
    (
        "Nothing else accesses an mbarrier.",
        &[
            "same-mbarrier: `_ * MBARRIER` for `MBARRIER * MBARRIER`",
            "same-mbarrier: `MBARRIER * _` for `MBARRIER * MBARRIER`",
            "restricted: drop `[GEN]` from `async_issue; [GEN]`",
        ],
    ),
    (
        "Within a thread program order orders whatever a pattern there would.",
        &[
            "narrow-mbarrier: drop `po` from `po | po^-1 | sr`",
            "narrow-mbarrier: drop `po^-1` from `po | po^-1 | sr`",
            "narrow-mbarrier: `po` for `po^-1`",
        ],
    ),
    (
        "Of the events of an operation only its writes of mbarriers release, at scope cluster where it is no `cp.async.mbarrier.arrive`; nothing stands behind them.",
        &[
            "commits: drop `W` from `W & MBARRIER & REL & CLUSTER`",
            "commits: drop `MBARRIER` from `W & MBARRIER & REL & CLUSTER`",
            "commits: drop `REL` from `W & MBARRIER & REL & CLUSTER`",
            "commits: drop `[W & MBARRIER]` from `async_issue; [W \\ MBARRIER]; po; [W & MBARRIER]`",
            "commits: drop `MBARRIER` from `W \\ MBARRIER`",
            "commits: drop `W` from `W & MBARRIER`",
            "commits: drop `MBARRIER` from `W & MBARRIER`",
        ],
    ),
    (
        "Observation begins at a write.",
        &[
            "releases-initialisation: drop `W` from `W & strong`",
            "release-of-shared: drop `W` from `W & strong`",
            "synchronizes-proxies: drop `W` from `W & strong`",
        ],
    ),
    (
        "`sync_barrier` begins at an arrival.",
        &[
            "releases-initialisation: drop `B` from `B & RLX & CLUSTER`",
            "synchronizes-shared: drop `B` from `B & RLX & CLUSTER`",
            "launched-maps: drop `B` from `B & SYS`",
            "No-Thin-Air: drop `B` from `B & (RLX | ACQ)`",
        ],
    ),
    (
        "The fence is of scope cluster, and so is the barrier.",
        &[
            "synchronizes-shared: drop `sr` from `([shared-release]; po; [B & RLX & CLUSTER]; sync_barrier) & sr`",
        ],
    ),
    (
        "What a store itself releases is observed, and causality order begins with observation.",
        &["shared-causality: `base-causality` for `base-causality?`"],
    ),
    (
        "No path of base causality order goes into an operation but to its arrival, so that what is in the async proxy and has a path of its own to an asynchronous access is a fence.",
        &["enter-async: drop `F` from `F & ASYNC & S`"],
    ),
    (
        "No path leaves an operation in another way.",
        &[
            "from-async: drop `completed | po; [W & MBARRIER]` from `[ASYNC | TENSORMAP]; (completed | po; [W & MBARRIER])`",
            "from-async: drop `[W & MBARRIER]` from `po; [W & MBARRIER]`",
            "from-async: drop `W` from `W & MBARRIER`",
            "from-async: drop `MBARRIER` from `W & MBARRIER`",
            "told: drop `W` from `W & MBARRIER`",
            "told: drop `MBARRIER` from `W & MBARRIER`",
        ],
    ),
    (
        "Shared memory is reached by no other proxy than these two.",
        &[
            "restricted: drop `from-generic` from `[SHARED]; from-generic; shared-causality; (to-generic | into-async | async_issue; [GEN])`",
            "restricted: drop `from-generic` from `[SHARED]; from-generic; base-causality; synchronizes-proxies(ASYNC & SHARED); into-async`",
        ],
    ),
    (
        "It ends at the fence of one direction, which `into-async` begins with: that is of shared memory, and of one place.",
        &[
            "restricted: drop `[SHARED]` from `[SHARED]; from-generic; base-causality; synchronizes-proxies(ASYNC & SHARED); into-async`",
        ],
    ),
    (
        "The fences of `tcgen05` have no scope, and are morally strong with nothing.",
        &["restricted: drop `SHARED` from `ASYNC & SHARED`"],
    ),
    (
        "No access has what these fences have.",
        &[
            "synchronizes-proxies: drop `F` from `F & REL & P`",
            "synchronizes-proxies: drop `F` from `F & ACQ & P`",
            "released-map: drop `F` from `F & REL & TENSORMAP & GLOBAL`",
            "released-map: drop `F` from `F & REL & TENSORMAP`",
            "synchronizes-maps: drop `F` from `F & REL & TENSORMAP`",
            "synchronizes-maps: drop `F` from `F & ACQ & TENSORMAP`",
            "acquired-map: drop `F` from `F & ACQ & TENSORMAP`",
            "launched-maps: drop `F` from `F & ACQ & TENSORMAP`",
            "before-sync: drop `F` from `F & REL & ASYNC`",
            "after-sync: drop `F` from `F & ACQ & ASYNC`",
            "acquired-map: drop `M` from `M & TENSORMAP`",
            "tensor: drop `M` from `M & ASYNC`",
        ],
    ),
    (
        "What it is composed with says the same of this fence.",
        &[
            "released-map: drop `[F & REL & TENSORMAP]` from `base-causality; [F & REL & TENSORMAP]`",
            "released-map: drop `REL` from `F & REL & TENSORMAP & GLOBAL`",
            "released-map: drop `TENSORMAP` from `F & REL & TENSORMAP & GLOBAL`",
            "released-map: drop `REL` from `F & REL & TENSORMAP`",
            "released-map: drop `TENSORMAP` from `F & REL & TENSORMAP`",
            "synchronizes-maps: drop `[F & REL & TENSORMAP]` from `[F & REL & TENSORMAP]; map-causality; [F & ACQ & TENSORMAP]`",
            "synchronizes-maps: drop `[F & ACQ & TENSORMAP]` from `[F & REL & TENSORMAP]; map-causality; [F & ACQ & TENSORMAP]`",
            "synchronizes-maps: drop `REL` from `F & REL & TENSORMAP`",
            "synchronizes-maps: drop `TENSORMAP` from `F & REL & TENSORMAP`",
            "synchronizes-maps: drop `ACQ` from `F & ACQ & TENSORMAP`",
            "synchronizes-maps: drop `TENSORMAP` from `F & ACQ & TENSORMAP`",
            "acquired-map: drop `[F & ACQ & TENSORMAP]` from `[F & ACQ & TENSORMAP]; before-async & scta; [M & TENSORMAP]`",
            "acquired-map: drop `ACQ` from `F & ACQ & TENSORMAP`",
            "acquired-map: drop `TENSORMAP` from `F & ACQ & TENSORMAP`",
            "launched-maps: drop `[F & ACQ & TENSORMAP]` from `[B & SYS]; sync_barrier; base-causality; [F & ACQ & TENSORMAP]`",
            "launched-maps: drop `ACQ` from `F & ACQ & TENSORMAP`",
            "launched-maps: drop `TENSORMAP` from `F & ACQ & TENSORMAP`",
        ],
    ),
    (
        "It ends at a read, of which the axiom Causality asks for one place.",
        &["map-order: drop `loc` from `(base-causality; launched-maps; acquired-map) & loc`"],
    ),
    (
        "Nothing else accesses tensor memory, and the other access is of one place with it.",
        &[
            "told: drop `[tensor]` from `[tensor]; completed; (po; [before-sync] | [W & MBARRIER])`",
            "piped: drop `[tensor]` from `[tensor]; async_complete; [before-sync]`",
            "tensor-order: drop `[tensor]` from `told; [after-sync]; async_issue; [tensor]`",
            "multiplied: drop `[tensor]` from `[R & ASYNC & SHARED]; po; [R & ASYNC & SHARED]; po; [tensor]`",
        ],
    ),
    (
        "A `mma` reads tensor memory before shared memory, all that it does is asynchronous, and it writes once, at its end.",
        &[
            "multiplied: drop `[R & ASYNC & SHARED]` from `[R & ASYNC & SHARED]; po; [R & ASYNC & SHARED]; po; [tensor]` #2",
            "multiplied: drop `R` from `R & ASYNC & SHARED`",
            "multiplied: drop `ASYNC` from `R & ASYNC & SHARED`",
            "multiplied: drop `R` from `R & ASYNC & SHARED` #2",
            "multiplied: drop `ASYNC` from `R & ASYNC & SHARED` #2",
            "multiplied: drop `SHARED` from `R & ASYNC & SHARED` #2",
        ],
    ),
];

#[test]
#[ignore = "takes long; --ignored runs it"]
fn every_small_change_is_told_or_has_no_effect() {
    let parsed = cat::parse(&SourceFile::new("ptx-8.cat", shipped()));
    let changed: Vec<Mutant> =
        mutants(&parsed.file).into_iter().filter(|m| is_of_programs(&m.change)).collect();
    assert!(changed.len() > 250, "{} changes", changed.len());
    // Exits and launches are in folders of their own.
    let tests: Vec<_> =
        ["asynchronous", "isa-8", "isa-8-launches"].into_iter().flat_map(tests_of).collect();
    let is_untold = |number: usize| {
        let mutant = &changed[number];
        let told = differing(&model(mutant.file.to_string()), &tests, Choice::Auto).next();
        told.is_none().then(|| mutant.change.clone())
    };
    let untold: BTreeSet<String> =
        on_all_cores(changed.len(), is_untold).into_iter().flatten().collect();
    let known: BTreeSet<String> =
        WITHOUT_EFFECT.iter().flat_map(|(_, changes)| *changes).map(|c| (*c).to_owned()).collect();
    let missing: Vec<&String> = untold.difference(&known).collect();
    let told: Vec<&String> = known.difference(&untold).collect();
    assert!(
        missing.is_empty() && told.is_empty(),
        "no test tells {missing:#?}\na test tells, or there is no such change {told:#?}"
    );
}
