//! The base names of a signature as symbols, and what is true of them in every execution.

use std::sync::{Arc, OnceLock};

use margay_models::diagnostic::SourceFile;
use margay_models::model::{CheckKind, Model, Node, Role, Sort};
use margay_models::signature::{BaseRelation, BaseSet, Signature};
use margay_models::typing::Includes;
use margay_models::wellformed;
use rustc_hash::FxHashMap;

use super::{Base, Reason, Theory};
use crate::logic::{Expr, ExprId, Meaning, Pred};

/// What the base names of a signature mean (prove/facts); of an architecture that is a text, those that all have.
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
        Model::parse(source, &Shared).expect("the files of facts/ are part of the program and read without errors").model
    })
}

/// Is it a relation that whole threads have? Of it a target sees what is emitted.
pub(super) fn is_of_whole_threads(relation: BaseRelation) -> bool {
    matches!(relation, BaseRelation::Po | BaseRelation::Int | BaseRelation::Ctrl) || relation.level().is_some()
}

/// The files that signatures have in common.
struct Shared;

impl Includes for Shared {
    fn open(&self, _from: &SourceFile, path: &str) -> Result<Arc<SourceFile>, String> {
        let text = match path {
            "common.cat" => include_str!("../../facts/common.cat"),
            "orders.cat" => include_str!("../../facts/orders.cat"),
            _ => return Err("there is no such file of facts".to_owned()),
        };
        Ok(SourceFile::new(format!("facts/{path}"), text))
    }
}

impl Theory {
    /// Declares the base names of a signature over all events; with `emitted`, those that what a mapping emits can have.
    /// `present`: the events of the signature, if those are not all.
    pub fn declare_base(&mut self, signature: Signature, emitted: bool, present: Option<ExprId>) -> Base {
        let universe = present.unwrap_or_else(|| self.exprs.make(Expr::All));
        let mut base = Base { universe, sets: FxHashMap::default(), relations: FxHashMap::default() };
        let derived_sets: &[BaseSet] =
            if emitted { &[BaseSet::M, BaseSet::Universe, BaseSet::Gen] } else { &[BaseSet::M, BaseSet::Universe] };
        for set in BaseSet::all(signature) {
            if !(derived_sets.contains(&set) || emitted && never_emitted(set)) {
                let pred = self.symbols.declare(set.name(), 1, Meaning::Base);
                base.sets.insert(set, self.exprs.symbol(pred));
            }
        }
        use BaseRelation::{Ext, Fr, Id, SyncBarrier, Syncbar, Vloc};
        for relation in BaseRelation::all(signature) {
            let left_out = matches!(relation, Id | Ext | Fr) || emitted && matches!(relation, SyncBarrier | Syncbar | Vloc);
            if !left_out {
                let pred = self.symbols.declare(relation.name(), 2, Meaning::Base);
                let symbol = self.exprs.symbol(pred);
                let here = self.exprs.make(Expr::Product(universe, universe));
                let beyond = is_of_whole_threads(relation);
                base.relations.insert(relation, if beyond { self.exprs.intersection(symbol, here) } else { symbol });
            }
        }
        self.complete(&mut base, "fr");
        if emitted && Vloc.is_in(signature) {
            // One location has one address, and all accesses are generic.
            base.relations.insert(Vloc, base.relations[&BaseRelation::Loc]);
            base.sets.insert(BaseSet::Gen, base.sets[&BaseSet::M]);
        }
        base
    }

    /// Adds the names that follow from others: `M`, `id`, `ext`, `fr` (under the given name).
    pub fn complete(&mut self, base: &mut Base, fr: &str) {
        let empty = self.exprs.make(Expr::Empty);
        let set = |base: &Base, s: BaseSet| base.sets.get(&s).copied().unwrap_or(empty);
        let relation = |base: &Base, r: BaseRelation| base.relations.get(&r).copied().unwrap_or(empty);
        let memory = self.exprs.union(set(base, BaseSet::R), set(base, BaseSet::W));
        base.sets.insert(BaseSet::M, memory);
        let identity = self.exprs.make(Expr::Diagonal(base.universe));
        base.relations.insert(BaseRelation::Id, identity);
        let all = self.exprs.make(Expr::Product(base.universe, base.universe));
        let ext = self.exprs.make(Expr::Difference(all, relation(base, BaseRelation::Int)));
        base.relations.insert(BaseRelation::Ext, ext);
        let back = self.exprs.make(Expr::Inverse(relation(base, BaseRelation::Rf)));
        let from_reads = self.exprs.sequence(back, relation(base, BaseRelation::Co));
        let pred = self.symbols.declare(fr, 2, Meaning::Defined(from_reads));
        base.relations.insert(BaseRelation::Fr, self.exprs.symbol(pred));
    }

    /// Assumes the conditions of a signature, and what its base names mean.
    pub fn assume_signature(&mut self, signature: Signature, base: &Base) {
        self.assume_checks(facts(signature), base);
        if let Some(architecture) = signature.tabular() {
            self.assume_architecture(architecture, base);
        }
        self.assume_checks(wellformed::model(signature), base);
    }

    /// Assumes all checks of a model as facts of every execution.
    pub fn assume_checks(&mut self, model: &Model, base: &Base) {
        let translated = self.translate(model, base);
        self.assume_axioms(model, &translated.checks, |name| Reason::WellFormed(name.to_owned()));
    }

    /// Assumes the axioms of a model.
    pub fn assume_axioms(&mut self, model: &Model, checks: &[ExprId], reason: impl Fn(&str) -> Reason) {
        for (check, &expr) in model.checks.iter().zip(checks) {
            if check.role == Role::Axiom && !check.negated {
                let is_set = model.arena.sort(check.expr) == Sort::Set;
                let transitive = check.kind == CheckKind::Acyclic && is_transitive(model, check.expr);
                self.assume_check(check.kind, expr, is_set, transitive, &reason(&check.display_name()));
            }
        }
    }

    /// The symbol that an expression is.
    pub fn as_symbol(&self, id: ExprId) -> Option<Pred> {
        match self.exprs.get(id) {
            Expr::Symbol(p) => Some(p),
            _ => None,
        }
    }
}

/// Sets that no instruction of a mapping is in (docs/mapping-language.md, "What cannot be expressed").
fn never_emitted(set: BaseSet) -> bool {
    use BaseSet::{Alias, B, Con, Mmio, Red, Sur, Tex, Wait};
    matches!(set, B | Wait | Alias | Sur | Tex | Con | Red | Mmio)
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
