//! Changes of the models that no execution can tell from the original, each with the reason. The
//! test is strict in both directions: a change that some litmus test notices may not be listed, and
//! random executions must agree that a listed one changes nothing.

/// Changes without effect.
pub struct Known {
    /// The models that have them.
    pub models: &'static [&'static str],
    /// The changes, as [`crate::mutate::Mutant`] describes them.
    pub changes: &'static [&'static str],
    /// Why no execution can tell.
    pub reason: &'static str,
}

/// The changes of a model without effect.
pub fn known(model: &str) -> impl Iterator<Item = &'static str> {
    KNOWN.iter().filter(move |k| k.models.contains(&model)).flat_map(|k| k.changes.iter().copied())
}

const C: &[&str] =
    &["rc11", "rc11-lb", "rc11-scoped", "rc11-scoped-mo-atomic", "c20", "c20-scoped"];
const C_SCOPED: &[&str] = &["rc11-scoped", "rc11-scoped-mo-atomic", "c20-scoped"];
const PTX: &[&str] = &["ptx-6.0", "ptx-6.0-any-fence", "ptx-6.0-strong-patterns", "ptx-8"];
const PTX_6: &[&str] = &["ptx-6.0", "ptx-6.0-any-fence", "ptx-6.0-strong-patterns"];

