//! The meaning of a syntax tree by sets of pairs, straight from the definitions of the operators:
//! slow, and shares nothing with the judge but the base relations. Whether `0` and `_` are sets or
//! relations follows from what is asked for.

use std::collections::{BTreeMap, BTreeSet};

use margay_models::cat::ast::{Bindings, CatExpr, CatFile, ExprKind, InstructionKind};
use margay_models::signature::{BaseRelation, BaseSet};
use margay_models::{CheckKind, Execution};

pub type Set = BTreeSet<usize>;
pub type Pairs = BTreeSet<(usize, usize)>;

#[derive(Debug, Clone)]
enum Meaning {
    Set(Set),
    Relation(Pairs),
    /// Parameters (a relation and a set) and body.
    Function(String, String, CatExpr),
}

type Environment = BTreeMap<String, Meaning>;

/// For each check: does the test hold?
pub fn checks(file: &CatFile, execution: &Execution) -> Vec<bool> {
    let naive = Naive { execution, n: execution.size() };
    let mut environment = Environment::new();
    let mut results = Vec::new();
    for instruction in &file.instructions {
        match &instruction.kind {
            InstructionKind::Let(bindings) => naive.bind(bindings, &mut environment),
            InstructionKind::Check { negated, kind, expr, .. } => {
                let r = naive.relation(expr, &environment);
                let holds = match kind {
                    CheckKind::Acyclic => closure(&r).iter().all(|(a, b)| a != b),
                    CheckKind::Irreflexive => r.iter().all(|(a, b)| a != b),
                    CheckKind::Empty => r.is_empty(),
                };
                results.push(holds != *negated);
            }
            other => panic!("random models have no {other:?}"),
        }
    }
    results
}

fn compose(r: &Pairs, s: &Pairs) -> Pairs {
    r.iter()
        .flat_map(|&(a, b)| s.iter().filter(move |(c, _)| *c == b).map(move |&(_, d)| (a, d)))
        .collect()
}

fn closure(r: &Pairs) -> Pairs {
    let mut all = r.clone();
    loop {
        let more: Pairs = all.union(&compose(&all, r)).copied().collect();
        if more == all {
            return all;
        }
        all = more;
    }
}

struct Naive<'a> {
    execution: &'a Execution,
    n: usize,
}

