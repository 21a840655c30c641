//! What each name of a dialect stands for, said a second time in Margay's own words: both must
//! agree on random executions, and no definition of models/dialects can be dropped or weakened
//! without a disagreement.

use std::collections::{BTreeMap, BTreeSet};

use margay_models::cat;
use margay_models::execution::Scope;
use margay_models::judge::Judge;
use margay_models::typing::{OnlyBuiltIn, TypingOptions};
use margay_models::{Execution, Model, Signature, SourceFile};

use crate::mutate::mutants;
use crate::{Opinion, opinion, random};

/// An architecture of a dialect, and what its names are.
struct Architecture {
    /// The dialect, and the first word of its models.
    is: (&'static str, &'static str),
    signature: Signature,
    /// The texts of models/dialects that define its names.
    texts: &'static [&'static str],
    /// Names, or expressions with them, and what they are in Margay's own words.
    names: &'static [&'static [(&'static str, &'static str)]],
    instructions: &'static [(&'static str, &'static str)],
    /// What the dialect says of every execution.
    always: &'static str,
}

const EVENTS: &[(&str, &str)] = &[
    ("po-loc", "po & loc"),
    ("rfe", "rf \\ (po | po^-1)"),
    ("rfi", "rf & (po | po^-1)"),
    ("coe", "co \\ (po | po^-1)"),
    ("coe & (po | po^-1)", "0"),
    ("coi", "co & (po | po^-1)"),
    ("fre", "(rf^-1; co) \\ (po | po^-1)"),
    ("fri", "(rf^-1; co) & (po | po^-1)"),
    ("toid(R)", "[R]"),
    ("toid(W)", "[W]"),
    ("fencerel(F)", "po; [F]; po"),
    ("fencerel(RMW)", "po; [RMW]; po"),
];

const MARGAY: &[(&str, &str)] = &[
    ("rf-loc", "rf & loc"),
    ("co0", "[IW]; loc; [W \\ IW]"),
    ("co0 \\ loc", "0"),
    ("co0 \\ (IW * _)", "0"),
    ("lxsx", "0"),
];

const HERD7: &[(&str, &str)] = &[
    ("emptyset", "W & R"),
    ("I", "IW"),
    ("int", "po | po^-1 | [_ \\ IW]"),
    ("int & (IW * IW)", "0"),
    ("ext & (IW * IW)", "0"),
    ("ext \\ (W * W)", "~(po | po^-1 | id) \\ (W * W)"),
    ("sm", "id"),
    ("ca", "(rf^-1; co) | co"),
    ("ca \\ co", "(rf^-1; co) \\ co"),
    ("ca & co", "co"),
    ("invrf", "rf^-1"),
    ("invrf & (R * W)", "rf^-1"),
    ("invrf & (IW * R)", "0"),
    ("FW", "W \\ domain(co)"),
    ("FW & IW", "(W \\ domain(co)) & IW"),
    ("co0 & (IW * (W & domain(co)))", "loc & (IW * ((W \\ IW) & domain(co)))"),
    ("co0 \\ (IW * _)", "loc & ((domain(co) \\ IW) * (W \\ domain(co)))"),
    ("co0 & (_ * IW)", "0"),
    ("co0 \\ loc", "0"),
    ("co0 \\ (_ * W)", "0"),
    ("ctrlcfence(F)", "ctrl; [F]; po"),
    ("ctrlcfence(W)", "ctrl; [W]; po"),
    ("imply(po, rf)", "rf | ~po"),
    ("imply(rf, loc)", "loc | ~rf"),
    ("~imply(rf, loc)", "rf \\ loc"),
    ("~imply(loc, rf)", "loc \\ rf"),
    ("nodetour(po, po, po)", "po \\ (po; po)"),
    ("nodetour(loc, rf, rf^-1)", "loc \\ (rf; rf^-1)"),
    ("nodetour(rf^-1, co, loc)", "rf^-1 \\ (co; loc)"),
    ("singlestep(po)", "po \\ (po; po)"),
    ("po \\ singlestep(po)", "po & (po; po)"),
];

