//! What a mapping makes of a source execution, as facts: every event has a role, which is a row's construct (or half of it) or a fence
//! that a row adds, and the role says what the event is at both levels.

use margay_mappings::encode::is_undefined_behaviour;
use margay_mappings::language::{Lowering, Mapping, Row, ScopePattern, Step, StepScope};
use margay_models::execution::{Kind, Order, Scope};
use margay_models::model::{CheckKind, Role as CheckRole, Sort};
use margay_models::signature::{BaseRelation, BaseSet, Construct, Operation, Signature};
use margay_models::wellformed;
use rustc_hash::FxHashMap;

use super::{Base, Reason, Theory, Translated};
use crate::logic::{Atom, Expr, ExprId, Lit, Meaning, Pred, Term};

const X: Term = Term::variable(0);
const Y: Term = Term::variable(1);
const Z: Term = Term::variable(2);

/// A part of a source operation that is an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    ReadHalf,
    WriteHalf,
}

/// What an event of the source is, and which of the row's lowerings it has.
#[derive(Debug, Clone)]
struct Role<'a> {
    pred: Pred,
    construct: Construct,
    part: Part,
    row: &'a Row,
    lowering: &'a Lowering,
}

/// A theory of a mapping.
#[derive(Debug, Clone)]
pub struct MappingTheory {
    /// The sentences of both levels; the target's axioms are among them, the source's are not.
    pub theory: Theory,
    /// The target model.
    pub target: Translated,
    /// The source model.
    pub source: Translated,
    /// The names of both levels.
    pub bases: [Base; 2],
    /// The roles of events: what row each is made by.
    pub roles: Vec<Pred>,
}

impl MappingTheory {
    /// The closures that the source's checks depend on, inner ones first.
    pub fn source_closures(&self, theory: &Theory) -> Vec<Pred> {
        let of_target: Vec<Pred> = crate::search::template::Vocabulary::of(theory, self.target.checks.iter().copied()).relations;
        let own = crate::search::template::Vocabulary::of(theory, self.source.checks.iter().copied()).relations;
        let recursive = |p: &Pred| matches!(theory.symbols.get(*p).meaning, Meaning::Closure(_) | Meaning::Fixpoint(..));
        own.into_iter().filter(|p| !of_target.contains(p)).filter(recursive).collect()
    }
}

/// Which executions of a mapping are spoken of.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The constructs that programs are made of.
    pub constructs: Vec<Construct>,
    /// Is a location either atomic or plain?
    pub typed: bool,
}

impl Theory {
    /// A theory of the target of a mapping alone: what instructions of mappings can do. `ghosts`: there are source operations that
    /// become nothing.
    pub fn of_target(mapping: &Mapping, ghosts: bool) -> (Theory, Base, Translated) {
        let mut theory = Theory::default();
        let signature = mapping.target.signature;
        let present = ghosts.then(|| {
            let pred = theory.symbols.declare("emitted", 1, Meaning::Base);
            theory.exprs.symbol(pred)
        });
        let base = theory.declare_base(signature, true, present);
        theory.assume_signature(signature, &base);
        let target = theory.translate(&mapping.target, &base);
        theory.assume_axioms(&mapping.target, &target.checks, |name| Reason::Axiom(name.to_owned()));
        (theory, base, target)
    }

    fn declare_set(&mut self, name: &str) -> (Pred, ExprId) {
        let pred = self.symbols.declare(name, 1, Meaning::Base);
        (pred, self.exprs.symbol(pred))
    }
}

/// Are there operations, of the selected constructs, that become no instruction at all?
pub fn has_ghosts(mapping: &Mapping, selection: &Selection) -> bool {
    let rows = mapping.rows.iter().filter(|r| selection.constructs.contains(&r.construct));
    rows.flat_map(|r| &r.alternatives).any(|l| l.steps.is_empty())
}

