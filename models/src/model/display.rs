//! From typed model back to .cat text, with functions and procedures inlined. What is printed reads
//! as an equal model.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::{DefId, ExprId, GroupId, Model, Node};
use crate::cat::ast::{CatExpr, ExprKind};
use crate::diagnostic::Span;
use crate::signature::{BaseRelation, BaseSet};

impl Model {
    /// An expression as syntax, definitions by their names.
    pub fn syntax(&self, id: ExprId) -> CatExpr {
        self.syntax_with(id, &|d| self.definition(d).name.clone())
    }

    /// An expression as syntax, with the given names for definitions.
    fn syntax_with(&self, id: ExprId, name: &dyn Fn(DefId) -> String) -> CatExpr {
        let sub = |e: ExprId| self.syntax_with(e, name);
        let one = |make: fn(Box<CatExpr>) -> ExprKind, e: ExprId| make(Box::new(sub(e)));
        let kind = match self.arena.node(id) {
            Node::Set(set) if set.name() == "_" => ExprKind::Universe,
            Node::Set(set) => ExprKind::Name(set.name().to_owned()),
            Node::Relation(relation) => ExprKind::Name(relation.name().to_owned()),
            Node::Empty(_) => ExprKind::Empty,
            Node::Definition(d) => ExprKind::Name(name(d)),
            Node::Union(..) => ExprKind::Union(self.operands(id).into_iter().map(sub).collect()),
            Node::Intersection(..) => {
                ExprKind::Intersection(self.operands(id).into_iter().map(sub).collect())
            }
            Node::Sequence(..) => {
                ExprKind::Sequence(self.operands(id).into_iter().map(sub).collect())
            }
            Node::Difference(a, b) => ExprKind::Difference(vec![sub(a), sub(b)]),
            Node::Product(a, b) => ExprKind::Product(Box::new(sub(a)), Box::new(sub(b))),
            Node::Complement(e) => one(ExprKind::Complement, e),
            Node::Diagonal(e) => one(ExprKind::Diagonal, e),
            Node::Inverse(e) => one(ExprKind::Inverse, e),
            Node::Closure(e) => one(ExprKind::Closure, e),
            Node::ReflexiveClosure(e) => one(ExprKind::ReflexiveClosure, e),
            Node::Optional(e) => one(ExprKind::Optional, e),
            Node::Domain(e) => apply("domain", sub(e)),
            Node::Range(e) => apply("range", sub(e)),
        };
        CatExpr::new(kind, Span::default())
    }

    /// The operands of nested unions, intersections or sequences, left to right: `a | b | c` for
    /// `(a | b) | c`.
    pub fn operands(&self, id: ExprId) -> Vec<ExprId> {
        let same = |node: Node| match (self.arena.node(id), node) {
            (Node::Union(..), Node::Union(a, b))
            | (Node::Intersection(..), Node::Intersection(a, b))
            | (Node::Sequence(..), Node::Sequence(a, b)) => Some((a, b)),
            _ => None,
        };
        let (mut open, mut found) = (vec![id], Vec::new());
        while let Some(next) = open.pop() {
            match same(self.arena.node(next)) {
                Some((a, b)) => open.extend([b, a]),
                None => found.push(next),
            }
        }
        found
    }

    /// A name for each definition that is a word, differs from all others and is no base name.
    fn printed_names(&self) -> BTreeMap<DefId, String> {
        let bases = BaseSet::names_of_front_ends().chain(BaseRelation::names_of_front_ends());
        let bases =
            bases.chain(BaseSet::names(self.signature)).chain(BaseRelation::names(self.signature));
        let mut taken: BTreeSet<String> =
            bases.chain(["domain", "range"]).map(str::to_owned).collect();
        let mut names = BTreeMap::new();
        for (i, definition) in self.definitions.iter().enumerate() {
            let word: String = definition
                .name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '.' { c } else { '-' })
                .collect();
            let word = word.trim_matches('-').to_owned();
            let mut name = word.clone();
            let mut number = 2;
            while !taken.insert(name.clone()) {
                name = format!("{word}-{number}");
                number += 1;
            }
            names.insert(DefId::from(i), name);
        }
        names
    }
}

fn apply(function: &str, argument: CatExpr) -> ExprKind {
    ExprKind::Apply(
        Box::new(CatExpr::new(ExprKind::Name(function.to_owned()), Span::default())),
        vec![argument],
    )
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} \"{}\"",
            self.signature.header(),
            self.title.as_deref().unwrap_or(&self.name)
        )?;
        let names = self.printed_names();
        let name = |d: DefId| names[&d].clone();
        let used: BTreeSet<ExprId> =
            self.reachable(self.checks.iter().map(|c| c.expr)).into_iter().collect();
        let is_used =
            |d: DefId| self.arena.find(Node::Definition(d)).is_some_and(|n| used.contains(&n));
        let binding = |d: DefId| {
            format!("{} = {}", name(d), self.syntax_with(self.definition(d).body, &name))
        };
        let mut printed_groups = BTreeSet::<GroupId>::new();
        for id in self.definition_order() {
            match self.definition(id).group {
                _ if !is_used(id) => {}
                None => writeln!(f, "let {}", binding(id))?,
                Some(group) => {
                    if printed_groups.insert(group) {
                        let members: Vec<String> =
                            self.groups[group.index()].iter().map(|&m| binding(m)).collect();
                        writeln!(f, "let rec {}", members.join(" and "))?;
                    }
                }
            }
        }
        for check in &self.checks {
            let role = check.role.to_string();
            let tilde = if check.negated { "~" } else { "" };
            let space = if role.is_empty() { "" } else { " " };
            write!(
                f,
                "{role}{space}{tilde}{} {}",
                check.kind,
                self.syntax_with(check.expr, &name)
            )?;
            match &check.name {
                Some(name) => writeln!(f, " as {name}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

impl Model {
    /// The definitions, each behind those that it uses. (In the text, the definitions within a
    /// recursive one come behind it.)
    fn definition_order(&self) -> Vec<DefId> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        for root in (0..self.definitions.len()).map(DefId::from) {
            let mut open = vec![(root, false)];
            while let Some((id, ready)) = open.pop() {
                if ready {
                    order.push(id);
                } else if seen.insert(id) {
                    open.push((id, true));
                    let together = self
                        .definition(id)
                        .group
                        .map_or(vec![id], |g| self.groups[g.index()].clone());
                    let uses = together.iter().flat_map(|&m| self.uses(self.definition(m).body));
                    open.extend(uses.filter(|d| !together.contains(d)).map(|d| (d, false)));
                }
            }
        }
        order
    }

    /// The definitions that an expression names.
    fn uses(&self, id: ExprId) -> Vec<DefId> {
        let (mut open, mut seen, mut found) = (vec![id], BTreeSet::new(), Vec::new());
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                match self.arena.node(next) {
                    Node::Definition(d) => found.push(d),
                    node => open.extend(node.children()),
                }
            }
        }
        found
    }
}