const ONE_INSTRUCTION: &[(&str, &str)] = &[
    ("amo", "rmw"),
    ("lxsx", "0"),
    ("si \\ id", "rmw | rmw^-1"),
    ("si & rmw", "rmw"),
    ("si & id", "id"),
    ("si & rmw^-1", "rmw^-1"),
];
const TWO_INSTRUCTIONS: &[(&str, &str)] =
    &[("amo", "0"), ("lxsx", "rmw"), ("si", "id"), ("si \\ id", "0")];

const HERD7_INSTRUCTIONS: &[(&str, &str)] = &[
    ("call subseteq(W, IW | RMW)", "empty W \\ (IW | RMW)"),
    ("call inclusion(rf, ext)", "empty rf & (po | po^-1)"),
    ("call total(po | id, R)", "empty (R * R) \\ (po | po^-1 | id)"),
    ("call total(po, W & F)", "empty 0"),
    ("with c from generate_orders(W, po) empty c & rf", "empty (po & loc & (W * W)) \\ co"),
    ("with c from generate_cos(po) empty c \\ co", "empty (po & loc & (W * W)) \\ co"),
    ("with c from generate_cos(rf^-1; rf) empty c & po", "empty co & po"),
    (
        "with c from generate_cos(ext) acyclic c",
        "empty (((_ * _) \\ (po | po^-1 | id | IW * IW)) & loc & (W * W)) \\ co",
    ),
    (
        "with c from generate_orders(RMW & W, po) empty c \\ (RMW * _)",
        "empty (po & loc & ((RMW & W) * (RMW & W))) \\ co",
    ),
    ("with c from generate_orders(RMW & W, co) empty c", "empty co & (RMW * RMW)"),
    (
        "with c from generate_orders(W \\ RMW, ext) empty c \\ (_ * (W \\ RMW))",
        "empty (((_ * _) \\ (po | po^-1 | id | IW * IW)) & loc & ((W \\ RMW) * (W \\ RMW))) \\ co",
    ),
];

const fn plain(
    is: (&'static str, &'static str),
    texts: &'static [&'static str],
    names: &'static [&'static [(&'static str, &'static str)]],
    instructions: &'static [(&'static str, &'static str)],
) -> Architecture {
    Architecture { is, signature: Signature::PLAIN, texts, names, instructions, always: "" }
}

const SETS_X86: &[(&str, &str)] = &[("A", "RMW"), ("X", "RMW"), ("MFENCE", "F")];
const SETS_MIPS: &[(&str, &str)] = &[("A", "RMW"), ("X", "RMW"), ("SYNC", "F")];
const SETS_POWER: &[(&str, &str)] = &[("A", "RMW"), ("X", "RMW"), ("EX", "RMW"), ("SYNC", "F")];
const SETS_ARM: &[(&str, &str)] = &[("X", "RMW"), ("EX", "RMW"), ("DMB", "F")];
const SETS_AARCH64: &[(&str, &str)] = &[("AMO", "RMW"), ("DMB.SY", "F")];
const SETS_LISA: &[(&str, &str)] = &[("Mb", "F"), ("X", "RMW"), ("amo", "0"), ("lxsx", "0")];
const SETS_RISCV: &[(&str, &str)] = &[("X", "RMW"), ("AMO", "RMW"), ("Fence.rw.rw", "F")];

