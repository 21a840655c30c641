//! Does a model forbid no less when reads (that nothing depends on) are added to an execution? Then
//! loops that only wait for a value need not be unrolled ([`crate::unfold`]).
//!
//! Adding events leaves every base relation between the old ones as it is, and adds pairs with new
//! ones. Operators that look at one pair at a time (union, intersection, difference, products,
//! inverse) keep the value between old events as it is; sequences, closures, domains and ranges may
//! gain pairs through new events. So what is gained must never be subtracted: the right side of a
//! difference, and what is complemented, may contain only operators of the first kind, and no check
//! may be negated. A sequence through writes is of the first kind, too: what is added is no write.

use margay_models::model::{ExprId, Model, Node, Role};
use margay_models::signature::{BaseSet, PairCourse, PairEnd};

/// Whether all pairs of a relation begin, and end, at writes; of a set, whether all its members are
/// writes (both are the same then).
#[derive(Debug, Clone, Copy, Default)]
struct AtWrites {
    from: bool,
    to: bool,
}

impl AtWrites {
    const BOTH: AtWrites = AtWrites { from: true, to: true };

    /// Where writes are added, too, that are neither initial, nor of mbarriers, nor of asynchronous
    /// operations: at other events than these.
    fn of(
        node: Node,
        of: impl Fn(ExprId) -> AtWrites,
        body: Option<ExprId>,
        writes: bool,
        is_diagonal: impl Fn(ExprId) -> bool,
    ) -> AtWrites {
        match node {
            Node::Set(BaseSet::Iw | BaseSet::Mbarrier) => Self::BOTH,
            Node::Relation(relation) if relation.leads_to_asynchronous() => {
                Self { from: false, to: true }
            }
            Node::Set(BaseSet::W) | Node::Relation(_) if writes => Self::default(),
            // What depends on a read is not counted on.
            Node::Relation(relation) if relation.course() == PairCourse::Onward => Self::default(),
            Node::Relation(relation) => {
                let [from, to] = relation.ends().map(|end| end == PairEnd::Write);
                Self { from, to }
            }
            Node::Set(BaseSet::W) | Node::Empty(_) => Self::BOTH,
            Node::Definition(_) => body.map(of).unwrap_or_default(),
            Node::Union(a, b) => Self { from: of(a).from && of(b).from, to: of(a).to && of(b).to },
            Node::Intersection(a, b) => {
                Self { from: of(a).from || of(b).from, to: of(a).to || of(b).to }
            }
            Node::Difference(a, _) | Node::Diagonal(a) | Node::Closure(a) => of(a),
            Node::Sequence(a, b) if is_diagonal(b) => {
                Self { from: of(a).from, to: of(a).to || of(b).to }
            }
            Node::Sequence(a, b) | Node::Product(a, b) => Self { from: of(a).from, to: of(b).to },
            Node::Inverse(a) => Self { from: of(a).to, to: of(a).from },
            Node::Domain(a) => Self { from: of(a).from, to: of(a).from },
            Node::Range(a) => Self { from: of(a).to, to: of(a).to },
            Node::Set(_) | Node::Complement(_) | Node::Optional(_) | Node::ReflexiveClosure(_) => {
                Self::default()
            }
        }
    }
}

/// Does it?
pub(crate) fn grows_with_reads(model: &Model) -> bool {
    grows_with(model, false)
}

/// Does a model forbid no less when reads and writes are added that nothing depends on?
pub(crate) fn grows_with_accesses(model: &Model) -> bool {
    grows_with(model, true)
}

fn grows_with(model: &Model, writes: bool) -> bool {
    let arena = &model.arena;
    // For each node: may its value between old events grow? Ascending order, so operands come
    // first; members of recursive definitions may.
    let mut grows = vec![true; arena.len()];
    let mut sound = vec![true; arena.len()];
    let mut at_writes = vec![AtWrites::default(); arena.len()];
    // It relates an event to itself: no sequence leads through it to another one.
    let is_diagonal = |id: ExprId| matches!(arena.node(id), Node::Diagonal(_));
    let body = |id: ExprId| match arena.node(id) {
        Node::Definition(d) if model.definition(d).group.is_none() => {
            Some(model.definition(d).body)
        }
        _ => None,
    };
    for id in model.reachable(model.axioms().map(|(_, c)| c.expr)) {
        let node = arena.node(id);
        let of_children = |what: &[bool], all: bool| {
            let mut children = node.children().chain(body(id));
            if all { children.all(|c| what[c.index()]) } else { children.any(|c| what[c.index()]) }
        };
        at_writes[id.index()] =
            AtWrites::of(node, |of| at_writes[of.index()], body(id), writes, is_diagonal);
        grows[id.index()] = match node {
            Node::Set(_) | Node::Relation(_) | Node::Empty(_) => false,
            Node::Definition(d) if model.definition(d).group.is_some() => true,
            Node::Sequence(a, b)
                if at_writes[a.index()].to
                    || at_writes[b.index()].from
                    || is_diagonal(a)
                    || is_diagonal(b) =>
            {
                of_children(&grows, false)
            }
            Node::Sequence(..)
            | Node::Closure(_)
            | Node::ReflexiveClosure(_)
            | Node::Domain(_)
            | Node::Range(_) => true,
            _ => of_children(&grows, false),
        };
        let subtracts_what_grows = match node {
            Node::Difference(_, b) => grows[b.index()],
            Node::Complement(a) => grows[a.index()],
            _ => false,
        };
        sound[id.index()] = !subtracts_what_grows && of_children(&sound, true);
    }
    let bodies_are_sound =
        model.groups.iter().flatten().all(|&m| sound[model.definition(m).body.index()]);
    let checks_are_sound = model
        .checks
        .iter()
        .filter(|c| c.role == Role::Axiom)
        .all(|c| !c.negated && sound[c.expr.index()]);
    checks_are_sound && bodies_are_sound
}

