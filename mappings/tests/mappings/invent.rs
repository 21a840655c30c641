//! Random mappings and random models: shipped models with axioms taken away and added, rows of any
//! shape.

use margay_mappings::language::Mapping;
use margay_models::diagnostic::SourceFile;
use margay_models::model::{Model, Role};
use margay_models::signature::{Construct, Operation, Signature, constructs};
use margay_models::typing::OnlyBuiltIn;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::setup::read;

/// A mapping, and the constructs to search with.
#[derive(Debug, Clone)]
pub struct Case {
    pub text: String,
    pub source: Edit,
    pub target: Edit,
    pub only: Vec<Construct>,
    pub typed: bool,
}

/// What becomes of a shipped model.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Added to the text.
    pub added: Vec<String>,
    /// The axioms (counted round) that are taken away.
    pub dropped: Vec<usize>,
}

impl Case {
    /// The mapping with its edited models.
    pub fn mapping(&self) -> Mapping {
        let mut mapping = read(&self.text).unwrap_or_else(|e| panic!("{}: {e:?}", self.text));
        mapping.source = self.source.apply(&mapping.source);
        mapping.target = self.target.apply(&mapping.target);
        mapping
    }

    /// The names of the constructs.
    pub fn names(&self, mapping: &Mapping) -> Vec<String> {
        self.only.iter().map(|c| c.name(mapping.source.signature)).collect()
    }
}

impl Edit {
    /// The model with the edit.
    pub fn apply(&self, model: &Model) -> Model {
        let text = format!("{}\n{}\n", model.source.text, self.added.join("\n"));
        let mut edited =
            match Model::parse(SourceFile::new(model.name.clone(), text.clone()), &OnlyBuiltIn) {
                Ok(loaded) => loaded.model,
                Err(errors) => panic!("{text}\n{errors:?}"),
            };
        for &k in &self.dropped {
            let axioms: Vec<usize> = (0..edited.checks.len())
                .filter(|&i| edited.checks[i].role == Role::Axiom)
                .collect();
            if axioms.len() > 1 {
                edited.checks.remove(axioms[k % axioms.len()]);
            }
        }
        edited
    }
}

