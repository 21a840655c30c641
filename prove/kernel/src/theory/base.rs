//! The base names of a signature as symbols, and what is true of them in every execution.

use std::sync::{Arc, OnceLock};

use margay_models::diagnostic::SourceFile;
use margay_models::model::{CheckKind, Model, Node, Role, Sort};
use margay_models::signature::{BaseRelation, BaseSet, RelationFormula, RelationKind, Signature};
use margay_models::typing::{IncludeRefusal, Includes};
use margay_models::wellformed;

use super::{BaseMeaning, SentenceReason, Theory};
use crate::logic::{Meaning, Pred, TheoryExpr, TheoryExprId};

/// What the base names of a signature mean (prove/facts); of an architecture that is a text, those
/// that all have.
pub fn facts(signature: Signature) -> &'static Model {
    static PLAIN: OnceLock<Model> = OnceLock::new();
    static C: OnceLock<Model> = OnceLock::new();
    static PTX: OnceLock<Model> = OnceLock::new();
    static TEXT: OnceLock<Model> = OnceLock::new();
    let (cell, name, text) = match signature.front_end() {
        None => (&TEXT, "text", include_str!("../../facts/text.cat")),
        Some("c") => (&C, "c", include_str!("../../facts/c.cat")),
        Some("ptx") => (&PTX, "ptx", include_str!("../../facts/ptx.cat")),
        Some(_) => (&PLAIN, "plain", include_str!("../../facts/plain.cat")),
    };
    cell.get_or_init(|| {
        let source = SourceFile::new(format!("facts/{name}.cat"), text);
        Model::parse(source, &SharedSignatures)
            .expect("the files of facts/ are part of the program and read without errors")
            .model
    })
}

/// The files that signatures have in common.
struct SharedSignatures;

impl Includes for SharedSignatures {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        let text = match path {
            "common.cat" => include_str!("../../facts/common.cat"),
            "orders.cat" => include_str!("../../facts/orders.cat"),
            _ => return Err(IncludeRefusal("there is no such file of facts".to_owned())),
        };
        Ok(SourceFile::new(format!("facts/{path}"), text))
    }
}

impl Theory {
    /// Declares the base names of a signature over all events; with `emitted`, those that what a
    /// mapping emits can have. `present`: the events of the signature, if those are not all.
    pub fn declare_base(
        &mut self,
        signature: Signature,
        emitted: bool,
        present: Option<TheoryExprId>,
    ) -> BaseMeaning {
        let universe = present.unwrap_or_else(|| self.exprs.make(TheoryExpr::All));
        let mut base = BaseMeaning::new(universe);
        let nothing = self.exprs.make(TheoryExpr::Empty);
        for set in BaseSet::all(signature) {
            let why = if emitted { never_emitted(set) } else { None };
            if let Some(why) = why {
                base.empty.push((set.name(), why));
                base.sets.insert(set, nothing);
            } else if !(matches!(set, BaseSet::M | BaseSet::Universe)
                || emitted && set == BaseSet::Gen)
            {
                let pred = self.symbols.declare_base(set.name(), 1);
                base.sets.insert(set, self.exprs.symbol(pred));
            }
        }
        for relation in BaseRelation::all(signature) {
            let why = if emitted { never_related(relation) } else { None };
            if let Some(why) = why {
                base.empty.push((relation.name(), why));
                base.relations.insert(relation, nothing);
            } else if !(matches!(relation.kind(), RelationKind::Derived(_))
                || emitted && relation.is_of_addresses())
            {
                let pred = self.symbols.declare_base(relation.name(), 2);
                base.symbols.insert(relation, pred);
                let symbol = self.exprs.symbol(pred);
                let here = self.exprs.make(TheoryExpr::Product(universe, universe));
                let beyond = relation.is_of_whole_threads();
                base.relations.insert(
                    relation,
                    if beyond { self.exprs.intersection(symbol, here) } else { symbol },
                );
            }
        }
        let [.., from_reads] = BaseRelation::COMMUNICATION;
        let symbol = self.complete(&mut base, from_reads.name());
        base.symbols.insert(from_reads, symbol);
        for relation in
            BaseRelation::all(signature).filter(|relation| emitted && relation.is_of_addresses())
        {
            // One location has one address, and all accesses are generic.
            base.relations.insert(relation, base.relations.loc());
            base.sets.insert(BaseSet::Gen, base.sets[&BaseSet::M]);
        }
        base
    }

