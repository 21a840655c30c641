//! Can every beginning of an execution be carried on? Then a race in a beginning is a race of the
//! program, and a lesson about few events is one about every program that begins so.
//!
//! One operation is added behind all others: it is last in program order, reads what is last in
//! modification order, and writes what becomes last there. So no edge of program order, reads-from,
//! modification order or from-read leads out of it. The analysis follows through a model's text
//! what that means: for each expression, whether its value among old events stays as it was, and
//! where it may have pairs with the new ones. New are at most two events, the read and the write of
//! a read-modify-write; a load, a store or a fence is one of them alone. What the analysis cannot
//! see to be safe is taken to be unsafe.

use margay_models::model::{CheckKind, DefId, ExprId, Model, Node, Role, Sort};
use margay_models::signature::{BaseRelation, PairCourse, PairEnd};

/// Old events, and the read and the write of the new operation.
const OLD: usize = 0;
const READ: usize = 1;
const WRITE: usize = 2;
const NEW: [usize; 2] = [READ, WRITE];

/// What is known of the value of an expression. Sets are diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ExpressionValue {
    /// Among old events it may change.
    changes: bool,
    /// Where there may be pairs; among old events always.
    pairs: [[bool; 3]; 3],
}

impl ExpressionValue {
    const NOTHING: ExpressionValue = ExpressionValue::with(&[]);

    const fn with(cells: &[(usize, usize)]) -> ExpressionValue {
        let mut pairs = [[false; 3]; 3];
        pairs[OLD][OLD] = true;
        let mut i = 0;
        while i < cells.len() {
            pairs[cells[i].0][cells[i].1] = true;
            i += 1;
        }
        ExpressionValue { changes: false, pairs }
    }

    fn each(self, other: ExpressionValue, cell: impl Fn(bool, bool) -> bool) -> ExpressionValue {
        let mut out = ExpressionValue { changes: self.changes || other.changes, ..Self::NOTHING };
        for a in 0..3 {
            for b in 0..3 {
                out.pairs[a][b] = (a, b) == (OLD, OLD) || cell(self.pairs[a][b], other.pairs[a][b]);
            }
        }
        out
    }

    fn union(self, other: ExpressionValue) -> ExpressionValue {
        self.each(other, |a, b| a || b)
    }

    fn then(self, other: ExpressionValue) -> ExpressionValue {
        let mut out = ExpressionValue { changes: self.changes || other.changes, ..Self::NOTHING };
        out.changes |= NEW.iter().any(|&k| self.pairs[OLD][k] && other.pairs[k][OLD]);
        for a in 0..3 {
            for b in 0..3 {
                out.pairs[a][b] |= (0..3).any(|k| self.pairs[a][k] && other.pairs[k][b]);
            }
        }
        out
    }

    fn closure(self) -> ExpressionValue {
        let mut all = self;
        loop {
            let longer = all.union(all.then(self));
            if longer == all {
                return all;
            }
            all = longer;
        }
    }

    fn or_identity(self) -> ExpressionValue {
        self.union(ExpressionValue::with(&[(READ, READ), (WRITE, WRITE)]))
    }

    fn inverse(self) -> ExpressionValue {
        let mut out = self;
        for a in 0..3 {
            for b in 0..3 {
                out.pairs[a][b] = self.pairs[b][a];
            }
        }
        out
    }

    fn domain(self) -> ExpressionValue {
        let mut out = ExpressionValue { changes: self.changes, ..Self::NOTHING };
        out.changes |= NEW.iter().any(|&k| self.pairs[OLD][k]);
        for a in NEW {
            out.pairs[a][a] = self.pairs[a].contains(&true);
        }
        out
    }

    fn product(self, other: ExpressionValue) -> ExpressionValue {
        let mut out = ExpressionValue { changes: self.changes || other.changes, ..Self::NOTHING };
        for a in 0..3 {
            for b in 0..3 {
                out.pairs[a][b] = self.pairs[a][a] && other.pairs[b][b];
            }
        }
        out
    }

    fn everywhere(sort: Sort) -> ExpressionValue {
        match sort {
            Sort::Set => ExpressionValue::with(&[(READ, READ), (WRITE, WRITE)]),
            Sort::Relation => ExpressionValue { changes: false, pairs: [[true; 3]; 3] },
        }
    }

