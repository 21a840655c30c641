//! Does a model forbid no less when reads (that nothing depends on) are added to an execution? Then loops that only wait for a
//! value need not be unrolled ([`crate::unfold`]).
//!
//! Adding events leaves every base relation between the old ones as it is, and adds pairs with new ones. Operators that look at
//! one pair at a time (union, intersection, difference, products, inverse) keep the value between old events as it is; sequences,
//! closures, domains and ranges may gain pairs through new events. So what is gained must never be subtracted: the
//! right side of a difference, and what is complemented, may contain only operators of the first kind, and no check may be negated.

use margay_models::model::{ExprId, Model, Node, Role};

/// Does it?
pub(crate) fn grows_with_reads(model: &Model) -> bool {
    let arena = &model.arena;
    // For each node: may its value between old events grow? Ascending order, so operands come first; members of recursive
    // definitions may.
    let mut grows = vec![true; arena.len()];
    let mut sound = vec![true; arena.len()];
    let body = |id: ExprId| match arena.node(id) {
        Node::Definition(d) if model.definition(d).group.is_none() => Some(model.definition(d).body),
        _ => None,
    };
    for id in model.reachable(model.axioms().map(|(_, c)| c.expr)) {
        let node = arena.node(id);
        let of_children = |what: &[bool], all: bool| {
            let mut children = node.children().chain(body(id));
            if all { children.all(|c| what[c.index()]) } else { children.any(|c| what[c.index()]) }
        };
        grows[id.index()] = match node {
            Node::Set(_) | Node::Relation(_) | Node::Empty(_) => false,
            Node::Definition(d) if model.definition(d).group.is_some() => true,
            Node::Sequence(..) | Node::Closure(_) | Node::ReflexiveClosure(_) | Node::Domain(_) | Node::Range(_) => true,
            _ => of_children(&grows, false),
        };
        let subtracts_what_grows = match node {
            Node::Difference(_, b) => grows[b.index()],
            Node::Complement(a) => grows[a.index()],
            _ => false,
        };
        sound[id.index()] = !subtracts_what_grows && of_children(&sound, true);
    }
    let bodies_are_sound = model.groups.iter().flatten().all(|&m| sound[model.definition(m).body.index()]);
    let checks_are_sound = model.checks.iter().filter(|c| c.role == Role::Axiom).all(|c| !c.negated && sound[c.expr.index()]);
    checks_are_sound && bodies_are_sound
}

/// The built-in models of which docs/semantics.md ("Loops that only wait") shows that they forbid nothing when a read-modify-write that
/// wrote back what it read is taken out, each with the axioms that the argument uses.
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

/// Is an execution of the model still one when a read-modify-write that wrote back what it read is taken out of it, and who read from it
/// reads from where it read from? (At a location that is shared strongly, [`crate::unfold`].)
///
/// That does not follow from the form of a model: it is argued for the texts that are built in, and a text with any change is another one.
pub(crate) fn allows_no_less_without_rewrites(model: &Model) -> bool {
    let is_axiom = |name: &&str| model.checks.iter().any(|c| c.role == Role::Axiom && c.name.as_deref() == Some(*name));
    let is_argued = |(name, axioms): &(&str, &[&str])| {
        margay_models::library::built_in(name).is_some_and(|text| text.text == model.source.text) && axioms.iter().all(is_axiom)
    };
    ARGUED.iter().any(is_argued)
}

#[cfg(test)]
mod tests {
    use margay_models::library;

    use super::grows_with_reads;

    /// The release sequences of C11 and RISC-V's pairs of loads without a store between them are what is left when a sequence is taken
    /// away. (It is one through writes, which no read can add to; that is not seen.) The models that tests with loops are mostly run on are among the others.
    #[test]
    fn the_models_of_loops_do_and_those_that_subtract_a_sequence_do_not() {
        let yes = ["sc", "tso", "ptx-6.0", "ptx-8", "ptx-2015", "rc11", "rc11-scoped", "c20-scoped", "x86", "aarch64", "power"];
        for (names, grows) in [(&yes[..], true), (&["c11", "c11-2016", "riscv"], false)] {
            for name in names {
                let model = library::load(name, &[]).unwrap().model;
                assert_eq!(grows_with_reads(&model), grows, "{name}");
            }
        }
    }

    #[test]
    fn what_subtracts_a_sequence_does_not() {
        let model = |text: &str| {
            let source = margay_models::diagnostic::SourceFile::new("m.cat", text);
            margay_models::Model::parse(source, &margay_models::typing::FilesThenBuiltIn).unwrap().model
        };
        assert!(!grows_with_reads(&model("PTX \"m\"\nacyclic po \\ (po; po)\n")));
        assert!(!grows_with_reads(&model("PTX \"m\"\n~acyclic po\n")));
        assert!(grows_with_reads(&model("PTX \"m\"\nacyclic (po; rf) \\ co\n")));
    }
}