    /// Adds the names that follow from others: `_`, `M`, `id`, `ext`, `fr` (under the given name,
    /// by a symbol of its own).
    ///
    /// # Panics
    /// If one of those others has no meaning.
    pub fn complete(&mut self, base: &mut BaseMeaning, fr: &str) -> Pred {
        base.sets.insert(BaseSet::Universe, base.universe);
        let memory = self.exprs.union(base.sets[&BaseSet::R], base.sets[&BaseSet::W]);
        base.sets.insert(BaseSet::M, memory);
        let mut symbol = Pred::EQUAL;
        for (relation, formula) in BaseRelation::derived() {
            let value = match formula {
                RelationFormula::Identity => self.exprs.make(TheoryExpr::Diagonal(base.universe)),
                RelationFormula::Complement(of) => {
                    let all = self.exprs.make(TheoryExpr::Product(base.universe, base.universe));
                    self.exprs.make(TheoryExpr::Difference(all, base.relations[of]))
                }
                RelationFormula::BackAndOn(back, on) => {
                    let back = self.exprs.make(TheoryExpr::Inverse(base.relations[back]));
                    let from_reads = self.exprs.sequence(back, base.relations[on]);
                    symbol = self.symbols.declare(fr, 2, Meaning::Defined(from_reads));
                    // A model may define it once more.
                    self.defined.entry(fr.to_owned()).or_default().push(symbol);
                    self.exprs.symbol(symbol)
                }
            };
            base.relations.insert(relation, value);
        }
        symbol
    }

    /// Assumes the conditions of a signature, and what its base names mean.
    pub fn assume_signature(&mut self, signature: Signature, base: &BaseMeaning) {
        self.assume_checks(facts(signature), base);
        if let Some(architecture) = signature.tabular() {
            self.assume_architecture(architecture, base);
        }
        self.assume_checks(wellformed::model(signature), base);
    }

    /// Assumes all checks of a model as facts of every execution.
    pub fn assume_checks(&mut self, model: &Model, base: &BaseMeaning) {
        let translated = self.translate(model, base);
        self.assume_axioms(model, &translated.checks, |name| {
            SentenceReason::WellFormed(name.to_owned())
        });
    }

    /// `checks` has the expression of each check of the model. Flags and negated checks are left
    /// out.
    pub fn assume_axioms(
        &mut self,
        model: &Model,
        checks: &[TheoryExprId],
        reason: impl Fn(&str) -> SentenceReason,
    ) {
        for (check, &expr) in model.checks.iter().zip(checks) {
            if check.role == Role::Axiom && !check.negated {
                let is_set = model.arena.sort(check.expr) == Sort::Set;
                let transitive =
                    check.kind == CheckKind::Acyclic && is_transitive(model, check.expr);
                self.assume_check(
                    check.kind,
                    expr,
                    is_set,
                    transitive,
                    &reason(&check.display_name()),
                );
            }
        }
    }

    /// None for what is made by an operator.
    pub fn as_symbol(&self, id: TheoryExprId) -> Option<Pred> {
        match self.exprs.get(id) {
            TheoryExpr::Symbol(p) => Some(p),
            _ => None,
        }
    }
}

/// Why nothing that a mapping makes is in the sets and relations of asynchronous operations and
/// mbarriers.
const ASYNCHRONOUS: &str = "no row can emit an asynchronous operation, or one on an mbarrier";

/// Why no event of what a mapping makes is ever in a set of the target, for those of which that is
/// so (docs/mapping-language.md, "What cannot be expressed"). All others have members, or the rows
/// say that they have none.
fn never_emitted(set: BaseSet) -> Option<&'static str> {
    use BaseSet::{
        Acq, AcqRel, Alias, Async, Atomic, B, Cluster, Con, Cta, F, Gen, Global, Gpu, Iw, Level, M,
        Mbarrier, Mfence, Mmio, Na, R, Red, Rel, Rlx, Rmw, Sc, Shared, Sur, Sys, Tag, Tensormap,
        Tex, Universe, Volatile, W, Wait, Weak, Xchg,
    };
    match set {
        B | Wait => Some("no row can emit a barrier"),
        Alias | Sur | Tex | Con => Some(
            "every access that a row emits goes through the generic proxy, and no row can emit a proxy fence",
        ),
        Async | Tensormap | Shared | Global | Mbarrier => Some(ASYNCHRONOUS),
        Red => Some("no row can emit a reduction"),
        Mmio => Some("no row can emit an mmio operation"),
        Universe | W | R | M | F | Rmw | Iw | Mfence | Na | Atomic | Weak | Rlx | Acq | Rel
        | AcqRel | Sc | Cta | Cluster | Gpu | Sys | Gen | Xchg | Volatile | Tag(_) | Level(_) => {
            None
        }
    }
}

/// The same of relations.
fn never_related(relation: BaseRelation) -> Option<&'static str> {
    match relation.kind() {
        RelationKind::Barrier => Some("no row can emit a barrier"),
        RelationKind::Asynchronous => Some(ASYNCHRONOUS),
        _ => None,
    }
}

/// Does the model say that the relation is transitive, by `empty (r; r) \ r`?
fn is_transitive(model: &Model, r: margay_models::model::ExprId) -> bool {
    model.checks.iter().any(|c| {
        let Node::Difference(twice, once) = model.arena.node(c.expr) else { return false };
        c.role == Role::Axiom
            && c.kind == CheckKind::Empty
            && !c.negated
            && once == r
            && model.arena.node(twice) == Node::Sequence(r, r)
    })
}
