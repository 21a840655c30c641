//! Every base set and relation of every architecture has an execution in which it is not empty, in
//! a proof, in the search, and for the judge; or all three say that nothing is in it.
//!
//! At the source the axiom that is asked about forbids reads from other threads where there is a
//! member of the name; at the target an axiom forbids them unless there is one. Whoever took the
//! name to be empty would call the first a theorem, and the second.

use margay_models::execution::{Execution, Order};
use margay_models::signature::architecture::{Architecture, built_in_words};
use margay_models::signature::{
    BaseRelation, BaseSet, Construct, Operation, Signature, constructs,
};

use super::{follows, mapping_of, question, searched, setting, theorems};

/// A name of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Set(BaseSet),
    Relation(BaseRelation),
}

impl Name {
    fn all(signature: Signature) -> Vec<Name> {
        let sets = BaseSet::all(signature).map(Name::Set);
        sets.chain(BaseRelation::all(signature).map(Name::Relation)).collect()
    }

    fn text(self) -> &'static str {
        match self {
            Name::Set(set) => set.name(),
            Name::Relation(relation) => relation.name(),
        }
    }

    /// All pairs if it has a member, in .cat.
    fn everything(self) -> String {
        match self {
            Name::Set(set) => format!("(domain(_ * {}) * _)", set.name()),
            Name::Relation(relation) => format!("(domain(_ * domain({})) * _)", relation.name()),
        }
    }

    /// Has it members, as the judge sees it?
    fn has_members(self, execution: &Execution) -> bool {
        match self {
            Name::Set(set) => !execution.base_set(set).is_empty(),
            Name::Relation(relation) => execution.base_relation(relation).pairs().next().is_some(),
        }
    }
}

/// The names of PTX that nothing of a mapping's target is ever in.
const NEVER: [&str; 17] = [
    "B",
    "WAIT",
    "ALIAS",
    "SUR",
    "TEX",
    "CON",
    "ASYNC",
    "TENSORMAP",
    "SHARED",
    "GLOBAL",
    "MBARRIER",
    "RED",
    "MMIO",
    "syncbar",
    "sync_barrier",
    "async_issue",
    "async_complete",
];

/// The names of the barriers of a text, which only tests have.
const BARRIERS: [&str; 3] = ["B", "WAIT", "sync_barrier"];

/// A text with all that one can say, but for what no source can have.
const OWN: &str = "architecture \"of one's own\"\n\
    tag ACQ on R F\ntag added on R W F\ntag emitted on W F\n\
    scopes wave < wg|mo < all\n\
    dependencies addr data ctrl\n\
    sets NA|ordinary WEAK A MFENCE\n\
    read ld\nread ld.acq ACQ scoped\nread ld.added added\nwrite st\nwrite st.emitted emitted scoped\n\
    rmw xchg\nrmw xchg.added added scoped\nfence full ACQ emitted\nfence light\nfence one added scoped\n";

/// The first word of models of a signature, with the files that it needs.
fn word(signature: Signature) -> &'static str {
    signature.words()[0]
}

/// The scope that an instruction has in a test of a name: that of the name, or else the widest.
fn scope(name: Name, signature: Signature) -> &'static str {
    let own = match name {
        Name::Set(set) => set.scope(),
        Name::Relation(_) => None,
    };
    let widest = signature.scopes(true).last().copied();
    own.or(widest).map_or("", |scope| signature.scope_name(scope))
}

/// The construct as an instruction of a row.
fn instruction(signature: Signature, construct: Construct, scope: &str) -> String {
    let name = if signature == Signature::PTX {
        let word = match construct.operation {
            Operation::Read => "ld",
            Operation::Write => "st",
            Operation::Rmw => "atom",
            Operation::Fence => "fence",
        };
        format!("{word}.{}", construct.order.name())
    } else {
        construct.name(signature)
    };
    if construct.has_scope(signature) && !scope.is_empty() {
        format!("{name}.{scope}")
    } else {
        name
    }
}

/// Does the construct, or a half of it, carry the tag of the name?
fn carries(name: Name, construct: Construct) -> bool {
    let Name::Set(BaseSet::Tag(tag)) = name else { return false };
    let orders = match construct.operation {
        Operation::Rmw => vec![construct.read_order(), construct.write_order()],
        _ => vec![construct.order],
    };
    orders.iter().any(|order| matches!(order, Order::Tagged(tags) if tags.contains(tag)))
}