    fn has_new(self) -> bool {
        (0..3).any(|a| (0..3).any(|b| (a, b) != (OLD, OLD) && self.pairs[a][b]))
    }

    fn leads_back(self) -> bool {
        NEW.iter().any(|&k| self.pairs[k][OLD])
    }

    fn is_reflexive_on_new(self) -> bool {
        NEW.iter().any(|&k| self.pairs[k][k])
    }
}

/// Does every consistent beginning of an execution have a consistent continuation in which it stays
/// as racy as it was?
pub fn extends(model: &Model) -> bool {
    // A fence behind all others has a place in an order of fences, which the analysis does not
    // follow.
    if model.orders_fences() {
        return false;
    }
    let mut analysis =
        Analysis { model, definitions: vec![ExpressionValue::NOTHING; model.definitions.len()] };
    // Definitions only grow; as often as it takes for the recursive ones.
    loop {
        let before = analysis.definitions.clone();
        for d in 0..model.definitions.len() {
            let value = analysis.value(model.definition(DefId::from(d)).body);
            analysis.definitions[d] = analysis.definitions[d].union(value);
        }
        if analysis.definitions == before {
            break;
        }
    }
    model.checks.iter().all(|check| {
        let value = analysis.value(check.expr);
        if check.is_undefined_behaviour() || check.negated {
            return !value.changes;
        }
        if check.role != Role::Axiom {
            return true;
        }
        !value.changes
            && match check.kind {
                CheckKind::Empty => !value.has_new(),
                CheckKind::Irreflexive => !value.is_reflexive_on_new(),
                CheckKind::Acyclic => {
                    let both_ways = value.pairs[READ][WRITE] && value.pairs[WRITE][READ];
                    !value.leads_back() && !value.is_reflexive_on_new() && !both_ways
                }
            }
    })
}

struct Analysis<'a> {
    model: &'a Model,
    definitions: Vec<ExpressionValue>,
}

impl Analysis<'_> {
    fn value(&self, root: ExprId) -> ExpressionValue {
        let arena = &self.model.arena;
        // Operands have smaller numbers than what is made of them.
        let mut needed = vec![false; root.index() + 1];
        needed[root.index()] = true;
        for i in (0..=root.index()).rev().filter(|&i| i < arena.len()) {
            if needed[i] {
                arena.node(ExprId::from(i)).children().for_each(|c| needed[c.index()] = true);
            }
        }
        let mut values = vec![ExpressionValue::NOTHING; root.index() + 1];
        for i in (0..=root.index()).filter(|&i| needed[i]) {
            values[i] = self.build(ExprId::from(i), &values);
        }
        values[root.index()]
    }

    fn build(&self, id: ExprId, values: &[ExpressionValue]) -> ExpressionValue {
        let arena = &self.model.arena;
        let of = |e: ExprId| values[e.index()];
        match arena.node(id) {
            Node::Set(_) => ExpressionValue::everywhere(Sort::Set),
            Node::Relation(relation) => base(relation),
            Node::Empty(_) => ExpressionValue::NOTHING,
            Node::Definition(d) => self.definitions[d.index()],
            Node::Union(a, b) => of(a).union(of(b)),
            Node::Intersection(a, b) => of(a).each(of(b), |a, b| a && b),
            Node::Difference(a, b) => of(a).each(of(b), |a, _| a),
            Node::Complement(a) => ExpressionValue {
                changes: of(a).changes,
                ..ExpressionValue::everywhere(arena.sort(id))
            },
            // `rf^-1; co`, also by other names: its pairs are fewer than those of its parts say.
            Node::Sequence(a, b) => match self.spelt(a, b) {
                Some(relation) => ExpressionValue { changes: of(b).changes, ..base(relation) },
                None => of(a).then(of(b)),
            },
            Node::Product(a, b) => of(a).product(of(b)),
            Node::Diagonal(a) => of(a),
            Node::Inverse(a) => of(a).inverse(),
            Node::Closure(a) => of(a).closure(),
            Node::ReflexiveClosure(a) => of(a).closure().or_identity(),
            Node::Optional(a) => of(a).or_identity(),
            Node::Domain(a) => of(a).domain(),
            Node::Range(a) => of(a).inverse().domain(),
        }
    }

    /// The base relation that a sequence is a part of, as `rf^-1; co` is `fr`.
    fn spelt(&self, a: ExprId, b: ExprId) -> Option<BaseRelation> {
        BaseRelation::back_and_on(self.backwards(a)?, self.within_order(b)?)
    }

    /// The base relation that it is backwards, as in `rf^-1`.
    fn backwards(&self, id: ExprId) -> Option<BaseRelation> {
        match self.node(id) {
            Node::Inverse(r) => match self.node(r) {
                Node::Relation(relation) => Some(relation),
                _ => None,
            },
            _ => None,
        }
    }

    /// The coherence order, if it is that or a part of it.
    fn within_order(&self, id: ExprId) -> Option<BaseRelation> {
        let is_diagonal = |e: ExprId| matches!(self.node(e), Node::Diagonal(_));
        match self.node(id) {
            Node::Relation(relation) => Some(relation)
                .filter(|relation| relation.speaks_of_coherence() && relation.is_order()),
            Node::Intersection(a, b) => self.within_order(a).or_else(|| self.within_order(b)),
            Node::Difference(a, _) => self.within_order(a),
            Node::Sequence(a, b) if is_diagonal(a) => self.within_order(b),
            Node::Sequence(a, b) if is_diagonal(b) => self.within_order(a),
            _ => None,
        }
    }

    /// The node that a name stands for.
    fn node(&self, mut id: ExprId) -> Node {
        loop {
            match self.model.arena.node(id) {
                Node::Definition(d) if self.model.definition(d).group.is_none() => {
                    id = self.model.definition(d).body
                }
                node => return node,
            }
        }
    }
}