const ARCHITECTURES: &[Architecture] = &[
    plain(("margay", "SC"), &["margay.cat"], &[EVENTS, MARGAY], &[]),
    plain(
        ("herd7", "SC"),
        &["generic.cat", "herd7.cat"],
        &[EVENTS, HERD7, ONE_INSTRUCTION],
        HERD7_INSTRUCTIONS,
    ),
    plain(("herd7", "X86"), &["x86.cat"], &[SETS_X86, ONE_INSTRUCTION], &[]),
    plain(("herd7", "MIPS"), &["mips.cat"], &[SETS_MIPS, TWO_INSTRUCTIONS], &[]),
    plain(("herd7", "PPC"), &["power.cat"], &[SETS_POWER, TWO_INSTRUCTIONS], &[]),
    plain(("herd7", "ARM"), &["arm.cat"], &[SETS_ARM, TWO_INSTRUCTIONS], &[]),
    plain(("herd7", "AArch64"), &["aarch64.cat"], &[SETS_AARCH64, ONE_INSTRUCTION], &[]),
    plain(("herd7", "LISA"), &["lisa.cat"], &[SETS_LISA], &[]),
    plain(("herd7", "RISCV"), &["riscv.cat"], &[SETS_RISCV, ONE_INSTRUCTION], &[]),
    plain(
        ("dartagnan", "SC"),
        &["dartagnan.cat"],
        &[
            EVENTS,
            &[
                ("emptyset", "W & R"),
                ("ctrlcfence(F)", "ctrl; [F]; po"),
                ("ctrlcfence(W)", "ctrl; [W]; po"),
            ],
        ],
        &[],
    ),
    Architecture {
        is: ("dartagnan", "C"),
        signature: Signature::C,
        texts: &["dartagnan-c.cat"],
        names: &[&[("amo", "rmw"), ("lxsx", "0")]],
        instructions: &[],
        always: "",
    },
    Architecture {
        is: ("dartagnan", "PTX"),
        signature: Signature::PTX,
        texts: &["dartagnan-ptx.cat"],
        names: &[&[
            ("GEN & R", "GEN & R"),
            ("GEN & F & ACQ", "F & ACQ"),
            ("GEN & F & REL", "F & REL"),
            ("GEN & F & ACQ_REL", "F & ACQ_REL"),
            ("GEN & F & SC", "F & SC"),
            ("GEN & F & ALIAS", "0"),
            ("F \\ (ACQ | REL | ACQ_REL | SC | ALIAS | SUR)", "B"),
            ("F & SC", "F & SC"),
            ("data", "data | (rmw \\ (XCHG * _))"),
            ("data \\ rmw", "data \\ rmw"),
            ("data & rmw", "(data & rmw) | (rmw \\ (XCHG * XCHG))"),
            ("amo", "rmw"),
            ("lxsx", "0"),
            ("syncbar", "syncbar & (_ * WAIT)"),
            ("syncbar & po", "syncbar & po & (_ * WAIT)"),
            ("syncbar & po^-1", "syncbar & po^-1 & (_ * WAIT)"),
            ("syncbar & id", "syncbar & id & (_ * WAIT)"),
            ("sync_barrier", "syncbar & scta & (_ * WAIT)"),
            ("sync_barrier \\ scta", "0"),
            ("sync_barrier \\ id", "(syncbar & scta & (_ * WAIT)) \\ id"),
        ]],
        instructions: &[],
        always: "empty ((SC * SC) & sr) \\ (sync_fence | sync_fence^-1 | id)",
    },
    Architecture {
        is: ("herd7", "GPU_PTX"),
        signature: Signature::PTX,
        texts: &["herd7-gpu-ptx.cat"],
        names: &[&[
            ("WW(po)", "po & (W * W)"),
            ("WR(po)", "po & (W * R)"),
            ("RW(po)", "po & (R * W)"),
            ("RR(po)", "po & (R * R)"),
            ("WW(loc)", "loc & (W * W)"),
            ("WR(loc)", "loc & (W * R)"),
            ("RW(loc)", "loc & (R * W)"),
            ("RR(loc)", "loc & (R * R)"),
            ("membar.cta", "po; [F & CTA]; po"),
            ("membar.gl", "po; [F & GPU]; po"),
            ("membar.sys", "po; [F & SYS]; po"),
            ("membar.cta & po", "po; [F & CTA]; po"),
            ("cta", "scta"),
            ("cta & po", "scta & po"),
            ("gl", "sgpu"),
            ("gl \\ cta", "sgpu \\ scta"),
            ("sys", "_ * _"),
            ("sys & (IW * IW)", "IW * IW"),
            ("sys \\ gl", "(_ * _) \\ sgpu"),
            ("amo", "rmw"),
            ("lxsx", "0"),
        ]],
        instructions: &[],
        always: "empty ((W * W) & loc) \\ (co | co^-1 | id)",
    },
    Architecture {
        is: ("herd7", "C"),
        signature: Signature::C,
        texts: &["herd7-c.cat"],
        names: &[&[
            ("W \\ R", "W \\ RMW"),
            ("W & R", "RMW"),
            ("R \\ W", "R \\ RMW"),
            ("R", "R"),
            ("RMW & ACQ_REL", "domain([ACQ]; rmw; [REL])"),
            ("RMW & R & W & ACQ", "domain([ACQ]; rmw; [RLX])"),
            ("RMW & REL", "domain([RLX]; rmw; [REL])"),
            ("RMW & RLX", "domain([RLX]; rmw; [RLX])"),
            ("RMW & ACQ & (REL | RLX | ACQ_REL)", "0"),
            ("RMW & RLX & (REL | ACQ | ACQ_REL)", "0"),
            ("RMW & REL & (RLX | ACQ | ACQ_REL)", "0"),
            ("ACQ & F", "ACQ & F"),
            ("ACQ \\ RMW", "ACQ \\ RMW"),
            ("REL \\ RMW", "REL \\ RMW"),
            ("RLX \\ RMW", "RLX \\ RMW"),
            ("ACQ_REL \\ RMW", "ACQ_REL \\ RMW"),
            ("A", "A & M"),
            ("A & F", "0"),
            ("NA & IW", "IW"),
            ("NA & A", "0"),
            ("id \\ loc", "[F]"),
            ("id & (R * W)", "rmw | rmw^-1 | [RMW]"),
            ("po", "po \\ rmw"),
            ("po & (RMW * RMW)", "(po & (RMW * RMW)) \\ rmw"),
            ("po & id", "0"),
            ("rf", "rf"),
            ("rf & (RMW * _)", "rf & (RMW * _)"),
            ("rf & (_ * RMW)", "rf & (_ * RMW)"),
            ("co", "co"),
            ("co & (_ * RMW)", "co & (_ * RMW)"),
            ("fr", "((id | rmw^-1); rf^-1; co) \\ (id | rmw | rmw^-1)"),
            ("fr & id", "0"),
            ("addr", "addr \\ rmw"),
            ("data", "data \\ rmw"),
            ("ctrl", "ctrl \\ rmw"),
            ("(addr | data | ctrl) & id", "0"),
            ("rmw", "0"),
            ("amo", "0"),
            ("lxsx", "0"),
            // Both halves, or neither.
            ("(id; (W * _)) \\ (W * _)", "0"),
            ("(id; (ACQ * _)) \\ (ACQ * _)", "0"),
            ("(id; (REL * _)) \\ (REL * _)", "0"),
            ("(id; (RLX * _)) \\ (RLX * _)", "0"),
            ("(id; (ACQ_REL * _)) \\ (ACQ_REL * _)", "0"),
            ("(id; po; id) \\ po", "0"),
            ("(id; rf; id) \\ rf", "0"),
            ("(id; co; id) \\ co", "0"),
            ("(id; fr; id) \\ fr", "0"),
            ("(id; addr; id) \\ (addr | id)", "0"),
            ("(id; data; id) \\ (data | id)", "0"),
            ("(id; ctrl; id) \\ (ctrl | id)", "0"),
        ]],
        instructions: &[],
        always: "",
    },
];