/// Sets and relations that models of a signature may name.
fn relation(signature: Signature, dependencies: bool) -> BoxedStrategy<String> {
    let sets: &[&str] = match signature.word() {
        "C" => &["W", "R", "F", "IW", "NA", "A", "RLX", "ACQ", "REL", "SC", "RMW"],
        "PTX" => &["W", "R", "F", "IW", "WEAK", "RLX", "ACQ", "REL", "ACQ_REL", "SC", "RMW"],
        _ => &["W", "R", "M", "F", "IW", "RMW"],
    };
    let relations: &[&str] = match signature.word() {
        "C" => &["po", "rf", "co", "fr", "loc", "ext", "rmw", "sr"],
        "PTX" => {
            &["po", "rf", "co", "fr", "loc", "int", "rmw", "sr", "sync_fence", "(rf | fr)", "scta"]
        }
        _ => &["po", "rf", "co", "fr", "loc", "int", "ext", "rmw"],
    };
    // At execution level a source that looks at dependencies has executions that programs here do
    // not have.
    let relations =
        [relations, if dependencies { &["ctrl", "data", "(rf | ctrl | data)"] } else { &[] }]
            .concat();
    let set = select(sets.to_vec()).prop_map(str::to_owned);
    let leaf = prop_oneof![
        6 => select(relations).prop_map(str::to_owned),
        1 => set.clone().prop_map(|s| format!("[{s}]")),
        1 => (set.clone(), set).prop_map(|(a, b)| format!("({a} * {b})")),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            3 => (inner.clone(), select(vec!["|", "&", ";", ";", "\\"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            1 => (inner, select(vec!["+", "?", "^-1", "*"])).prop_map(|(a, op)| format!("({a}){op}")),
        ]
    })
    .boxed()
}

/// An edit of a model of this signature; `dependencies`: may it speak of dependencies?
pub fn edit(signature: Signature, dependencies: bool) -> impl Strategy<Value = Edit> {
    let kind = select(vec!["acyclic", "irreflexive", "empty", "acyclic", "irreflexive", "~empty"]);
    let check = (kind, relation(signature, dependencies)).prop_map(|(kind, r)| (kind, r));
    (proptest::collection::vec(check, 0..=1), proptest::collection::vec(0..8_usize, 0..=2))
        .prop_map(|(checks, dropped)| {
            let name = |(i, (kind, r)): (usize, (&str, String))| format!("{kind} {r} as extra-{i}");
            Edit { added: checks.into_iter().enumerate().map(name).collect(), dropped }
        })
}

/// An instruction of a target for one operation; `scoped` if a scope variable may be used.
fn instruction(target: Signature, operation: Operation, variable: bool) -> BoxedStrategy<String> {
    let fitting: Vec<Construct> =
        constructs(target).into_iter().filter(|c| c.operation == operation).collect();
    let scopes: Vec<&str> =
        if variable { vec!["s", "s", "s", "cta", "gpu", "sys"] } else { vec!["cta", "gpu", "sys"] };
    (select(fitting), select(scopes))
        .prop_map(move |(c, scope)| {
            if target != Signature::PTX {
                let suffix = if c.has_scope(target) && target == Signature::C {
                    format!(".{scope}")
                } else {
                    String::new()
                };
                return format!("{}{suffix}", c.name(target));
            }
            let order = match c.order.tag() {
                "" => "weak".to_owned(),
                "RLX" => "relaxed".to_owned(),
                "ACQ" => "acquire".to_owned(),
                "REL" => "release".to_owned(),
                other => other.to_lowercase(),
            };
            let mnemonic = match operation {
                Operation::Read => "ld",
                Operation::Write => "st",
                Operation::Rmw => "atom",
                Operation::Fence => "fence",
            };
            if c.has_scope(target) {
                format!("{mnemonic}.{order}.{scope}")
            } else {
                format!("{mnemonic}.{order}")
            }
        })
        .boxed()
}

/// The right-hand side of a row.
fn lowering(target: Signature, operation: Operation, variable: bool) -> BoxedStrategy<String> {
    let fence = || instruction(target, Operation::Fence, variable);
    match operation {
        Operation::Fence => prop_oneof![
            1 => Just("nothing".to_owned()),
            5 => fence(),
            1 => (fence(), fence()).prop_map(|(a, b)| format!("{a} ; {b}")),
        ]
        .boxed(),
        _ => {
            // A load may write back what it reads.
            let access = || match operation {
                Operation::Read => prop_oneof![
                    4 => instruction(target, Operation::Read, variable),
                    1 => instruction(target, Operation::Rmw, variable),
                ]
                .boxed(),
                _ => instruction(target, operation, variable),
            };
            prop_oneof![
                5 => access(),
                2 => (fence(), access()).prop_map(|(f, a)| format!("{f} ; {a}")),
                1 => (access(), fence()).prop_map(|(a, f)| format!("{a} ; {f}")),
            ]
            .boxed()
        }
    }
}

/// One row of a construct, with one or two alternatives; now and then one row for each scope.
fn row(
    source: Signature,
    scoped: bool,
    target: Signature,
    construct: Construct,
) -> BoxedStrategy<String> {
    let name = construct.name(source);
    let body = move |variable: bool| {
        prop_oneof![
            4 => lowering(target, construct.operation, variable),
            1 => (lowering(target, construct.operation, variable), lowering(target, construct.operation, variable))
                .prop_map(|(a, b)| format!("{a} or {b}")),
        ]
    };
    if !construct.has_scope(source) || source != Signature::C {
        return body(false).prop_map(move |b| format!("{name} => {b}")).boxed();
    }
    let other = name.clone();
    let one = body(true).prop_map(move |b| format!("{name}.s => {b}"));
    let each = (body(false), body(false), body(false)).prop_map(move |(a, b, c)| {
        format!("{other}.cta => {a}\n{other}.gpu => {b}\n{other}.sys => {c}")
    });
    if scoped { prop_oneof![5 => one, 1 => each].boxed() } else { one.boxed() }
}

/// A mapping between two shipped models, every row random.
pub fn mapping_text() -> impl Strategy<Value = (String, Signature, Signature)> {
    const C: Signature = Signature::C;
    const PLAIN: Signature = Signature::PLAIN;
    const PTX: Signature = Signature::PTX;
    let pairs = vec![
        ("rc11-scoped", C, true, "ptx-6.0", PTX),
        ("rc11-scoped", C, true, "ptx-6.0", PTX),
        ("c20-scoped", C, true, "ptx-6.0-any-fence", PTX),
        ("rc11-scoped-mo-atomic", C, true, "rc11-scoped", C),
        ("rc11-lb", C, false, "ptx-6.0", PTX),
        ("rc11-lb", C, false, "tso", PLAIN),
        ("tso", PLAIN, false, "ptx-6.0", PTX),
        ("sc", PLAIN, false, "ptx-6.0-strong-patterns", PTX),
        ("sc", PLAIN, false, "tso", PLAIN),
        ("tso", PLAIN, false, "rc11-lb", C),
    ];
    select(pairs).prop_flat_map(|(source, s, scoped, target, t)| {
        let rows: Vec<_> = constructs(s).into_iter().map(|c| row(s, scoped, t, c)).collect();
        rows.prop_map(move |rows| {
            (format!("mapping \"random\" from {source} to {target}\n{}\n", rows.join("\n")), s, t)
        })
    })
}

/// A mapping with edited models and few constructs, so that enumeration ends.
pub fn case() -> impl Strategy<Value = Case> {
    mapping_text().prop_flat_map(|(text, s, t)| {
        let only = subsequence(constructs(s), 1..=3);
        (Just(text), edit(s, false), edit(t, true), only, any::<bool>()).prop_map(
            |(text, source, target, only, typed)| Case { text, source, target, only, typed },
        )
    })
}