/// Adds the source level of a mapping to the theory of its target.
pub fn with_source(mapping: &Mapping, selection: &Selection, target: &(Theory, Base, Translated)) -> MappingTheory {
    let (mut theory, base, target) = target.clone();
    let roles = roles(&mut theory, mapping, selection);
    let mut builder = Builder { mapping, theory, target: base, roles, added: Vec::new(), places: Vec::new(), owners: Vec::new() };
    let source_base = builder.levels(selection);
    let roles = builder.roles.iter().map(|r| r.pred).chain(builder.added.iter().copied()).collect();
    let Builder { mut theory, target: base, .. } = builder;
    if let Some(emitted) = theory.as_symbol(base.universe) {
        whole_threads(&mut theory, mapping.target.signature, &base, emitted);
    }
    theory.assume_checks(wellformed::model(mapping.source.signature), &source_base);
    let source = theory.translate(&mapping.source, &source_base);
    for (check, &expr) in mapping.source.checks.iter().zip(&source.checks) {
        if is_undefined_behaviour(check) {
            let is_set = mapping.source.arena.sort(check.expr) == Sort::Set;
            // `flag ~empty race` reports what is not empty; `undefined_unless acyclic r` wants what it says. What `undefined_unless ~...`
            // says is that something is there, of which a proof has no use.
            let kind = if check.role == CheckRole::Flag { CheckKind::Empty } else { check.kind };
            if check.role == CheckRole::Flag || !check.negated {
                theory.assume_check(kind, expr, is_set, false, &Reason::Axiom(check.display_name()));
            }
        }
    }
    MappingTheory { theory, target, source, bases: [base, source_base], roles }
}

/// Where some operations become nothing: program order and threads are those of all events.
fn whole_threads(theory: &mut Theory, signature: Signature, base: &Base, emitted: Pred) {
    let mut whole = base.clone();
    whole.universe = theory.exprs.make(Expr::All);
    use BaseRelation::{Int, Po, Scluster, Scta, Sgpu};
    for relation in [Po, Int, Scta, Scluster, Sgpu] {
        if let Some(symbol) = theory.symbols.named(relation.name()) {
            whole.relations.insert(relation, theory.exprs.symbol(symbol));
        }
    }
    for model in [super::facts(signature), wellformed::model(signature)] {
        let translated = theory.translate(model, &whole);
        // What is not there has no kind.
        let kept = model.checks.iter().map(|c| c.display_name() != "every-event-has-a-kind");
        let mut part = model.clone();
        let mut keep = kept.clone();
        part.checks.retain(|_| keep.next().unwrap_or(true));
        let checks: Vec<ExprId> = translated.checks.iter().copied().zip(kept).filter(|(_, k)| *k).map(|(c, _)| c).collect();
        theory.assume_axioms(&part, &checks, |name| Reason::WellFormed(name.to_owned()));
    }
    let initial = theory.as_symbol(base.sets[&BaseSet::Iw]).expect("it is a base set");
    let lits = vec![Lit::no(Atom::unary(initial, X)), Lit::yes(Atom::unary(emitted, X))];
    theory.assume_clause(lits, &Reason::Row("initial writes are there".to_owned()));
}

fn roles<'a>(theory: &mut Theory, mapping: &'a Mapping, selection: &Selection) -> Vec<Role<'a>> {
    let mut roles = Vec::new();
    for row in mapping.rows.iter().filter(|r| selection.constructs.contains(&r.construct)) {
        let mut name = row.construct.name(mapping.source.signature);
        if let ScopePattern::Named(scope) = row.scope {
            name = format!("{name}.{}", scope.name());
        }
        for (k, lowering) in row.alternatives.iter().enumerate() {
            let name = if row.alternatives.len() > 1 { format!("{name}/{}", k + 1) } else { name.clone() };
            let parts: &[(Part, &str)] = match row.construct.operation {
                Operation::Rmw => &[(Part::ReadHalf, ":read"), (Part::WriteHalf, ":write")],
                _ => &[(Part::Whole, "")],
            };
            for &(part, suffix) in parts {
                let (pred, _) = theory.declare_set(&format!("{name}{suffix}"));
                roles.push(Role { pred, construct: row.construct, part, row, lowering });
            }
        }
    }
    roles
}