/// Changes that no execution can tell, with the reason.
const KNOWN: &[(&[&str], &[&str], &str)] = &[
    (
        &[
            "aarch64.cat",
            "dartagnan-c.cat",
            "dartagnan-ptx.cat",
            "generic.cat",
            "riscv.cat",
            "x86.cat",
        ],
        &["lxsx: drop `rmw` from `rmw & 0`"],
        "Nothing is in `0`.",
    ),
    (
        &["arm.cat", "mips.cat", "power.cat"],
        &["amo: drop `rmw` from `rmw & 0`"],
        "Nothing is in `0`.",
    ),
    (
        &["lisa.cat"],
        &["amo: drop `rmw` from `rmw & 0`", "lxsx: drop `rmw` from `rmw & 0`"],
        "Nothing is in `0`.",
    ),
    (&["herd7-c.cat"], &["rmw: drop `rmw` from `rmw & 0`"], "Nothing is in `0`."),
    (&["herd7-gpu-ptx.cat"], &["lxsx: drop `rmw` from `rmw & 0`"], "Nothing is in `0`."),
    (&["margay.cat"], &["lxsx: drop `id` from `id & 0`"], "Nothing is in `0`."),
    (
        &["margay.cat"],
        &["rf-loc: drop `loc` from `rf & loc`"],
        "A read reads from a write of its location.",
    ),
    (
        &["herd7.cat"],
        &["int: `IW * _` for `IW * IW`", "int: `_ * IW` for `IW * IW`"],
        "An initial write is alone in its thread.",
    ),
    (
        &["dartagnan-ptx.cat"],
        &["GEN: drop `F` from `F & (ACQ | REL | ACQ_REL | SC)`"],
        "Other operations that acquire or release are of the generic proxy.",
    ),
    (
        &["dartagnan-ptx.cat"],
        &["data: `XCHG * _` for `XCHG * XCHG`", "data: `_ * XCHG` for `XCHG * XCHG`"],
        "Both halves are those of an exchange, or none is.",
    ),
    (
        &["dartagnan-ptx.cat"],
        &[
            "sync_fence-is-total: drop `F` from `F & SC`",
            "sync_fence-is-total: drop `F` from `F & SC` #2",
        ],
        "Nothing else in PTX is sequentially consistent.",
    ),
];