/// Is it a tag that only instructions of tests carry (`test-only`)? No construct of a mapping has
/// it, so no search can show it.
fn is_of_tests_alone(name: Name, signature: Signature) -> bool {
    matches!(name, Name::Set(BaseSet::Tag(_)))
        && !constructs(signature).into_iter().any(|construct| carries(name, construct))
}

/// Is nothing that a row makes ever in it, and neither anything of a source?
fn is_never(name: Name, signature: Signature) -> bool {
    let is_tag = matches!(name, Name::Set(BaseSet::Tag(_)));
    signature == Signature::PTX && NEVER.contains(&name.text())
        || signature.tabular().is_some() && BARRIERS.contains(&name.text()) && !is_tag
}

/// Is it a tag of operations on barriers?
fn is_of_barriers(name: Name, signature: Signature) -> bool {
    let mut carriers =
        constructs(signature).into_iter().filter(|construct| carries(name, *construct)).peekable();
    carriers.peek().is_some() && carriers.all(|construct| signature.is_of_barrier(construct))
}

/// The architecture's text, where it is not built in, and the tests of its names at both levels.
struct Tested<'a> {
    signature: Signature,
    file: Option<(&'a str, &'a str)>,
    /// Executions of the target that were seen.
    seen: Vec<Execution>,
}

impl Tested<'_> {
    /// The mapping with a model of the architecture at one end.
    fn mapping(
        &self,
        models: [(&str, String); 2],
        map: String,
    ) -> margay_mappings::language::Mapping {
        let mut files: Vec<(&str, &str)> = self.file.into_iter().collect();
        files.extend(models.iter().map(|(name, text)| (*name, text.as_str())));
        files.push(("m.map", &map));
        mapping_of(&files)
    }

    fn at_source(&self, name: Name) {
        let signature = self.signature;
        let model = format!(
            "{} \"a source\"\nempty (rf & ext) & {} as Asked\n",
            word(signature),
            name.everything()
        );
        let scoped = matches!(name, Name::Set(set) if set.scope().is_some())
            || matches!(name, Name::Relation(r) if r == BaseRelation::Sr || r.level().is_some());
        let row = |construct: Construct| {
            let scope = if scoped && construct.has_scope(signature) { ".s" } else { "" };
            format!("{}{scope} => {}\n", construct.name(signature), construct.operation)
        };
        let rows: String = constructs(signature).into_iter().map(row).collect();
        let target = "Generic \"everything\"\nacyclic po as Order\n".to_owned();
        let mapping = self.mapping(
            [("asked.cat", model), ("free.cat", target)],
            format!("mapping \"m\" from asked.cat to free.cat\n{rows}"),
        );
        let what = format!("{} of the source {signature}", name.text());
        let found = searched(&mapping, &question(3, &[])).counterexamples;
        let setting = setting(&mapping, &[]);
        if is_of_tests_alone(name, signature) || is_never(name, signature) {
            assert!(found.is_empty(), "{what}: no construct has it, and the search makes it");
            assert!(
                follows(&setting, setting.goals[0].claim.clone()),
                "{what}: no construct has it, and a proof does not know"
            );
            return;
        }
        assert!(!found.is_empty(), "{what}: the search takes it to be empty");
        assert!(
            found.iter().all(|c| name.has_members(&c.source)),
            "{what}: it is empty for the judge"
        );
        let is_left_out = is_of_barriers(name, signature);
        assert_eq!(
            follows(&setting, setting.goals[0].claim.clone()),
            is_left_out,
            "{what}: is it empty in a proof?"
        );
    }

    fn at_target(&mut self, name: Name) {
        let signature = self.signature;
        let mapping = self.to_target(name);
        let what = format!("{} of the target {signature}", name.text());
        let found = searched(&mapping, &question(3, &["Alone"])).counterexamples;
        let setting = setting(&mapping, &["Alone"]);
        let follows = follows(&setting, setting.goals[0].claim.clone());
        if is_never(name, signature) {
            assert!(found.is_empty(), "{what}: rows cannot make it, and the search makes it");
            assert!(follows, "{what}: rows cannot make it, and a proof does not know");
            return;
        }
        if is_of_tests_alone(name, signature) || is_of_barriers(name, signature) {
            assert!(found.is_empty(), "{what}: no row has it, and the search makes it");
            return;
        }
        assert!(!found.is_empty(), "{what}: the search takes it to be empty");
        assert!(
            found.iter().all(|c| name.has_members(&c.target)),
            "{what}: it is empty for the judge"
        );
        assert!(!follows, "{what}: it is empty in a proof");
        self.seen.extend(found.into_iter().map(|c| c.target));
    }

    /// A mapping to a target in which threads read from each other only where a name has members.
    fn to_target(&self, name: Name) -> margay_mappings::language::Mapping {
        let signature = self.signature;
        let model = format!(
            "{} \"a target\"\nempty (rf & ext) \\ {} as Asked\n",
            word(signature),
            name.everything()
        );
        let source =
            "Generic \"threads are alone\"\nempty rf & ext as Alone\nacyclic po as Order\nempty (addr | data | ctrl) \\ po as Depends\n".to_owned();
        let rows = [Operation::Read, Operation::Write, Operation::Rmw, Operation::Fence].map(
            |operation| {
                // Of a target's barriers no row is.
                let is_said =
                    |c: &Construct| c.operation == operation && !signature.is_of_barrier(*c);
                let mut of: Vec<Construct> =
                    constructs(signature).into_iter().filter(is_said).collect();
                // A row has 8 alternatives at most, those with the tag among them.
                of.sort_by_key(|c| !carries(name, *c));
                of.truncate(8);
                let mut all: Vec<String> = of
                    .into_iter()
                    .map(|c| instruction(signature, c, scope(name, signature)))
                    .collect();
                if signature == Signature::PTX && operation == Operation::Read {
                    all.push("ld.volatile".to_owned());
                }
                format!("{operation} => {}\n", all.join(" or "))
            },
        );
        let map = format!("mapping \"m\" from alone.cat to asked.cat\n{}", rows.concat());
        self.mapping([("asked.cat", model), ("alone.cat", source)], map)
    }
}

