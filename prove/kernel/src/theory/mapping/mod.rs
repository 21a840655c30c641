//! What a mapping makes of a source execution, as facts: every event has a role, which is a row's
//! construct (or half of it) or a fence that a row adds, and the role says what the event is at
//! both levels.

mod beside;
mod dependency;
mod fence_order;
mod instructions;
mod levels;
mod roles;
mod source;

use margay_language::Mapping;
use margay_models::model::{CheckKind, Role as CheckRole, Sort};
use margay_models::signature::{BaseRelation, BaseSet, Construct, RelationFormula, Signature};
use margay_models::wellformed;

use super::{BaseMeaning, SentenceReason, Theory, TheoryVocabulary, Translated};
use crate::logic::{EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use roles::RoleBuilder;

pub use fence_order::{ChosenOrder, KeptOrder, chosen_order, ordered_fences};

const X: EventTerm = EventTerm::variable(0);
const Y: EventTerm = EventTerm::variable(1);
const Z: EventTerm = EventTerm::variable(2);

/// The reason of the fact that every event has a role.
pub const EVERY_EVENT_HAS_A_ROLE: &str = "every event has a role";

/// The reason of the facts that no event has two roles.
pub const ONE_ROLE: &str = "one role";

#[derive(Debug, Clone)]
pub struct MappingTheory {
    /// The sentences of both levels; the target's axioms are among them, the source's are not.
    pub theory: Theory,
    /// The target model.
    pub target: Translated,
    /// The source model.
    pub source: Translated,
    /// The names of both levels.
    pub bases: [BaseMeaning; 2],
    /// The roles of events: what row each is made by.
    pub roles: Vec<Pred>,
    /// From operations to the fences that rows put beside them.
    pub places: Vec<Pred>,
    /// The order that the source's fences are taken with, where it keeps what the target orders.
    pub kept: Option<KeptOrder>,
}

impl MappingTheory {
    /// The closures that the source's checks depend on, inner ones first.
    pub fn source_closures(&self, theory: &Theory) -> Vec<Pred> {
        let of_target: Vec<Pred> =
            TheoryVocabulary::of(theory, self.target.checks.iter().copied()).relations;
        let own = TheoryVocabulary::of(theory, self.source.checks.iter().copied()).relations;
        let recursive = |p: &Pred| {
            matches!(theory.symbols.get(*p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..))
        };
        own.into_iter().filter(|p| !of_target.contains(p)).filter(recursive).collect()
    }
}

/// Which executions of a mapping are spoken of.
#[derive(Debug, Clone)]
pub struct ExecutionSelection {
    /// The constructs that programs are made of.
    pub constructs: Vec<Construct>,
    /// Is a location either atomic or plain?
    pub typed: bool,
}

impl Theory {
    /// A theory of the target of a mapping alone: what instructions of mappings can do. `ghosts`:
    /// there are source operations that become nothing.
    pub fn of_target(mapping: &Mapping, ghosts: bool) -> (Theory, BaseMeaning, Translated) {
        let mut theory = Theory::default();
        let signature = mapping.target.signature;
        let present = ghosts.then(|| {
            let pred = theory.symbols.declare("emitted", 1, Meaning::Base);
            theory.exprs.symbol(pred)
        });
        let base = theory.declare_base(signature, true, present);
        theory.assume_signature(signature, &base);
        let target = theory.translate(&mapping.target, &base);
        theory.assume_axioms(&mapping.target, &target.checks, |name| {
            SentenceReason::Axiom(name.to_owned())
        });
        (theory, base, target)
    }

    fn declare_set(&mut self, name: &str) -> (Pred, TheoryExprId) {
        let pred = self.symbols.declare(name, 1, Meaning::Base);
        (pred, self.exprs.symbol(pred))
    }
}

/// Are there operations, of the selected constructs, that become no instruction at all?
pub fn has_ghosts(mapping: &Mapping, selection: &ExecutionSelection) -> bool {
    let rows = mapping.rows.iter().filter(|r| selection.constructs.contains(&r.construct));
    rows.flat_map(|r| &r.alternatives).any(|l| l.steps.is_empty())
}

/// Adds the source level of a mapping to the theory of its target.
pub fn with_source(
    mapping: &Mapping,
    selection: &ExecutionSelection,
    target: &(Theory, BaseMeaning, Translated),
) -> MappingTheory {
    let (mut theory, base, target) = target.clone();
    let roles = roles::roles(&mut theory, mapping, selection);
    let mut builder = RoleBuilder {
        mapping,
        theory,
        target: base,
        roles,
        added: Vec::new(),
        places: Vec::new(),
        owners: Vec::new(),
        levels: Vec::new(),
        chosen: chosen_order(mapping, selection),
        kept: None,
    };
    let source_base = builder.facts(selection, &target);
    let roles = builder.roles.iter().map(|r| r.pred).chain(builder.added.iter().copied()).collect();
    let places = builder.places.iter().map(|p| p.1).collect();
    let RoleBuilder { mut theory, target: base, kept, .. } = builder;
    if let Some(emitted) = theory.as_symbol(base.universe) {
        whole_threads(&mut theory, mapping.target.signature, &base, emitted);
    }
    theory.assume_checks(wellformed::model(mapping.source.signature), &source_base);
    let source = theory.translate(&mapping.source, &source_base);
    for (check, &expr) in mapping.source.checks.iter().zip(&source.checks) {
        if check.is_undefined_behaviour() {
            let is_set = mapping.source.arena.sort(check.expr) == Sort::Set;
            // `flag ~empty race` reports what is not empty; `undefined_unless acyclic r` wants what
            // it says. What `undefined_unless ~...` says is that something is there, of which a
            // proof has no use.
            let kind = if check.role == CheckRole::Flag { CheckKind::Empty } else { check.kind };
            if check.role == CheckRole::Flag || !check.negated {
                theory.assume_check(
                    kind,
                    expr,
                    is_set,
                    false,
                    &SentenceReason::Axiom(check.display_name()),
                );
            }
        }
    }
    MappingTheory { theory, target, source, bases: [base, source_base], roles, places, kept }
}

/// Where some operations become nothing: program order and threads are those of all events.
fn whole_threads(theory: &mut Theory, signature: Signature, base: &BaseMeaning, emitted: Pred) {
    let mut whole = base.clone();
    whole.universe = theory.exprs.make(TheoryExpr::All);
    for relation in BaseRelation::all(signature).filter(|r| r.is_of_whole_threads()) {
        whole.relations.insert(relation, theory.exprs.symbol(base.symbols[relation]));
    }
    // What is the same event, and what another thread, is asked of events that are not emitted,
    // too.
    let (id, all) = (theory.exprs.identity(), theory.exprs.make(TheoryExpr::All));
    for (relation, formula) in BaseRelation::derived() {
        match formula {
            RelationFormula::Identity => whole.relations.insert(relation, id),
            RelationFormula::Complement(of) => {
                let others = theory.exprs.make(TheoryExpr::Difference(all, whole.relations[of]));
                whole.relations.insert(relation, others);
            }
            // Nobody reads what is not emitted.
            RelationFormula::BackAndOn(..) => {}
        }
    }
    for model in [super::facts(signature), wellformed::model(signature)] {
        let translated = theory.translate(model, &whole);
        // What is not there has no kind.
        let kept = model.checks.iter().map(|c| c.display_name() != "every-event-has-a-kind");
        let mut part = model.clone();
        let mut keep = kept.clone();
        part.checks.retain(|_| keep.next().unwrap_or(true));
        let checks: Vec<TheoryExprId> = translated
            .checks
            .iter()
            .copied()
            .zip(kept)
            .filter(|(_, k)| *k)
            .map(|(c, _)| c)
            .collect();
        theory.assume_axioms(&part, &checks, |name| SentenceReason::WellFormed(name.to_owned()));
    }
    if let Some(architecture) = signature.tabular() {
        theory.assume_architecture(architecture, &whole);
    }
    let initial = theory.as_symbol(base.sets[&BaseSet::Iw]).expect("it is a base set");
    let lits = vec![Lit::no(EventAtom::unary(initial, X)), Lit::yes(EventAtom::unary(emitted, X))];
    theory.assume_clause(lits, &SentenceReason::Row("initial writes are there".to_owned()));
}