/// A model of a dialect, with other texts in place of its own.
fn model(prefix: &str, text: &str, texts: &BTreeMap<String, String>) -> Result<Model, String> {
    let options = TypingOptions { texts: texts.clone(), ..TypingOptions::default() };
    match Model::parse_with(
        SourceFile::new(format!("{prefix}:m.cat"), text),
        &OnlyBuiltIn,
        &options,
    ) {
        Ok(loaded) => Ok(loaded.model),
        Err(errors) => Err(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
    }
}

impl Architecture {
    /// The models that say what its names are: in its words and in Margay's.
    fn texts(&self) -> Vec<(String, String)> {
        let header = if self.signature == Signature::PLAIN { "SC" } else { self.signature.word() };
        let names: Vec<&(&str, &str)> = self.names.iter().copied().flatten().collect();
        let flags = |which: fn(&(&'static str, &'static str)) -> &'static str| -> String {
            names
                .iter()
                .enumerate()
                .map(|(n, pair)| format!("flag ~empty {} as n{n}\n", which(pair)))
                .collect()
        };
        let own = |body: &str| format!("{}\n{body}\n", self.is.1);
        let margay = |body: &str| format!("{header}\n{}\n{body}\n", self.always);
        let named = (own(&flags(|pair| pair.0)), margay(&flags(|pair| pair.1)));
        let instructed = self.instructions.iter().map(|(a, b)| (own(a), margay(b)));
        std::iter::once(named).chain(instructed).collect()
    }

    /// What models of these texts say of executions.
    fn opinions(
        &self,
        prefix: &str,
        text: &str,
        texts: &BTreeMap<String, String>,
        pool: &[Execution],
    ) -> Result<Vec<Opinion>, String> {
        let model = model(prefix, text, texts)?;
        let mut judge = Judge::new(&model);
        // The axioms of the dialect come before the flags.
        let axioms = model.axioms().count();
        let flags = |(consistent, flags): Opinion| {
            (consistent, flags.into_iter().map(|f| f - axioms).collect())
        };
        Ok(pool.iter().map(|e| flags(opinion(&mut judge, e))).collect())
    }

    fn pool(&self) -> Vec<Execution> {
        let mut random = random::Random::new(5);
        let pool: Vec<Execution> =
            (0..400).map(|_| random::execution(&mut random, self.signature)).collect();
        // The same barriers, of a cluster.
        let of_clusters = |e: &Execution| {
            let mut e = e.clone();
            e.events
                .iter_mut()
                .filter(|event| event.barrier.is_some())
                .for_each(|event| event.scope = Some(Scope::Cluster));
            e.events.iter().any(|event| event.barrier.is_some()).then_some(e)
        };
        let others: Vec<Execution> = pool.iter().filter_map(of_clusters).collect();
        [pool, others].concat()
    }
}