/// All names of an architecture at the levels at which a mapping can have it.
fn every_name(signature: Signature, file: Option<(&str, &str)>, at_source: bool) {
    let mut tested = Tested { signature, file, seen: Vec::new() };
    for name in Name::all(signature) {
        if at_source {
            tested.at_source(name);
        }
        tested.at_target(name);
    }
    for name in Name::all(signature).into_iter().filter(|n| NEVER.contains(&n.text())) {
        let made = tested.seen.iter().any(|execution| name.has_members(execution));
        assert!(signature != Signature::PTX || !made, "{}: a row makes it", name.text());
    }
    assert!(!tested.seen.is_empty());
}

/// A text that is in no repository.
fn own(word: &'static str, more: &str) -> (Signature, (&'static str, String)) {
    let file: &'static str = Box::leak(format!("{word}.arch").into_boxed_str());
    let text = OWN.replace("dependencies", &format!("{more}dependencies"));
    let source = margay_models::SourceFile::new(file, text.clone());
    (Architecture::read(&source).unwrap_or_else(|e| panic!("{e:?}")), (file, text))
}

#[test]
fn every_name_of_a_text_of_ones_own() {
    let (signature, (file, text)) = own("ownsource", "");
    every_name(signature, Some((file, &text)), true);
    let (signature, (file, text)) =
        own("owntarget", "coherence partial\nchosen sync_fence on emitted\n");
    every_name(signature, Some((file, &text)), false);
}

#[test]
fn every_name_of_the_front_ends() {
    every_name(Signature::PLAIN, None, true);
    every_name(Signature::PTX, None, false);
}

#[test]
fn every_name_of_c_and_of_the_shipped_texts() {
    every_name(Signature::C, None, true);
    for word in built_in_words() {
        let signature = Architecture::built_in(&word).expect("it is built in");
        every_name(signature, None, true);
    }
}

/// What nothing is in the file for Rocq lists, with the reason.
#[test]
fn rocq_lists_what_is_empty() {
    use margay_prove::theorem::prove;
    use margay_rocq::{RocqSubject, Theorem, write};
    use margay_theorem::theorem::Hypotheses;
    use margay_theorem::theory::StopSignal;
    let tested = Tested { signature: Signature::PTX, file: None, seen: Vec::new() };
    let mapping = tested.to_target(Name::Set(BaseSet::Red));
    assert_eq!(theorems(&mapping, &["Depends"], 20), ["Depends"]);
    let setting = setting(&mapping, &["Depends"]);
    let report = prove(&setting, &StopSignal::default());
    let proof = report.proof.as_ref().expect("dependencies are within program order");
    let hypotheses = Hypotheses::default();
    let subject = RocqSubject::Mapping { mapping: &mapping, hypotheses: &hypotheses };
    let theorem =
        Theorem { subject, setting: &setting, inhabitants: &report.premises.inhabitants, proof };
    let text = write(&[theorem], &StopSignal::default()).expect("it has a form for Rocq");
    assert!(
        text.contains("  RED of the target asked: no row can emit a reduction\n"),
        "{}",
        &text[..3000]
    );
}
