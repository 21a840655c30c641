//! Random texts and models, with names that look like the program's own: what is called a theorem
//! has no counterexample, neither in the search nor, for the judge, in executions that another
//! question found.

use margay_mappings::check::CheckOptions;
use margay_mappings::language::Mapping;
use margay_models::judge::Judge;
use proptest::prelude::*;
use proptest::sample::select;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{mapping_of, question, searched, theorems};

/// Texts are known by their words, so each case has words of its own.
static CASES: AtomicUsize = AtomicUsize::new(0);

const TAGS: [&str; 6] = ["added", "source", "emitted", "role_of", "is_ld", "fence-before"];
const DEFINED: [&str; 10] = [
    "mo",
    "target",
    "source-sr",
    "includes",
    "threads",
    "hb",
    "order",
    "chain1",
    "event",
    "executions",
];

/// A text for one level: which tags there are and what picks them, and what its instructions carry.
#[derive(Debug, Clone)]
struct Level {
    tags: [&'static str; 2],
    picked: Vec<&'static str>,
    scoped: bool,
    /// Is an instruction of each operation tagged: read, write, fence?
    tagged: [bool; 3],
    definition: (&'static str, String),
    axioms: Vec<String>,
}

impl Level {
    fn arch(&self) -> String {
        let [a, b] = self.tags;
        let tag = |on: bool| if on { a } else { "" };
        let scoped = if self.scoped { " scoped" } else { "" };
        let scopes = if self.scoped { "scopes wg < all\n" } else { "" };
        let picked = if self.picked.is_empty() {
            String::new()
        } else {
            format!("sets {}\n", self.picked.join(" "))
        };
        format!(
            "architecture \"random\"\ntag {a} on R W F\ntag {b} on F\n{scopes}dependencies addr data ctrl\n{picked}\
             read ld\nread ld2 {a}{scoped}\nwrite st {}\nrmw at {}\nfence full {}\nfence light {b}{scoped}\n",
            tag(self.tagged[0]),
            tag(self.tagged[1]),
            tag(self.tagged[2]),
        )
    }

    fn model(&self, word: &str) -> String {
        let (name, body) = &self.definition;
        let axioms: String =
            self.axioms.iter().enumerate().map(|(i, a)| format!("{a} as Axiom-{i}\n")).collect();
        format!("{word} \"random\"\nlet {name} = {body}\n{axioms}")
            .replace("TAG0", self.tags[0])
            .replace("TAG1", self.tags[1])
    }
}

/// Sets that a text of these picks has.
fn set(picked: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let base = ["R", "W", "F", "M", "IW", "RMW", "TAG0", "TAG1", "_"];
    let all: Vec<&'static str> = base.into_iter().chain(picked.iter().copied()).collect();
    (select(all.clone()), select(all), 0..4).prop_map(|(a, b, form)| match form {
        0 | 1 => a.to_owned(),
        2 => format!("({a} & {b})"),
        _ => format!("({a} \\ {b})"),
    })
}

fn relation(picked: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    let base =
        select(vec!["po", "rf", "co", "fr", "rmw", "loc", "ext", "int", "ctrl", "addr", "data"])
            .prop_map(str::to_owned);
    let leaf = (set(picked), base, set(picked), 0..5).prop_map(|(a, r, b, form)| match form {
        0 => r,
        1 => format!("[{a}]; {r}"),
        2 => format!("{r}; [{b}]"),
        3 => format!("({r} & ({a} * {b}))"),
        _ => format!("({r} & ext)"),
    });
    leaf.prop_recursive(2, 6, 2, |inner| {
        (inner.clone(), inner, 0..4).prop_map(|(a, b, form)| match form {
            0 | 1 => format!("({a} | {b})"),
            2 => format!("(({a}); ({b}))"),
            _ => format!("(({a}) \\ ({b}))"),
        })
    })
}

fn axiom(picked: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    (select(vec!["empty", "irreflexive", "acyclic"]), relation(picked))
        .prop_map(|(kind, r)| format!("{kind} {r}"))
}

fn level() -> impl Strategy<Value = Level> {
    let tags = (select(&TAGS[..3]), select(&TAGS[3..])).prop_map(|(a, b)| [a, b]);
    let picked = proptest::sample::subsequence(vec!["NA", "WEAK", "A", "MFENCE"], 0..=4);
    (tags, picked, any::<bool>(), any::<[bool; 3]>(), select(&DEFINED[..])).prop_flat_map(
        |(tags, picked, scoped, tagged, name)| {
            let axioms = proptest::collection::vec(axiom(&picked), 2..4);
            (relation(&picked), axioms).prop_map(move |(body, axioms)| Level {
                tags,
                picked: picked.clone(),
                scoped,
                tagged,
                definition: (name, body),
                axioms,
            })
        },
    )
}

/// The mapping between two levels; `asked`: the source's axioms, or one that many executions
/// violate.
fn mapping(
    number: usize,
    source: &Level,
    target: &Level,
    fences: [bool; 2],
    asked: Option<&str>,
) -> Mapping {
    let [above, below] = ["above", "below"].map(|level| format!("{level}{number}x"));
    let suffix =
        |level: &Level, scope: &str| if level.scoped { format!(".{scope}") } else { String::new() };
    let (own, all) = (suffix(source, "s"), suffix(target, "all"));
    let [before, behind] = fences.map(|f| if f { "full" } else { "light" });
    let behind = if behind == "light" { format!("light{all}") } else { behind.to_owned() };
    let before = if before == "light" { format!("light{all}") } else { before.to_owned() };
    let rows = format!(
        "ld => ld\nld2{own} => ld2{all} ; {behind}\nst => {before} ; st\nat => at\nfull => full\nlight{own} => nothing\n"
    );
    let mut model = source.model(&above);
    if let Some(asked) = asked {
        model = format!("{above} \"asked\"\n{asked}\n");
    }
    // Scopes are in rows where the source speaks of them.
    if source.scoped {
        model += "empty (WG & ALL) as One-scope\n";
    }
    let map = format!("mapping \"m\" from source.cat to target.cat\n{rows}");
    mapping_of(&[
        (&format!("{above}.arch"), &source.arch()),
        (&format!("{below}.arch"), &target.arch()),
        ("source.cat", &model),
        ("target.cat", &target.model(&below)),
        ("m.map", &map),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_is_called_a_theorem_has_no_counterexample(source in level(), target in level(), fences in any::<[bool; 2]>()) {
        let number = CASES.fetch_add(1, Ordering::Relaxed);
        let whole = mapping(number, &source, &target, fences, None);
        let proved = theorems(&whole, &[], 3);
        if !proved.is_empty() {
            let names: Vec<&str> = proved.iter().map(String::as_str).collect();
            let found = searched(&whole, &question(4, &names)).counterexamples;
            prop_assert!(found.is_empty(), "{} is no theorem", found[0].axiom);
            // The same texts with another question: executions that are legal for the target, read
            // back.
            let other = mapping(number, &source, &target, fences, Some("empty rf & ext as Asked\nempty ctrl | addr | data as Depends"));
            let options = CheckOptions { all: Some(12), ..question(3, &["Asked", "Depends"]) };
            let mut judge = Judge::new(&whole.source);
            for pair in searched(&other, &options).counterexamples {
                for (number, check) in whole.source.checks.iter().enumerate() {
                    if proved.contains(&check.display_name()) {
                        prop_assert!(judge.check_holds(&pair.source, number), "{} fails", check.display_name());
                    }
                }
            }
        }
    }
}