/// The table.
pub const KNOWN: &[Known] = &[
    Known {
        models: &["tso"],
        changes: &["ppo: `R * _` for `R * M`", "ppo: `_ * W` for `W * W`"],
        reason: "A fence has no other edges than those of `fence`, and what precedes one that way precedes everything after it anyway.",
    },
    Known {
        models: &["tso"],
        changes: &["fence: drop `po; [RMW]` from `po; [F]; po | [RMW]; po | po; [RMW]`"],
        reason: "An access before an RMW precedes the write half by ppo (a store) or the read half by ppo (a load). What the read half \
                 precedes by fr, the write half precedes by co, because of Atomicity; what it precedes in its thread, the write half \
                 precedes by `[RMW]; po`.",
    },
    Known {
        models: &["tso"],
        changes: &["SC-per-Location: drop `co` from `rf | co | fr | po-loc`"],
        reason: "po_loc without store-to-load is in ppo, so a cycle through co is one of Causality, unless a store is followed by a load \
                 in it; the edge after the load is fr then, and co before the store makes that fr bypass it.",
    },
    Known {
        models: C,
        changes: &["rs: drop `W` from `W & A`", "sw: drop `R` from `R & A`"],
        reason: "Reads-from goes from writes to reads.",
    },
    Known {
        models: C_SCOPED,
        changes: &[
            "rs: drop `A` from `W & A`",
            "sw: drop `A` from `R & A`",
            "sw: drop `[R & A]` from `[release]; ([F]; sb)?; rs; incl & rf; [R & A]; (sb; [F])?; [acquire]`",
        ],
        reason: "Next to it stands `incl & rf`, and only atomic operations have a scope. (The change is told in rc11.)",
    },
    Known {
        models: &["rc11-scoped", "rc11-scoped-mo-atomic"],
        changes: &["rs: drop `[W & A]` from `[W]; sb-loc?; [W & A]; (incl & rf; rmw)*`"],
        reason: "`incl & rf` follows, and only atomic operations have a scope. (The change is told in rc11.)",
    },
    Known {
        models: &["c20-scoped"],
        changes: &["rs: drop `[W & A]` from `[W & A]; (incl & rf; rmw)*`"],
        reason: "`incl & rf` follows, which goes from writes, and only atomic operations have a scope.",
    },
    Known {
        models: &["c20", "c20-scoped"],
        changes: &["sb-loc: drop `sb` from `sb & loc`"],
        reason: "Without same-thread release sequences, sb-loc is used only to be taken away from sb.",
    },
    Known {
        models: C,
        changes: &["psc-base: `hb` for `hb?`", "psc-base: `hb` for `hb?` #2"],
        reason: "The fence itself is in [SC], which stands beside.",
    },
    Known {
        models: C,
        changes: &[
            "psc-base: drop `SC` from `F & SC`",
            "psc-base: drop `SC` from `F & SC` #2",
            "psc-fence: drop `SC` from `F & SC`",
            "psc-fence: drop `SC` from `F & SC` #2",
        ],
        reason: "A weaker fence then begins edges of psc or ends them, but not both, so it is in no cycle.",
    },
    Known {
        models: C,
        changes: &["psc-fence: drop `hb` from `hb | hb; eco; hb`"],
        reason: "Happens-before between two fences has a step of sb, which is one of scb, or is fence-to-fence synchronisation, which is \
                 sb, then reads-from (part of eco), then sb.",
    },
    Known {
        models: C,
        changes: &["Coherence: `eco` for `eco?`"],
        reason: "A cycle of hb passes through a reads-from edge of some sw (sb alone is acyclic), and eco along that edge closes the same cycle.",
    },
    Known {
        models: PTX,
        changes: &[
            "morally-strong: drop `strong * strong` from `strong * strong & sr`",
            "morally-strong: `_ * strong` for `strong * strong`",
            "morally-strong: `strong * _` for `strong * strong`",
        ],
        reason: "`sr` relates operations with scopes, and only strong operations have one.",
    },
    Known {
        models: PTX_6,
        changes: &["morally-strong: drop `po` from `po | po^-1 | strong * strong & sr`"],
        reason: "Communication in the direction of program order is in po_loc already; the checks that every pair is related look in both directions; and \
                 synchronisation within a thread orders nothing that the axioms do not forbid by SC-per-Location. (Dropping po^-1 is told.)",
    },
    Known {
        models: PTX_6,
        changes: &[
            "pattern-rel: drop `W` from `W & release`",
            "pattern-acq: drop `R` from `R & acquire`",
        ],
        reason: "A fence accesses no location, so it has no po_loc, and its write (or read) has to be itself.",
    },
    Known {
        models: &["ptx-6.0", "ptx-6.0-any-fence"],
        changes: &[
            "pattern-rel: drop `[W]` from `[W & release]; po-loc?; [W]`",
            "pattern-acq: drop `[R]` from `[R]; po-loc?; [R & acquire]`",
        ],
        reason: "obs stands beside, which goes from writes to reads.",
    },
    Known {
        models: &["ptx-6.0"],
        changes: &[
            "pattern-rel: drop `[W]` from `[F & release]; po; [W]`",
            "pattern-acq: drop `[R]` from `[R]; po; [F & acquire]`",
        ],
        reason: "obs stands beside, which goes from writes to reads.",
    },
    Known {
        models: &["ptx-6.0-any-fence"],
        changes: &[
            "pattern-rel: drop `[W]` from `[F]; po; [W]`",
            "pattern-acq: drop `[R]` from `[R]; po; [F]`",
        ],
        reason: "obs stands beside, which goes from writes to reads.",
    },
    Known {
        models: &["ptx-6.0-strong-patterns"],
        changes: &[
            "pattern-rel: drop `W` from `W & strong`",
            "pattern-rel: drop `W` from `W & strong` #2",
            "pattern-rel: drop `strong` from `W & strong`",
            "pattern-rel: drop `strong` from `W & strong` #2",
            "pattern-rel: drop `[W & strong]` from `[W & release]; po-loc?; [W & strong]`",
            "pattern-rel: drop `[W & strong]` from `[F & release]; po; [W & strong]`",
            "pattern-acq: drop `R` from `R & strong`",
            "pattern-acq: drop `R` from `R & strong` #2",
            "pattern-acq: drop `strong` from `R & strong`",
            "pattern-acq: drop `strong` from `R & strong` #2",
            "pattern-acq: drop `[R & strong]` from `[R & strong]; po-loc?; [R & acquire]`",
            "pattern-acq: drop `[R & strong]` from `[R & strong]; po; [F & acquire]`",
        ],
        reason: "obs stands beside, which goes from writes to reads, and begins or ends with a weak operation only within a thread; \
                 docs/semantics.md says why that changes nothing: the reading is equivalent to the main one.",
    },
    Known {
        models: PTX_6,
        changes: &["Fence-SC: drop `sync_fence` from `sync_fence; cause`"],
        reason: "Causality order without Fence-SC order in it is irreflexive already: a cycle passes through an observation of a pattern, \
                 and `obs; cause-base` makes the observed write precede itself, which Coherence forbids; barriers alone make no cycle.",
    },
    Known {
        models: PTX,
        changes: &[
            "Atomicity: drop `morally-strong` from `morally-strong & fr`",
            "Atomicity: drop `morally-strong` from `morally-strong & co`",
        ],
        reason: "The halves of an RMW have one thread, scope and location, so both are morally strong with the other write or neither is: \
                 either conjunct says it. (Without both, \"scopes too narrow\" would be forbidden.)",
    },
    Known {
        models: &["ptx-8"],
        changes: &[
            "morally-strong: drop `po` from `po | po^-1 | strong * strong & sr`",
            "morally-strong: drop `po^-1` from `po | po^-1 | strong * strong & sr`",
            "morally-strong: `po` for `po^-1`",
        ],
        reason: "Program order on one address and proxy is part of causality order in the ISA (not so in the 2019 paper), so Coherence and \
                 Causality forbid communication against it, and what strong operations of one thread need, sr gives them.",
    },
    Known {
        models: &["ptx-8"],
        changes: &[
            "release-operation: drop `W` from `W & REL`",
            "acquire-operation: drop `R` from `R & ACQ`",
        ],
        reason: "A fence overlaps with nothing, and observation goes from writes to reads.",
    },
    Known {
        models: &["ptx-8"],
        changes: &[
            "release-pattern: drop `W` from `W & strong`",
            "release-pattern: drop `W` from `W & strong` #2",
            "release-pattern: drop `strong` from `W & strong`",
            "release-pattern: drop `strong` from `W & strong` #2",
            "release-pattern: drop `[W & strong]` from `[release-operation]; po & overlap; [W & strong]`",
            "release-pattern: drop `[W & strong]` from `[release-fence]; po; [W & strong]`",
            "acquire-pattern: drop `strong` from `read-operation & strong`",
            "acquire-pattern: drop `strong` from `read-operation & strong` #2",
        ],
        reason: "Observation stands beside, which goes from writes to reads, and begins or ends with a weak operation only within a thread, \
                 where synchronisation adds nothing to program order.",
    },
    Known {
        models: &["ptx-8"],
        changes: &["Fence-SC: drop `sync_fence` from `sync_fence; base-causality`"],
        reason: "Base causality order without Fence-SC order in it is irreflexive already: a cycle passes through an observation of a pattern, \
                 and makes the observed write precede itself in causality order, which Coherence forbids; barriers alone make no cycle.",
    },
    Known {
        models: &["ptx-8"],
        changes: &[
            "fenced-arrival: drop `B` from `B & RLX & CLUSTER`",
            "fenced-arrival: drop `RLX` from `B & RLX & CLUSTER`",
        ],
        reason: "Barrier synchronisation begins at arrivals, and one that is not relaxed synchronises by itself, so that what stands before it, \
                 fences too, is ordered anyway.",
    },
    Known {
        models: &["rmo"],
        changes: &[
            "po-loc-llh: `_ * W` for `W * W`",
            "po-loc-llh: `W * _` for `W * W`",
            "po-loc-llh: `W * _` for `W * R`",
            "po-loc-llh: `_ * W` for `R * W`",
        ],
        reason: "What the change adds is in the branch beside it: every pair but read-read is in the union already.",
    },
    Known {
        models: &["ptx-2015"],
        changes: &[
            "WW: `_ * W` for `W * W`",
            "WW: `W * _` for `W * W`",
            "WR: `W * _` for `W * R`",
            "RW: `_ * W` for `R * W`",
        ],
        reason: "What the change adds is in the branch beside it: every pair but read-read is in the union already.",
    },
];