/// The built-in models of which docs/semantics.md ("Loops that only wait") shows that they forbid
/// nothing when a read-modify-write that wrote back what it read is taken out, each with the axioms
/// that the argument uses.
const ARGUED: [(&str, &[&str]); 12] = [
    ("sc", &["Atomicity"]),
    ("tso", &["SC-per-Location", "Causality", "Atomicity"]),
    ("x86", &["SC-per-Location", "Global-Happens-Before", "Atomicity"]),
    ("ptx-6.0", PTX),
    ("ptx-6.0-any-fence", PTX),
    ("ptx-6.0-strong-patterns", PTX),
    ("ptx-8", PTX),
    ("rc11", &["Atomicity"]),
    ("rc11-lb", &["Atomicity"]),
    ("rc11-scoped", &["Atomicity"]),
    ("c20", &["Atomicity"]),
    ("c20-scoped", &["Atomicity"]),
];

const PTX: &[&str] = &["Coherence-Order", "Coherence", "Atomicity", "SC-per-Location", "Causality"];

/// Is an execution of the model still one when a read-modify-write that wrote back what it read is
/// taken out of it, and who read from it reads from where it read from? (At a location that is
/// shared strongly, [`crate::unfold`].)
///
/// That does not follow from the form of a model: it is argued for the texts that are built in, and
/// a text with any change is another one.
pub(crate) fn allows_no_less_without_rewrites(model: &Model) -> bool {
    let is_axiom = |name: &&str| {
        model.checks.iter().any(|c| c.role == Role::Axiom && c.name.as_deref() == Some(*name))
    };
    let is_argued = |(name, axioms): &(&str, &[&str])| {
        margay_models::library::built_in(name).is_some_and(|text| text.text == model.source.text)
            && axioms.iter().all(is_axiom)
    };
    ARGUED.iter().any(is_argued)
}

#[cfg(test)]
mod tests {
    use margay_models::library;

    use super::{grows_with_accesses, grows_with_reads};

    /// RISC-V's pairs of loads without a store between them are what is left when a sequence
    /// through writes is taken away. The visible side effects of C11 are what is left of one
    /// through what happens before, which a read may add to.
    #[test]
    fn the_models_of_loops_do_and_those_that_subtract_a_sequence_do_not() {
        let yes = [
            "sc",
            "tso",
            "ptx-6.0",
            "ptx-8",
            "ptx-2015",
            "rc11",
            "rc11-scoped",
            "c20-scoped",
            "x86",
            "aarch64",
            "power",
            "riscv",
        ];
        for (names, grows) in [(&yes[..], true), (&["c11", "c11-2016"], false)] {
            for name in names {
                let model = library::load(name, &[]).unwrap().model;
                assert_eq!(grows_with_reads(&model), grows, "{name}");
            }
        }
    }

    /// What `ptx-8` subtracts begins at writes of asynchronous operations; what RISC-V does may
    /// begin, and end, at any.
    #[test]
    fn writes_may_be_added_where_none_of_them_is_subtracted() {
        for (name, grows) in [("ptx-8", true), ("riscv", false)] {
            let model = library::load(name, &[]).unwrap().model;
            assert_eq!(grows_with_accesses(&model), grows, "{name}");
        }
    }

    #[test]
    fn what_subtracts_a_sequence_does_not() {
        let model = |text: &str| {
            let source = margay_models::diagnostic::SourceFile::new("m.cat", text);
            margay_models::Model::parse(source, &margay_models::typing::FilesThenBuiltIn)
                .unwrap()
                .model
        };
        assert!(!grows_with_reads(&model("PTX \"m\"\nacyclic po \\ (po; po)\n")));
        assert!(!grows_with_reads(&model("PTX \"m\"\n~acyclic po\n")));
        assert!(grows_with_reads(&model("PTX \"m\"\nacyclic (po; rf) \\ co\n")));
        for through_writes in
            ["po; [W]; po", "rf^-1; rf", "(po & (M * W)); po", "fr; co", "fr; (rf & ext)"]
        {
            assert!(
                grows_with_reads(&model(&format!("PTX \"m\"\nacyclic po \\ ({through_writes})\n"))),
                "{through_writes}"
            );
        }
        for through_reads in [
            "po; [M]; po",
            "rf; rf^-1",
            "(po & (W * M)); po",
            "po; ([W] | [R]); po",
            "po; [W]?; po",
            "[W]; po; po",
            "po; po; [W]",
        ] {
            assert!(
                !grows_with_reads(&model(&format!("PTX \"m\"\nacyclic po \\ ({through_reads})\n"))),
                "{through_reads}"
            );
        }
    }
}