/// Where a fence of a lowering is: so many instructions before or behind the access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before(usize),
    Behind(usize),
}

struct Builder<'a> {
    mapping: &'a Mapping,
    theory: Theory,
    target: Base,
    roles: Vec<Role<'a>>,
    /// The roles of fences that rows add.
    added: Vec<Pred>,
    /// From the first event of an operation to each fence that its row adds, by the place of the fence: the first before the access, the
    /// second before it, ..., the first behind it.
    places: Vec<(Place, Pred)>,
    /// The roles that have a fence at a place.
    owners: Vec<(Pred, Pred)>,
}

impl Builder<'_> {
    fn say(&mut self, lits: Vec<Lit>, what: &str) {
        self.theory.assume_clause(lits, &Reason::Row(what.to_owned()));
    }

    /// The symbol of a base set of the target, if it can have members.
    fn target_set(&self, set: BaseSet) -> Option<Pred> {
        self.target.sets.get(&set).and_then(|&e| self.theory.as_symbol(e))
    }

    /// Makes the roles' facts, and the base names of the source.
    fn levels(&mut self, selection: &Selection) -> Base {
        let source_scopes = self.source_scopes();
        for i in 0..self.roles.len() {
            self.events_of(i, &source_scopes);
        }
        self.one_role_each();
        self.rmw_halves(&source_scopes);
        let base = self.source_base(&source_scopes);
        if selection.typed {
            self.locations_have_one_type(&base);
        }
        base
    }

    fn source_scopes(&mut self) -> Vec<(Scope, Pred)> {
        let scopes = self.mapping.scopes();
        let name = &self.mapping.source.name;
        let all: Vec<(Scope, Pred)> =
            scopes.into_iter().map(|s| (s, self.theory.declare_set(&format!("{name}.{}", s.name())).0)).collect();
        for (i, &(_, a)) in all.iter().enumerate() {
            for &(_, b) in &all[i + 1..] {
                self.say(vec![Lit::no(Atom::unary(a, X)), Lit::no(Atom::unary(b, X))], "one scope");
            }
        }
        all
    }

    /// What an event of a role is in the target, and which fences are around it.
    fn events_of(&mut self, i: usize, scopes: &[(Scope, Pred)]) {
        let Role { pred, construct, part, row, lowering } = self.roles[i].clone();
        let what = self.theory.symbols.name(pred).to_owned();
        let premise = Lit::no(Atom::unary(pred, X));
        // The scope in the source.
        let has_scope = construct.has_scope();
        match row.scope {
            ScopePattern::Named(scope) => {
                let own = scopes.iter().filter(|s| s.0 == scope).map(|s| Lit::yes(Atom::unary(s.1, X)));
                self.say(std::iter::once(premise).chain(own).collect(), &what);
            }
            ScopePattern::Any(_) if has_scope && !scopes.is_empty() => {
                let any = scopes.iter().map(|s| Lit::yes(Atom::unary(s.1, X)));
                self.say(std::iter::once(premise).chain(any).collect(), &what);
            }
            ScopePattern::Any(_) => {
                for &(_, scope) in scopes {
                    self.say(vec![premise, Lit::no(Atom::unary(scope, X))], &what);
                }
            }
        }
        let access = lowering.access().unwrap_or(0);
        let Some(step) = lowering.steps.get(access) else {
            for set in [BaseSet::R, BaseSet::W, BaseSet::F] {
                let set = self.target_set(set).expect("every signature has it");
                self.say(vec![premise, Lit::no(Atom::unary(set, X))], &what);
            }
            self.present(&[premise], X, false, &what);
            return;
        };
        self.present(&[premise], X, true, &what);
        self.kind(*step, part == Part::WriteHalf, &[premise], X, &what);
        self.scope(*step, &[premise], X, X, scopes, &what);
        let is_half = part != Part::Whole;
        if !is_half {
            let rmw = self.relation(BaseRelation::Rmw);
            self.say(vec![premise, Lit::no(Atom::binary(rmw, X, Y))], &what);
            self.say(vec![premise, Lit::no(Atom::binary(rmw, Y, X))], &what);
        }
        if part == Part::WriteHalf {
            return;
        }
        let mut fences = Vec::new();
        for k in (0..lowering.steps.len()).filter(|&k| k != access) {
            let place = if k < access { Place::Before(access - k) } else { Place::Behind(k - access) };
            let fence = self.theory.declare_set(&format!("{what}:fence{}", k + 1)).0;
            self.added.push(fence);
            let own = self.place(place);
            self.owners.push((own, pred));
            self.fence(pred, fence, own, lowering.steps[k], scopes, &what);
            fences.push((k, fence, own));
        }
        self.adjacent(pred, part == Part::ReadHalf, access, lowering.steps.len(), &fences, &what);
    }

    /// The relation from operations to their fences at a place.
    fn place(&mut self, place: Place) -> Pred {
        if let Some(&(_, known)) = self.places.iter().find(|p| p.0 == place) {
            return known;
        }
        let name = match place {
            Place::Before(1) => "fence-before".to_owned(),
            Place::Before(k) => format!("fence-before-{k}"),
            Place::Behind(1) => "fence-behind".to_owned(),
            Place::Behind(k) => format!("fence-behind-{k}"),
        };
        let pred = self.theory.symbols.declare(&name, 2, Meaning::Base);
        self.places.push((place, pred));
        let own = |a, b| Atom::binary(pred, a, b);
        let equal = |a, b| Lit::yes(Atom::binary(Pred::EQUAL, a, b));
        self.say(vec![Lit::no(own(X, Y)), Lit::no(own(X, Z)), equal(Y, Z)], "one fence at a place");
        self.say(vec![Lit::no(own(X, Y)), Lit::no(own(Z, Y)), equal(X, Z)], "a fence of one operation");
        pred
    }

    fn relation(&self, relation: BaseRelation) -> Pred {
        self.theory.as_symbol(self.target.relations[&relation]).expect("it is a base relation of every signature")
    }

    /// The whole program order, that of source operations that become nothing included.
    fn po(&self) -> Pred {
        self.theory.symbols.named("po").expect("every signature has it")
    }

    /// Where some operations become nothing: is this one there?
    fn present(&mut self, premise: &[Lit], x: Term, there: bool, what: &str) {
        if let Some(emitted) = self.theory.as_symbol(self.target.universe) {
            let lit = Atom::unary(emitted, x);
            self.say(premise.iter().copied().chain([if there { Lit::yes(lit) } else { Lit::no(lit) }]).collect(), what);
        }
    }

    /// Kind and order of an instruction's event.
    fn kind(&mut self, step: Step, write_half: bool, premise: &[Lit], x: Term, what: &str) {
        let (kind, order) = step.kind(write_half);
        let signature = self.mapping.target.signature;
        let mut sets = vec![match kind {
            Kind::Write | Kind::Init => BaseSet::W,
            Kind::Read => BaseSet::R,
            _ => BaseSet::F,
        }];
        if signature != Signature::Plain {
            sets.extend(order_set(signature, order, kind == Kind::Fence));
        }
        if step.volatile {
            sets.push(BaseSet::Volatile);
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        for set in sets {
            if let Some(set) = self.target_set(set) {
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
        }
        if !step.volatile
            && let Some(volatile) = self.target_set(BaseSet::Volatile)
        {
            self.say(with(Lit::no(Atom::unary(volatile, x))), what);
        }
    }

    /// The scope of an instruction's event; `scope_of` has that of the source operation.
    fn scope(&mut self, step: Step, premise: &[Lit], x: Term, scope_of: Term, scopes: &[(Scope, Pred)], what: &str) {
        if self.mapping.target.signature == Signature::Plain {
            return;
        }
        let with = |lit: Lit| premise.iter().copied().chain([lit]).collect::<Vec<_>>();
        let set_of = |scope: Scope| match scope {
            Scope::Cta => BaseSet::Cta,
            Scope::Cluster => BaseSet::Cluster,
            Scope::Gpu => BaseSet::Gpu,
            Scope::Sys => BaseSet::Sys,
        };
        match step.scope {
            StepScope::None => {
                for scope in Scope::ALL {
                    if let Some(set) = self.target_set(set_of(scope)) {
                        self.say(with(Lit::no(Atom::unary(set, x))), what);
                    }
                }
            }
            StepScope::Named(scope) => {
                let set = self.target_set(set_of(scope)).expect("the signature has scopes");
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
            StepScope::Same if scopes.is_empty() => {
                let set = self.target_set(BaseSet::Sys).expect("the signature has scopes");
                self.say(with(Lit::yes(Atom::unary(set, x))), what);
            }
            StepScope::Same => {
                for &(scope, source) in scopes {
                    let set = self.target_set(set_of(scope)).expect("the signature has scopes");
                    let mut lits = with(Lit::yes(Atom::unary(set, x)));
                    lits.push(Lit::no(Atom::unary(source, scope_of)));
                    self.say(lits, what);
                }
            }
        }
    }

    /// A fence that a row adds to the operations of a role: there is one for each, and it belongs to one.
    fn fence(&mut self, role: Pred, fence: Pred, place: Pred, step: Step, scopes: &[(Scope, Pred)], what: &str) {
        let (own, is_fence) = (Atom::binary(place, X, Y), Atom::unary(fence, Y));
        let all = self.theory.exprs.symbol(place);
        let (has, is) = (self.theory.end_name(all, false), self.theory.end_name(all, true));
        self.say(vec![Lit::no(Atom::unary(role, X)), Lit::yes(Atom::unary(has, X))], what);
        self.say(vec![Lit::no(is_fence), Lit::yes(Atom::unary(is, Y))], what);
        let premise = [Lit::no(own), Lit::no(is_fence)];
        self.say(premise.iter().copied().chain([Lit::yes(Atom::unary(role, X))]).collect(), what);
        // The role of an operation says what its fence at a place is.
        self.say(vec![Lit::no(own), Lit::no(Atom::unary(role, X)), Lit::yes(is_fence)], what);
        self.present(&[Lit::no(is_fence)], Y, true, what);
        // Kind and order follow from the role alone, the scope from the operation.
        self.kind(step, false, &[Lit::no(is_fence)], Y, what);
        self.scope(step, &premise, Y, X, scopes, what);
    }

    /// The instructions of a lowering follow each other in program order, and nothing comes between.
    #[allow(clippy::too_many_arguments)]
    fn adjacent(&mut self, role: Pred, is_rmw: bool, access: usize, steps: usize, fences: &[(usize, Pred, Pred)], what: &str) {
        let (po, rmw) = (self.po(), self.relation(BaseRelation::Rmw));
        // Premises under which a variable is the event of a step: the operation's first event is X.
        let event = |step: usize, at: Term, last: bool| -> (Vec<Lit>, Term) {
            if step != access {
                let own = fences.iter().find(|f| f.0 == step).expect("every other instruction is a fence").2;
                return (vec![Lit::no(Atom::binary(own, X, at))], at);
            }
            if is_rmw && last { (vec![Lit::no(Atom::binary(rmw, X, at))], at) } else { (Vec::new(), X) }
        };
        let other = Term::variable(3);
        for step in 1..steps {
            let (first, a) = event(step - 1, Y, true);
            let (second, b) = event(step, Z, false);
            let premise: Vec<Lit> = std::iter::once(Lit::no(Atom::unary(role, X))).chain(first).chain(second).collect();
            let with = |lits: &[Lit]| premise.iter().chain(lits).copied().collect::<Vec<_>>();
            let po = |s, t| Atom::binary(po, s, t);
            let equal = |s, t| Lit::yes(Atom::binary(Pred::EQUAL, s, t));
            self.say(with(&[Lit::yes(po(a, b))]), what);
            self.say(with(&[Lit::no(po(other, b)), equal(other, a), Lit::yes(po(other, a))]), what);
            self.say(with(&[Lit::no(po(a, other)), equal(other, b), Lit::yes(po(b, other))]), what);
        }
    }

    /// Every event is an initial write or has one role.
    fn one_role_each(&mut self) {
        let init = self.target_set(BaseSet::Iw).expect("every signature has it");
        let all: Vec<Pred> =
            std::iter::once(init).chain(self.roles.iter().map(|r| r.pred)).chain(self.added.iter().copied()).collect();
        self.say(all.iter().map(|&p| Lit::yes(Atom::unary(p, X))).collect(), "every event has a role");
        for (i, &a) in all.iter().enumerate() {
            for &b in &all[i + 1..] {
                self.say(vec![Lit::no(Atom::unary(a, X)), Lit::no(Atom::unary(b, X))], "one role");
            }
        }
        for (_, own) in self.places.clone() {
            let owners = self.owners.iter().filter(|o| o.0 == own).map(|o| Lit::yes(Atom::unary(o.1, X)));
            let lits = std::iter::once(Lit::no(Atom::binary(own, X, Y))).chain(owners).collect();
            self.say(lits, "operations with a fence at a place");
        }
        // Sets that no row has a member in.
        let exprs: Vec<(BaseSet, ExprId)> = self.target.sets.iter().map(|(&s, &e)| (s, e)).collect();
        for (set, expr) in exprs {
            let Some(pred) = self.theory.as_symbol(expr) else { continue };
            let made =
                self.theory.facts.iter().any(|f| {
                    matches!(f.reason, Reason::Row(_)) && f.clause.lits.iter().any(|l| l.positive && l.atom.pred == pred)
                });
            if !made
                && !matches!(set, BaseSet::Iw | BaseSet::Rmw | BaseSet::Weak | BaseSet::Na | BaseSet::Atomic | BaseSet::Mfence)
            {
                self.say(vec![Lit::no(Atom::unary(pred, X))], "no row has it");
            }
        }
    }

    /// The two halves of a read-modify-write are of one operation.
    fn rmw_halves(&mut self, scopes: &[(Scope, Pred)]) {
        let rmw = self.relation(BaseRelation::Rmw);
        let pair = Lit::no(Atom::binary(rmw, X, Y));
        for pair_of_roles in self.roles.clone().windows(2) {
            let [read, write] = pair_of_roles else { continue };
            if read.part != Part::ReadHalf {
                continue;
            }
            let (r, w) = (Atom::unary(read.pred, X), Atom::unary(write.pred, Y));
            self.say(vec![pair, Lit::no(r), Lit::yes(w)], "halves");
            self.say(vec![pair, Lit::yes(r), Lit::no(w)], "halves");
            let all = self.target.relations[&BaseRelation::Rmw];
            let (domain, range) = (self.theory.end_name(all, false), self.theory.end_name(all, true));
            self.say(vec![Lit::no(r), Lit::yes(Atom::unary(domain, X))], "halves");
            self.say(vec![Lit::no(w), Lit::yes(Atom::unary(range, Y))], "halves");
        }
        for &(_, scope) in scopes {
            let (x, y) = (Atom::unary(scope, X), Atom::unary(scope, Y));
            self.say(vec![pair, Lit::no(x), Lit::yes(y)], "halves");
            self.say(vec![pair, Lit::yes(x), Lit::no(y)], "halves");
        }
    }

    /// A set of the source: the events of some roles, and perhaps initial writes.
    fn source_set(&mut self, name: &str, init: bool, of: impl Fn(&Role<'_>) -> bool) -> ExprId {
        let mut all: Vec<ExprId> = Vec::new();
        if init {
            all.push(self.target.sets[&BaseSet::Iw]);
        }
        let roles: Vec<Pred> = self.roles.iter().filter(|r| of(r)).map(|r| r.pred).collect();
        for role in roles {
            all.push(self.theory.exprs.symbol(role));
        }
        let body = self.theory.exprs.union_all(all);
        if matches!(self.theory.exprs.get(body), Expr::Empty | Expr::Symbol(_)) {
            return body;
        }
        let name = format!("{}.{name}", self.mapping.source.name);
        let pred = self.theory.symbols.declare(&name, 1, Meaning::Defined(body));
        self.theory.exprs.symbol(pred)
    }

    fn source_base(&mut self, scopes: &[(Scope, Pred)]) -> Base {
        let universe = self.theory.exprs.make(Expr::All);
        let universe = if self.added.is_empty() {
            universe
        } else {
            let added: Vec<Pred> = self.added.clone();
            let added: Vec<ExprId> = added.into_iter().map(|p| self.theory.exprs.symbol(p)).collect();
            let added = self.theory.exprs.union_all(added);
            let pred = self.theory.symbols.declare("added", 1, Meaning::Defined(added));
            let added = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(Expr::Difference(universe, added));
            let pred = self.theory.symbols.declare("source", 1, Meaning::Defined(rest));
            self.theory.exprs.symbol(pred)
        };
        let mut base = Base { universe, sets: FxHashMap::default(), relations: FxHashMap::default() };
        for set in [BaseSet::R, BaseSet::W, BaseSet::Iw, BaseSet::Rmw] {
            base.sets.insert(set, self.target.sets[&set]);
        }
        let fences = self.source_set("F", false, |r| r.construct.operation == Operation::Fence);
        base.sets.extend([(BaseSet::F, fences), (BaseSet::Mfence, fences)]);
        let order = |r: &Role<'_>| match r.part {
            Part::Whole => r.construct.order,
            Part::ReadHalf => r.construct.read_order(),
            Part::WriteHalf => r.construct.write_order(),
        };
        let orders = [
            (BaseSet::Rlx, Order::Rlx),
            (BaseSet::Acq, Order::Acq),
            (BaseSet::Rel, Order::Rel),
            (BaseSet::AcqRel, Order::AcqRel),
            (BaseSet::Sc, Order::Sc),
        ];
        for (set, of) in orders {
            let value = self.source_set(of.tag(), false, |r| order(r) == of);
            base.sets.insert(set, value);
        }
        let plain = self.source_set("NA", true, |r| order(r) == Order::Plain && r.construct.operation != Operation::Fence);
        base.sets.insert(BaseSet::Na, plain);
        let atomic = self.source_set("A", false, |r| order(r) != Order::Plain);
        base.sets.insert(BaseSet::Atomic, atomic);
        self.source_relations(&mut base, scopes);
        base
    }

    fn source_relations(&mut self, base: &mut Base, scopes: &[(Scope, Pred)]) {
        use BaseRelation::{Addr, Co, Ctrl, Data, Int, Loc, Po, Rf, Rmw, Scluster, Scta, Sgpu, Sr};
        let everything = self.theory.exprs.make(Expr::Product(base.universe, base.universe));
        for relation in [Po, Int, Scta, Scluster, Sgpu] {
            if let Some(symbol) = self.theory.symbols.named(relation.name()) {
                let whole = self.theory.exprs.symbol(symbol);
                let within = self.theory.exprs.intersection(whole, everything);
                base.relations.insert(relation, within);
            }
        }
        for relation in [Rf, Loc, Rmw, Addr, Data] {
            base.relations.insert(relation, self.target.relations[&relation]);
        }
        // A row's fences may depend on what the operation depends on.
        let ctrl = self.theory.exprs.intersection(self.target.relations[&Ctrl], everything);
        base.relations.insert(Ctrl, ctrl);
        let co = self.target.relations[&Co];
        let mo = if self.mapping.target.signature.total_coherence() {
            co
        } else {
            let pred = self.theory.symbols.declare("mo", 2, Meaning::Base);
            let mo = self.theory.exprs.symbol(pred);
            let rest = self.theory.exprs.make(Expr::Difference(co, mo));
            let reason = Reason::WellFormed("modification-order-extends-coherence-order".to_owned());
            self.theory.assume_check(CheckKind::Empty, rest, false, false, &reason);
            mo
        };
        base.relations.insert(Co, mo);
        if !scopes.is_empty() {
            let inclusion = self.inclusion(base, scopes);
            base.relations.insert(Sr, inclusion);
            for (set, scope) in [
                (BaseSet::Cta, Scope::Cta),
                (BaseSet::Cluster, Scope::Cluster),
                (BaseSet::Gpu, Scope::Gpu),
                (BaseSet::Sys, Scope::Sys),
            ] {
                if let Some(&(_, pred)) = scopes.iter().find(|s| s.0 == scope) {
                    let symbol = self.theory.exprs.symbol(pred);
                    base.sets.insert(set, symbol);
                }
            }
        }
        let name = format!("{}.rb", self.mapping.source.name);
        self.theory.complete(base, &name);
    }

    /// `sr` of the source: both have a scope, and each scope includes the other's thread.
    fn inclusion(&mut self, base: &Base, scopes: &[(Scope, Pred)]) -> ExprId {
        let all = self.theory.exprs.make(Expr::All);
        let init = self.target.sets[&BaseSet::Iw];
        let threads = self.theory.exprs.make(Expr::Difference(all, init));
        let mut parts = Vec::new();
        for &(scope, pred) in scopes {
            let of = self.theory.exprs.symbol(pred);
            let relation = match scope {
                Scope::Cta => Some(BaseRelation::Scta),
                Scope::Cluster => Some(BaseRelation::Scluster),
                Scope::Gpu => Some(BaseRelation::Sgpu),
                Scope::Sys => None,
            };
            let part = match relation.and_then(|r| self.theory.symbols.named(r.name())) {
                Some(symbol) => {
                    let (from, near) = (self.theory.exprs.make(Expr::Product(of, all)), self.theory.exprs.symbol(symbol));
                    self.theory.exprs.intersection(from, near)
                }
                None => self.theory.exprs.make(Expr::Product(of, threads)),
            };
            parts.push(part);
        }
        let one_way = self.theory.exprs.union_all(parts);
        let name = &self.mapping.source.name;
        let one_way = self.theory.symbols.declare(&format!("{name}.includes"), 2, Meaning::Defined(one_way));
        let one_way = self.theory.exprs.symbol(one_way);
        let other_way = self.theory.exprs.make(Expr::Inverse(one_way));
        let both = self.theory.exprs.intersection(one_way, other_way);
        let everything = self.theory.exprs.make(Expr::Product(base.universe, base.universe));
        let both = self.theory.exprs.intersection(both, everything);
        let both = self.theory.symbols.declare(&format!("{name}.sr"), 2, Meaning::Defined(both));
        self.theory.exprs.symbol(both)
    }

    fn locations_have_one_type(&mut self, base: &Base) {
        let (plain, atomic, loc) = (base.sets[&BaseSet::Na], base.sets[&BaseSet::Atomic], base.relations[&BaseRelation::Loc]);
        let init = base.sets[&BaseSet::Iw];
        let plain = self.theory.exprs.make(Expr::Difference(plain, init));
        let mixed = self.theory.exprs.make(Expr::Product(plain, atomic));
        let mixed = self.theory.exprs.intersection(mixed, loc);
        let reason = Reason::WellFormed("a-location-is-atomic-or-plain".to_owned());
        self.theory.assume_check(CheckKind::Empty, mixed, false, false, &reason);
    }
}

/// The set of an order at the target.
fn order_set(signature: Signature, order: Order, fence: bool) -> Option<BaseSet> {
    Some(match order {
        Order::Plain if fence => return None,
        Order::Plain if signature == Signature::Ptx => BaseSet::Weak,
        Order::Plain => BaseSet::Na,
        Order::Rlx => BaseSet::Rlx,
        Order::Acq => BaseSet::Acq,
        Order::Rel => BaseSet::Rel,
        Order::AcqRel => BaseSet::AcqRel,
        Order::Sc => BaseSet::Sc,
    })
}