#[test]
fn names_are_what_they_are_in_margays_words() {
    let mut wrong = Vec::new();
    let none = BTreeMap::new();
    for a in ARCHITECTURES {
        let pool = a.pool();
        let names: Vec<&str> = a.names.iter().copied().flatten().map(|(name, _)| *name).collect();
        for (own, margay) in a.texts() {
            let ask = |dialect: &str, text: &str| {
                a.opinions(dialect, text, &none, &pool).unwrap_or_else(|e| panic!("{e}\n{text}"))
            };
            let (here, there) = (ask(a.is.0, &own), ask("margay", &margay));
            let Some(at) = (0..pool.len()).find(|&e| here[e] != there[e]) else { continue };
            let differ: Vec<&&str> = (0..names.len())
                .filter(|n| here[at].1.contains(n) != there[at].1.contains(n))
                .map(|n| &names[n])
                .collect();
            wrong.push(format!(
                "{:?}: {differ:?} {:?}\n{own}\n{}",
                a.is,
                (here[at].0, there[at].0),
                random::describe(&pool[at])
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_definition_of_a_dialect_matters() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("dialects");
    let mut survivors: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut tested = BTreeSet::new();
    for a in ARCHITECTURES {
        let pool = a.pool();
        let models = a.texts();
        let none = BTreeMap::new();
        let expected: Vec<_> =
            models.iter().map(|(own, _)| a.opinions(a.is.0, own, &none, &pool)).collect();
        assert!(expected.iter().all(Result::is_ok), "{:?}", a.is);
        for &name in a.texts {
            tested.insert(name.to_owned());
            let source = SourceFile::new(
                name,
                std::fs::read_to_string(folder.join(name)).expect("a text of a dialect"),
            );
            for mutant in mutants(&cat::parse(&source).file) {
                let texts = BTreeMap::from([(name.to_owned(), mutant.file.to_string())]);
                let mut asked = models.iter().zip(&expected);
                let told = asked.any(|((own, _), expected)| {
                    a.opinions(a.is.0, own, &texts, &pool) != *expected
                });
                if !told {
                    survivors.entry(name.to_owned()).or_default().push(mutant.change);
                }
            }
        }
    }
    let files = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|f| f.expect("a file").file_name().to_string_lossy().into_owned());
    assert_eq!(tested, files.collect::<BTreeSet<_>>());
    let pairs = |(names, changes): (&'static [&str], &'static [&str])| {
        names.iter().flat_map(move |name| changes.iter().map(move |change| (*name, *change)))
    };
    let known: BTreeSet<(&str, &str)> =
        KNOWN.iter().flat_map(|(names, changes, _)| pairs((names, changes))).collect();
    let found: BTreeSet<(&str, &str)> = survivors
        .iter()
        .flat_map(|(name, changes)| changes.iter().map(move |c| (name.as_str(), c.as_str())))
        .collect();
    let lines = |s: BTreeSet<&(&str, &str)>| {
        s.iter().map(|(name, change)| format!("    {name}: {change}\n")).collect::<String>()
    };
    let (new, gone) =
        (lines(found.difference(&known).collect()), lines(known.difference(&found).collect()));
    assert!(
        new.is_empty() && gone.is_empty(),
        "no execution notices:\n{new}noticed, or no change:\n{gone}"
    );
}
