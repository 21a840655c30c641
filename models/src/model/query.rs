//! Questions about a typed model: what it mentions, and where its checks and definitions are.

use super::{Check, CheckKind, Definition, ExprId, Model, Node, Role};
use crate::diagnostic::SourcePlace;
use crate::execution::Scope;
use crate::signature::{BaseRelation, BaseSet, Signature};

impl Model {
    /// The reading of another tool's model for tests of this signature, whose events carry tags;
    /// `None` if there is no such reading.
    pub fn of_tests(&self, signature: Signature) -> Option<&Model> {
        self.of_tests.as_deref().filter(|tagged| tagged.signature == signature)
    }

    /// The definition behind an id.
    pub fn definition(&self, id: super::DefId) -> &Definition {
        &self.definitions[id.index()]
    }

    /// The index of the definition that a name stands for at the end of the text (the last one of
    /// that name).
    pub fn definition_named(&self, name: &str) -> Option<super::DefId> {
        self.definitions.iter().rposition(|d| d.name == name).map(super::DefId::from)
    }

    /// The index of the first check with that name; case, `-`, `_` and blanks do not matter.
    pub fn check_named(&self, name: &str) -> Option<usize> {
        self.checks_named(name).next()
    }

    /// The indices of all checks with that name: a text may give one name to several.
    pub fn checks_named(&self, name: &str) -> impl Iterator<Item = usize> {
        let wanted = simplified(name);
        let is_it = move |check: &Check| simplified(&check.display_name()) == wanted;
        self.checks.iter().enumerate().filter(move |(_, check)| is_it(check)).map(|(i, _)| i)
    }

    /// Are two names of checks the same, but for case, `-`, `_` and blanks?
    pub fn same_check_name(a: &str, b: &str) -> bool {
        simplified(a) == simplified(b)
    }

    /// Where an operand of a union is written within a definition or check.
    pub fn branch_place(
        &self,
        within: &SourcePlace,
        union: ExprId,
        operand: ExprId,
    ) -> Option<&SourcePlace> {
        let inside = |p: &&SourcePlace| {
            p.file == within.file
                && within.span.start <= p.span.start
                && p.span.end <= within.span.end
        };
        self.branches.get(&(union, operand))?.iter().find(inside)
    }

    /// The checks that every allowed execution passes, with their indices.
    pub fn axioms(&self) -> impl Iterator<Item = (usize, &Check)> {
        self.checks.iter().enumerate().filter(|(_, c)| c.role == Role::Axiom)
    }

    /// Does an axiom say that the union of these relations has no cycle? (One whose relation is a
    /// union with each of them in it, as the text has it.)
    pub fn forbids_cycles_of(&self, relations: &[BaseRelation]) -> bool {
        let is_one = |check: &Check| {
            let mut found = Vec::new();
            let mut open = vec![check.expr];
            while let Some(id) = open.pop() {
                match self.arena.node(id) {
                    Node::Union(a, b) => open.extend([a, b]),
                    Node::Definition(d) if self.definition(d).group.is_none() => {
                        open.push(self.definition(d).body)
                    }
                    Node::Relation(relation) => found.push(relation),
                    _ => {}
                }
            }
            check.kind == CheckKind::Acyclic
                && !check.negated
                && relations.iter().all(|relation| found.contains(relation))
        };
        self.axioms().any(|(_, check)| is_one(check))
    }

    /// Do the checks depend on a base set?
    pub fn mentions_set(&self, set: BaseSet) -> bool {
        self.used_nodes().any(|n| n == Node::Set(set))
    }

    /// Do the checks depend on a base relation?
    pub fn mentions_relation(&self, relation: BaseRelation) -> bool {
        self.used_nodes().any(|n| n == Node::Relation(relation))
    }

    /// Do the checks look at an order of fences, which an execution then chooses?
    pub fn orders_fences(&self) -> bool {
        self.used_nodes().any(|n| matches!(n, Node::Relation(r) if r.orders_fences()))
    }

    /// Does the model speak of the scope that the text of its architecture calls optional
    /// (clusters, the level between cta and gpu that PTX ISA 7.8 brought)? One that names it does.
    /// Of the others the text says it: a model of PTX does unless it is one of the built-in ones of
    /// older machines, since `sr` means inclusion of whatever scopes there are; a model of C does
    /// not.
    pub fn knows_clusters(&self) -> bool {
        let Some(scope) = self.signature.optional_scope() else {
            return self.signature.scopes(true).contains(&Scope::Cluster);
        };
        self.names_scope(scope) || self.signature.knows_unnamed(&self.name)
    }

    /// Do the checks depend on the set of a scope's operations, or on the relation of the threads
    /// that share it?
    pub fn names_scope(&self, scope: Scope) -> bool {
        self.used_nodes().any(|n| match n {
            Node::Set(s) => s.scope() == Some(scope),
            Node::Relation(r) => r.level() == Some(scope),
            _ => false,
        })
    }

    /// Do the checks depend on scopes or on where threads run?
    pub fn is_scoped(&self) -> bool {
        self.used_nodes().any(|n| match n {
            Node::Set(s) => s.scope().is_some(),
            Node::Relation(r) => r.compares_scopes(),
            _ => false,
        })
    }

    /// The scopes that its programs can name, narrowest first; none where the architecture has
    /// none.
    pub fn scopes(&self) -> &'static [Scope] {
        self.signature.scopes(self.knows_clusters())
    }

    /// Do the checks depend on which operations have a scope, by a set of them (not by inclusion)?
    pub fn names_scopes(&self) -> bool {
        self.used_nodes().any(|n| matches!(n, Node::Set(s) if s.scope().is_some()))
    }

    /// Do the checks depend on which threads share a level, for its own sake?
    pub fn mentions_level(&self, scope: Scope) -> bool {
        self.used_nodes().any(|n| matches!(n, Node::Relation(r) if r.level() == Some(scope)))
    }

    /// The nodes that the checks depend on, through definitions, in ascending order.
    fn used_nodes(&self) -> impl Iterator<Item = Node> {
        self.reachable(self.checks.iter().map(|c| c.expr)).into_iter().map(|id| self.arena.node(id))
    }

    /// Every node that the given ones depend on, through definitions, in ascending order.
    pub fn reachable(&self, roots: impl IntoIterator<Item = ExprId>) -> Vec<ExprId> {
        let mut seen = vec![false; self.arena.len()];
        let mut open: Vec<ExprId> = roots.into_iter().collect();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            let node = self.arena.node(id);
            open.extend(node.children());
            if let Node::Definition(d) = node {
                open.push(self.definition(d).body);
                // The whole group is computed together.
                if let Some(g) = self.definition(d).group {
                    open.extend(self.groups[g.index()].iter().map(|&m| self.definition(m).body));
                }
            }
        }
        (0..seen.len()).filter(|&i| seen[i]).map(ExprId::from).collect()
    }
}

/// A name as it is compared: lower case, without `-`, `_` and blanks.
fn simplified(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_') && !c.is_whitespace())
        .flat_map(char::to_lowercase)
        .collect()
}