/// The base relations when an operation is added behind all others.
fn base(relation: BaseRelation) -> ExpressionValue {
    match (relation.course(), relation.ends()) {
        (PairCourse::Onward, _) => {
            ExpressionValue::with(&[(OLD, READ), (OLD, WRITE), (READ, WRITE)])
        }
        (PairCourse::WithinOperation, _) => ExpressionValue::with(&[(READ, WRITE)]),
        (PairCourse::Communication, [_, PairEnd::Read]) => ExpressionValue::with(&[(OLD, READ)]),
        (PairCourse::Communication, [PairEnd::Read, _]) => {
            ExpressionValue::with(&[(OLD, WRITE), (READ, WRITE)])
        }
        (PairCourse::Communication, _) => ExpressionValue::with(&[(OLD, WRITE)]),
        (PairCourse::Itself, _) => ExpressionValue::NOTHING.or_identity(),
        (PairCourse::Anywhere, _) => ExpressionValue::everywhere(Sort::Relation),
    }
}

#[cfg(test)]
mod tests {
    use margay_models::diagnostic::SourceFile;
    use margay_models::library;
    use margay_models::typing::FilesThenBuiltIn;

    use super::extends;

    #[test]
    fn the_shipped_source_models_do() {
        for name in
            ["rc11", "rc11-scoped", "rc11-scoped-mo-atomic", "c20", "c20-scoped", "sc", "tso"]
        {
            let model = library::load(name, &[]).unwrap().model;
            assert!(extends(&model), "{name}");
        }
    }

    #[test]
    fn models_that_may_forbid_a_last_operation_do_not() {
        let of = |text: &str| {
            let source = SourceFile::new("m.cat", format!("C \"m\"\n{text}\n"));
            extends(&margay_models::Model::parse(source, &FilesThenBuiltIn).unwrap().model)
        };
        // A race that a later operation hides; a bound on what a thread may do; a cycle through a
        // symmetric relation; a race that disappears when its write is read.
        assert!(!of(
            "acyclic po | rf | co | fr\nlet r = po; po\nflag ~empty (loc & ext) \\ (loc; po^-1; loc) as Race"
        ));
        assert!(!of("empty po; po; po"));
        assert!(!of("acyclic po | loc"));
        assert!(!of("flag ~empty [W \\ domain(rf)] as Unread"));
        assert!(of("acyclic po | rf | co | (rf^-1; co)\nflag ~empty [W \\ IW] as Write"));
        assert!(!of("acyclic po | rf | co | (rf^-1; loc)"));
    }
}