impl Naive<'_> {
    fn all(&self) -> Set {
        (0..self.n).collect()
    }

    fn identity(&self) -> Pairs {
        (0..self.n).map(|e| (e, e)).collect()
    }

    fn bind(&self, bindings: &Bindings, environment: &mut Environment) {
        if bindings.recursive {
            return self.bind_recursive(bindings, environment);
        }
        for b in &bindings.bindings {
            let meaning = match &b.parameters {
                Some(ps) => {
                    Meaning::Function(ps[0].text.clone(), ps[1].text.clone(), b.body.clone())
                }
                None if b.name.text == "s" => Meaning::Set(self.set(&b.body, environment)),
                None => Meaning::Relation(self.relation(&b.body, environment)),
            };
            environment.insert(b.name.text.clone(), meaning);
        }
    }

    fn bind_recursive(&self, bindings: &Bindings, environment: &mut Environment) {
        for b in &bindings.bindings {
            environment.insert(b.name.text.clone(), Meaning::Relation(Pairs::new()));
        }
        loop {
            let values: Vec<Pairs> =
                bindings.bindings.iter().map(|b| self.relation(&b.body, environment)).collect();
            let mut changed = false;
            for (b, value) in bindings.bindings.iter().zip(values) {
                let Some(Meaning::Relation(old)) = environment.get(&b.name.text) else {
                    panic!("bound above")
                };
                assert!(old.is_subset(&value), "not monotone");
                changed |= *old != value;
                environment.insert(b.name.text.clone(), Meaning::Relation(value));
            }
            if !changed {
                return;
            }
        }
    }

    fn relation(&self, expr: &CatExpr, environment: &Environment) -> Pairs {
        let relation = |e: &CatExpr| self.relation(e, environment);
        let set = |e: &CatExpr| self.set(e, environment);
        match &expr.kind {
            ExprKind::Name(name) => match environment.get(name) {
                Some(Meaning::Relation(r)) => r.clone(),
                Some(other) => panic!("{name} is {other:?}"),
                None => self.base(name),
            },
            ExprKind::Empty => Pairs::new(),
            ExprKind::Universe => {
                (0..self.n).flat_map(|a| (0..self.n).map(move |b| (a, b))).collect()
            }
            ExprKind::Union(es) => es.iter().flat_map(relation).collect(),
            ExprKind::Intersection(es) => es[1..]
                .iter()
                .fold(relation(&es[0]), |r, e| r.intersection(&relation(e)).copied().collect()),
            ExprKind::Difference(es) => es[1..]
                .iter()
                .fold(relation(&es[0]), |r, e| r.difference(&relation(e)).copied().collect()),
            ExprKind::Sequence(es) => {
                es[1..].iter().fold(relation(&es[0]), |r, e| compose(&r, &relation(e)))
            }
            ExprKind::Product(a, b) => {
                let (a, b) = (set(a), set(b));
                a.iter().flat_map(|&x| b.iter().map(move |&y| (x, y))).collect()
            }
            ExprKind::Complement(e) => {
                let r = relation(e);
                (0..self.n)
                    .flat_map(|a| (0..self.n).map(move |b| (a, b)))
                    .filter(|p| !r.contains(p))
                    .collect()
            }
            ExprKind::Inverse(e) => relation(e).into_iter().map(|(a, b)| (b, a)).collect(),
            ExprKind::Closure(e) => closure(&relation(e)),
            ExprKind::ReflexiveClosure(e) => {
                closure(&relation(e)).union(&self.identity()).copied().collect()
            }
            ExprKind::Optional(e) => relation(e).union(&self.identity()).copied().collect(),
            ExprKind::Diagonal(e) => set(e).into_iter().map(|e| (e, e)).collect(),
            ExprKind::Apply(f, arguments) => {
                let ExprKind::Name(f) = &f.kind else { panic!("only names are applied") };
                let Some(Meaning::Function(x, y, body)) = environment.get(f) else {
                    panic!("{f} is no function")
                };
                // The body was written where `a` and `s` were the last definitions: later names do
                // not occur in it.
                let mut inner = environment.clone();
                inner.insert(x.clone(), Meaning::Relation(relation(&arguments[0])));
                inner.insert(y.clone(), Meaning::Set(set(&arguments[1])));
                self.relation(body, &inner)
            }
            ExprKind::LetIn(bindings, body) => {
                let mut inner = environment.clone();
                self.bind(bindings, &mut inner);
                self.relation(body, &inner)
            }
            _ => panic!("random models have no {expr}"),
        }
    }

    fn set(&self, expr: &CatExpr, environment: &Environment) -> Set {
        let set = |e: &CatExpr| self.set(e, environment);
        match &expr.kind {
            ExprKind::Name(name) => match environment.get(name) {
                Some(Meaning::Set(s)) => s.clone(),
                Some(other) => panic!("{name} is {other:?}"),
                None => {
                    let base =
                        BaseSet::from_name(name, self.execution.signature).expect("a base set");
                    self.execution.base_set(base).iter().map(|e| e.index()).collect()
                }
            },
            ExprKind::Empty => Set::new(),
            ExprKind::Universe => self.all(),
            ExprKind::Union(es) => es.iter().flat_map(set).collect(),
            ExprKind::Intersection(es) => {
                es[1..].iter().fold(set(&es[0]), |s, e| s.intersection(&set(e)).copied().collect())
            }
            ExprKind::Difference(es) => {
                es[1..].iter().fold(set(&es[0]), |s, e| s.difference(&set(e)).copied().collect())
            }
            ExprKind::Complement(e) => self.all().difference(&set(e)).copied().collect(),
            ExprKind::Apply(f, arguments) => {
                let r = self.relation(&arguments[0], environment);
                match &f.kind {
                    ExprKind::Name(f) if f == "domain" => r.into_iter().map(|p| p.0).collect(),
                    ExprKind::Name(f) if f == "range" => r.into_iter().map(|p| p.1).collect(),
                    other => panic!("{other:?} makes no set"),
                }
            }
            _ => panic!("{expr} is no set"),
        }
    }

    fn base(&self, name: &str) -> Pairs {
        let relation = |base: BaseRelation| -> Pairs {
            self.execution
                .base_relation(base)
                .pairs()
                .map(|(a, b)| (a.index(), b.index()))
                .collect()
        };
        match name {
            "rfe" => relation(BaseRelation::Rf)
                .intersection(&relation(BaseRelation::Ext))
                .copied()
                .collect(),
            "po-loc" => relation(BaseRelation::Po)
                .intersection(&relation(BaseRelation::Loc))
                .copied()
                .collect(),
            _ => relation(
                BaseRelation::from_name(name, self.execution.signature).expect("a base relation"),
            ),
        }
    }
}
