//! What a proof assumes of the executions of a mapping is true of those that the search finds:
//! every sentence, in the structure that a pair of a source and a target execution is. The
//! definitions are evaluated here, as least fixpoints.

use std::collections::BTreeMap;

use margay_mappings::check::{CheckOptions, Counterexample, Silent, check};
use margay_mappings::language::{LoadOptions, Lowering, Mapping, Row, ScopePattern, load_text};
use margay_models::bits::Event;
use margay_models::diagnostic::SourceFile;
use margay_models::execution::{Execution, Kind, Scope};
use margay_models::model::Model;
use margay_models::signature::{BaseRelation, BaseSet, Operation, Signature};
use margay_models::typing::FilesThenBuiltIn;
use margay_theorem::ground::{Structure, violations};
use margay_theorem::logic::clause::{implication, variable_name};
use margay_theorem::logic::{EventAtom, EventTerm, Lit, Meaning, Pred, TheoryExpr, TheoryExprId};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::mapping::ExecutionSelection;
use margay_theorem::theory::{StopSignal, Theory};

use super::mapping;

/// Pairs of events; of a set the pairs of each member with itself.
type Pairs = Vec<Vec<bool>>;

/// The events of both levels: those of the target, then the source's operations that become
/// nothing.
struct Reading<'a> {
    theory: &'a Theory,
    mapping: &'a Mapping,
    pair: &'a Counterexample,
    /// The source events without a target event.
    ghosts: Vec<Event>,
    known: BTreeMap<Pred, Pairs>,
}

impl<'a> Reading<'a> {
    fn new(theory: &'a Theory, mapping: &'a Mapping, pair: &'a Counterexample) -> Self {
        let ghosts =
            (0..pair.source.size()).map(Event::from).filter(|e| !pair.origin.contains(e)).collect();
        let mut reading = Self { theory, mapping, pair, ghosts, known: BTreeMap::new() };
        for (pred, symbol) in theory.symbols.iter() {
            if symbol.meaning == Meaning::Base {
                let value = reading.base(&symbol.name, symbol.arity);
                reading.known.insert(pred, value);
            }
        }
        reading
    }

    fn events(&self) -> usize {
        self.pair.target.size() + self.ghosts.len()
    }

    fn target(&self, e: usize) -> Option<Event> {
        (e < self.pair.target.size()).then(|| Event::from(e))
    }

    /// The source event that an event is, or comes from.
    fn origin(&self, e: usize) -> Event {
        self.target(e).map_or_else(
            || self.ghosts[e - self.pair.target.size()],
            |t| self.pair.origin[t.index()],
        )
    }

    /// Is it an event of the source, no fence or read that a row adds?
    fn is_source(&self, e: usize) -> bool {
        let Some(t) = self.target(e) else { return true };
        if self.pair.target.events[e].unused {
            return false;
        }
        let (kind, own) =
            (self.pair.target.events[e].kind, &self.pair.source.events[self.origin(e).index()]);
        let earlier = (0..t.index()).any(|d| {
            self.pair.origin[d] == self.origin(e) && self.pair.target.events[d].kind == kind
        });
        kind != Kind::Fence || own.kind == Kind::Fence && !earlier
    }

    fn pairs(&self, holds: impl Fn(usize, usize) -> bool) -> Pairs {
        (0..self.events()).map(|a| (0..self.events()).map(|b| holds(a, b)).collect()).collect()
    }

    fn set(&self, holds: impl Fn(usize) -> bool) -> Pairs {
        self.pairs(|a, b| a == b && holds(a))
    }

    /// The value of a base symbol, by its name.
    fn base(&self, name: &str, arity: u8) -> Pairs {
        let (source, target) = (&self.pair.source, &self.pair.target);
        let of = |execution: &Execution, relation: BaseRelation| execution.base_relation(relation);
        if name == "id" {
            return self.pairs(|a, b| a == b);
        }
        if name == "emitted" {
            return self.set(|e| self.target(e).is_some());
        }
        if arity == 1 {
            if let Some(set) = BaseSet::all(target.signature).into_iter().find(|s| s.name() == name)
            {
                let value = target.base_set(set);
                return self.set(|e| self.target(e).is_some_and(|t| value.contains(t)));
            }
            let of_source =
                |s: &&Scope| name == format!("{}.{}", self.mapping.source.name, s.name());
            if let Some(&scope) = Scope::ALL.iter().find(of_source) {
                return self.set(|e| {
                    self.is_source(e) && source.events[self.origin(e).index()].scope == Some(scope)
                });
            }
            // The second symbol of a name has a number behind.
            let name = name
                .split('#')
                .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()))
                .collect::<String>();
            return self.set(|e| self.role(e).as_deref() == Some(&name));
        }
        if name == "mo" {
            let mo = of(source, BaseRelation::Co);
            return self.pairs(|a, b| {
                self.is_source(a)
                    && self.is_source(b)
                    && mo.contains(self.origin(a), self.origin(b))
            });
        }
        for (is_read, what) in [(false, "fence-"), (true, "read-")] {
            let Some(place) = name.strip_prefix(what) else { continue };
            let (word, distance) = match place.rsplit_once('-') {
                Some((word, distance)) => (word, distance.parse().expect("a number")),
                None => (place, 1),
            };
            return self
                .pairs(|a, b| self.place(a, b) == Some((is_read, word == "behind", distance)));
        }
        // What the source has for itself: dependencies, levels of threads.
        let source_name = format!("{}.", self.mapping.source.name);
        if let Some(own) = name.strip_prefix(&source_name) {
            let is_it = |r: &BaseRelation| {
                r.name() == own || r.level().is_some_and(|l| own == format!("same-{}", l.name()))
            };
            let relation = BaseRelation::all(source.signature).into_iter().find(is_it);
            let value = of(
                source,
                relation.unwrap_or_else(|| {
                    panic!("`{name}` is a relation that this test does not know")
                }),
            );
            return self.pairs(|a, b| {
                self.is_source(a)
                    && self.is_source(b)
                    && value.contains(self.origin(a), self.origin(b))
            });
        }
        let relation = BaseRelation::all(target.signature).into_iter().find(|r| r.name() == name);
        let relation = relation
            .unwrap_or_else(|| panic!("`{name}` is a base relation that this test does not know"));
        let (above, below) = (of(source, relation), of(target, relation));
        let whole = !self.ghosts.is_empty()
            && (["po", "int", "ctrl"].contains(&name) || relation.level().is_some());
        self.pairs(|a, b| match (self.target(a), self.target(b)) {
            (Some(s), Some(t)) => below.contains(s, t),
            _ => whole && above.contains(self.origin(a), self.origin(b)),
        })
    }

    /// The first event of an operation and its lowering, with the target events that it made.
    fn operation(&self, e: usize) -> Option<(usize, &Row, usize, &Lowering, Vec<usize>)> {
        let source = &self.pair.source;
        let own = self.origin(e);
        let first = source.rmw.pairs().find(|p| p.1 == own).map_or(own, |p| p.0);
        let second = source.rmw.pairs().find(|p| p.0 == first).map(|p| p.1);
        let made: Vec<usize> = (0..self.pair.target.size())
            .filter(|&d| [Some(first), second].contains(&Some(self.pair.origin[d])))
            .collect();
        let (data, signature) = (&source.events[first.index()], source.signature);
        let operation = match (data.kind, second) {
            (Kind::Init, _) => return None,
            (_, Some(_)) => Operation::Rmw,
            (Kind::Read, _) => Operation::Read,
            (Kind::Write, _) => Operation::Write,
            _ => Operation::Fence,
        };
        let second_order = second.map(|w| source.events[w.index()].order);
        let fits = |row: &&Row| {
            let construct = row.construct;
            let orders = if operation == Operation::Rmw {
                construct.read_order() == data.order
                    && Some(construct.write_order()) == second_order
            } else {
                construct.order == data.order
            };
            construct.operation == operation
                && orders
                && match row.scope {
                    ScopePattern::Any(_) => true,
                    ScopePattern::Named(scope) => data.scope == Some(scope),
                }
        };
        let row = self
            .mapping
            .rows
            .iter()
            .find(fits)
            .unwrap_or_else(|| panic!("{data:?} has no row ({signature:?})"));
        let (number, lowering) = row
            .alternatives
            .iter()
            .enumerate()
            .find(|(_, l)| self.made_by(l, data.scope, &made))?;
        let head = (0..self.events()).find(|&d| self.is_source(d) && self.origin(d) == first)?;
        Some((head, row, number, lowering, made))
    }

    /// Are these events what the lowering makes?
    fn made_by(&self, lowering: &Lowering, scope: Option<Scope>, made: &[usize]) -> bool {
        let mut expected = Vec::new();
        for step in &lowering.steps {
            expected.push(step.event(false, None, scope, lowering.form));
            if step.operation == Operation::Rmw {
                expected.push(step.event(true, None, scope, lowering.form));
            }
        }
        expected.len() == made.len()
            && expected.iter().zip(made).all(|(e, &d)| {
                let own = &self.pair.target.events[d];
                (e.kind, e.order, e.scope, e.volatile)
                    == (own.kind, own.order, own.scope, own.volatile)
            })
    }

    /// The name of an event's role.
    fn role(&self, e: usize) -> Option<String> {
        let (head, row, number, lowering, made) = self.operation(e)?;
        let mut name = row.construct.name(self.mapping.source.signature);
        if let ScopePattern::Named(scope) = row.scope {
            name = format!("{name}.{}", scope.name());
        }
        if row.alternatives.len() > 1 {
            // Lowerings that emit the same are one role, which has the number of the first.
            let same =
                |l: &Lowering| l.steps == lowering.steps && l.dependencies == lowering.dependencies;
            let number = row.alternatives.iter().position(same).unwrap_or(number);
            name = format!("{name}/{}", number + 1);
        }
        let is_rmw = row.construct.operation == Operation::Rmw;
        let half = if head == e { ":read" } else { ":write" };
        if self.is_source(e) {
            return Some(if is_rmw { format!("{name}{half}") } else { name });
        }
        // Which step: a read-modify-write is two events.
        let at = made.iter().position(|&d| d == e)?;
        let behind = is_rmw && lowering.access().is_some_and(|access| at > access);
        let what = if self.pair.target.events[e].unused { "read" } else { "fence" };
        Some(format!(
            "{name}{}:{what}{}",
            if is_rmw { ":read" } else { "" },
            at + 1 - usize::from(behind)
        ))
    }

    /// Is the second event a fence or a read that is put beside the first one, which of them, and
    /// where?
    fn place(&self, a: usize, b: usize) -> Option<(bool, bool, usize)> {
        let (head, row, _, lowering, made) = self.operation(b)?;
        if self.is_source(b) || head != a {
            return None;
        }
        let at = made.iter().position(|&d| d == b)?;
        // The store of a read-modify-write that stores is its second half.
        let exchange = lowering.stores_by_exchange(row.construct.operation);
        let access = lowering.access().unwrap_or(0) + usize::from(exchange);
        let last = access + usize::from(row.construct.operation == Operation::Rmw);
        let is_read = self.pair.target.events[b].unused;
        Some(if at < access { (is_read, false, access - at) } else { (is_read, true, at - last) })
    }

    fn value(&mut self, pred: Pred) -> Pairs {
        if let Some(known) = self.known.get(&pred) {
            return known.clone();
        }
        let n = self.events();
        let value = match self.theory.symbols.get(pred).meaning {
            Meaning::Base => unreachable!("base symbols have values"),
            Meaning::Defined(body) => self.expr(body),
            Meaning::Sequence(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                joined(&a, &b)
            }
            Meaning::Closure(r) => {
                let mut whole = self.expr(r);
                for k in 0..n {
                    whole = self.pairs(|a, b| whole[a][b] || whole[a][k] && whole[k][b]);
                }
                whole
            }
            Meaning::Domain(r) => {
                let r = self.expr(r);
                self.set(|e| r[e].contains(&true))
            }
            Meaning::Range(r) => {
                let r = self.expr(r);
                self.set(|e| r.iter().any(|row| row[e]))
            }
            Meaning::Fixpoint(_, group) => return self.recursive(pred, group),
        };
        self.known.insert(pred, value.clone());
        value
    }

    /// The value of a member of a recursive definition: all members of it grow together.
    fn recursive(&mut self, pred: Pred, group: u16) -> Pairs {
        let members: Vec<(Pred, TheoryExprId)> = self
            .theory
            .symbols
            .iter()
            .filter_map(|(p, s)| match s.meaning {
                Meaning::Fixpoint(body, g) if g == group => Some((p, body)),
                _ => None,
            })
            .collect();
        let mut values = vec![self.pairs(|_, _| false); members.len()];
        let before = self.known.clone();
        loop {
            self.known.extend(members.iter().map(|m| m.0).zip(values.clone()));
            let next: Vec<Pairs> = members.iter().map(|&(_, body)| self.expr(body)).collect();
            self.known.clone_from(&before);
            if next == values {
                break;
            }
            values = next;
        }
        self.known.extend(members.iter().map(|m| m.0).zip(values));
        self.known[&pred].clone()
    }

    fn expr(&mut self, id: TheoryExprId) -> Pairs {
        match self.theory.exprs.get(id) {
            TheoryExpr::Empty => self.pairs(|_, _| false),
            TheoryExpr::All => self.pairs(|_, _| true),
            TheoryExpr::Symbol(p) => self.value(p),
            TheoryExpr::Union(a, b) => self.both(a, b, |a, b| a || b),
            TheoryExpr::Intersection(a, b) => self.both(a, b, |a, b| a && b),
            TheoryExpr::Difference(a, b) => self.both(a, b, |a, b| a && !b),
            TheoryExpr::Sequence(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                joined(&a, &b)
            }
            TheoryExpr::Product(a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                self.pairs(|x, y| a[x][x] && b[y][y])
            }
            TheoryExpr::Diagonal(a) => {
                let a = self.expr(a);
                self.set(|e| a[e][e])
            }
            TheoryExpr::Inverse(a) => {
                let a = self.expr(a);
                self.pairs(|x, y| a[y][x])
            }
        }
    }

    fn both(&mut self, a: TheoryExprId, b: TheoryExprId, of: impl Fn(bool, bool) -> bool) -> Pairs {
        let (a, b) = (self.expr(a), self.expr(b));
        self.pairs(|x, y| of(a[x][y], b[x][y]))
    }

    fn structure(&mut self) -> Structure {
        let n = self.events();
        let mut structure = Structure::new(self.theory.symbols.len(), n);
        let all: Vec<(Pred, u8)> = self.theory.symbols.iter().map(|(p, s)| (p, s.arity)).collect();
        for (pred, arity) in all {
            let value = self.value(pred);
            for (a, row) in value.iter().enumerate() {
                for b in (0..n).filter(|&b| row[b] && (arity == 2 || a == b)) {
                    structure.insert(EventAtom {
                        pred,
                        args: [EventTerm::event(a), EventTerm::event(b)],
                    });
                }
            }
        }
        structure
    }
}

fn joined(a: &Pairs, b: &Pairs) -> Pairs {
    let n = a.len();
    (0..n).map(|x| (0..n).map(|y| (0..n).any(|z| a[x][z] && b[z][y])).collect()).collect()
}

/// All lists of so many of the events.
fn lists(events: usize, of: usize) -> Vec<Vec<EventTerm>> {
    (0..of).fold(vec![Vec::new()], |all: Vec<Vec<EventTerm>>, _| {
        all.iter()
            .flat_map(|l| {
                (0..events).map(move |e| l.iter().copied().chain([EventTerm::event(e)]).collect())
            })
            .collect()
    })
}

/// The first sentence that is not true of a pair of executions.
fn untrue(theory: &Theory, mapping: &Mapping, pair: &Counterexample) -> Option<String> {
    let mut reading = Reading::new(theory, mapping, pair);
    let structure = reading.structure();
    let text = |lits: &[Lit]| implication(&theory.symbols, lits, &variable_name);
    for fact in &theory.facts {
        let mut found = None;
        violations(&structure, &fact.clause, &StopSignal::default(), &mut |at| {
            found = Some(at.to_vec());
            false
        });
        if let Some(at) = found {
            return Some(format!("{} at {at:?}, {:?}", text(&fact.clause.lits), fact.reason));
        }
    }
    let holds = |l: &Lit, at: &[EventTerm]| structure.holds(l.with(at).atom) == l.positive;
    for source in &theory.sources {
        let existence = &source.existence;
        for at in lists(reading.events(), usize::from(existence.variables)) {
            if !existence.guard.iter().all(|l| holds(l, &at)) {
                continue;
            }
            let there = lists(reading.events(), usize::from(existence.events)).iter().any(|more| {
                let at: Vec<EventTerm> = at.iter().chain(more).copied().collect();
                existence.cases.iter().any(|case| case.iter().all(|l| holds(l, &at)))
            });
            if !there {
                let guard: Vec<Lit> = existence.guard.iter().map(|l| !*l).collect();
                return Some(format!(
                    "an existence for {} at {at:?}, {:?}",
                    text(&guard),
                    source.reason
                ));
            }
        }
    }
    None
}

/// A mapping whose source forbids something common, so that a search finds executions of many
/// kinds.
fn with_odd_axioms(
    name: &str,
    source: Option<&str>,
    target: Option<&str>,
) -> (Mapping, Vec<String>) {
    let mut found = mapping_onto(name, source, target);
    let (po, f) = if found.source.signature == Signature::C { ("sb", "F") } else { ("po", "F") };
    let odd = [
        format!("empty {po}; rf; {po}"),
        format!("empty [{f}]; {po}; rf"),
        format!("empty rf; {po}; [{f}]; {po}"),
        "empty rmw; rf".to_owned(),
        format!("empty [{f}]; {po}; rmw; {po}; [{f}]"),
        "empty rf^-1; co".to_owned(),
    ];
    let mut text = found.source.source.text.to_string();
    let mut names = Vec::new();
    for (k, axiom) in odd.iter().enumerate() {
        text.push_str(&format!("\n{axiom} as Odd{k}"));
        names.push(format!("Odd{k}"));
    }
    found.source = Model::parse(SourceFile::new("odd.cat", text), &FilesThenBuiltIn)
        .unwrap_or_else(|e| panic!("{e:?}"))
        .model;
    (found, names)
}

fn mapping_onto(name: &str, source: Option<&str>, target: Option<&str>) -> Mapping {
    if name.contains('\n') {
        return load_text(&SourceFile::new("test.map", name), None, &LoadOptions::default())
            .expect("it is complete")
            .mapping;
    }
    match target {
        None => mapping(name, source),
        Some(target) => {
            let options = LoadOptions {
                source: source.map(str::to_owned),
                target: Some(target.to_owned()),
                ..LoadOptions::default()
            };
            margay_mappings::library::find(name, &options).expect("it is shipped").mapping
        }
    }
}

/// Every sentence about a mapping, in executions that a search finds. How many there were.
fn sentences(name: &str, source: Option<&str>, target: Option<&str>) -> usize {
    let (mapping, axioms) = with_odd_axioms(name, source, target);
    let mut seen = 0;
    for axiom in axioms {
        let options =
            CheckOptions { all: Some(60), axioms: vec![axiom], ..CheckOptions::published(4) }
                .with(|o| o.jobs = 1);
        let report = check(&mapping, &options, &Silent).expect("it is a mapping");
        let (checks, constructs) =
            margay_mappings::check::asked(&mapping, &options).expect("the options fit");
        let setting =
            Setting::of_mapping(&mapping, &checks, &ExecutionSelection { constructs, typed: true })
                .expect("there are rules");
        for pair in &report.counterexamples {
            if let Some(what) = untrue(&setting.theory, &mapping, pair) {
                panic!("{name}: {what}\nsource {:#?}\ntarget {:#?}", pair.source, pair.target);
            }
            seen += 1;
        }
    }
    seen
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn sentences_are_true_of_what_a_search_finds() {
    for (name, source, target) in [
        ("rc11-to-ptx", None, None),
        ("rc11-to-ptx-descoped", Some("rc11-lb"), None),
        ("rc11-to-ptx", Some("c20-scoped"), Some("ptx-8")),
        ("cuda-5.5", None, None),
        ("llvm-22.1-sm90", None, None),
        ("nvidia-abi-newest", None, Some("ptx-8")),
    ] {
        let seen = sentences(name, source, target);
        assert!(seen > 20, "{name}: {seen}");
    }
}

/// Rows that make nothing of an operation: the threads of both levels differ.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn sentences_are_true_where_operations_become_nothing() {
    const TSO: &str =
        "mapping \"nothing\" from sc to tso\nR => R\nW => W ; F\nRMW => RMW\nF => nothing\n";
    for (name, source) in [
        ("rc11-to-ptx-no-release-fence", None),
        ("libclc-old", None),
        ("libclc-old", Some("c20-scoped")),
        (TSO, None),
    ] {
        let seen = sentences(name, source, None);
        assert!(seen > 20, "{name}: {seen}");
    }
}

/// The same of a few mappings to texts, each time the tests run.
#[test]
fn sentences_are_true_of_cpp_on_x86_and_aarch64() {
    for name in ["rc11-to-x86", "rc11-to-aarch64"] {
        let seen = sentences(name, None, None);
        assert!(seen > 20, "{name}: {seen}");
    }
}

/// Rows for architectures that are texts: tags, scopes, dependencies, reads whose value nobody
/// uses, stores by read-modify-writes.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn sentences_are_true_of_mappings_to_and_from_texts() {
    // Rows that no shipped mapping has.
    const UNUSED: &str = "mapping \"unused\" from rc11-lb to aarch64
R.NA => ldr ; addr
R.RLX => ldr ; dmb.ishld ; data ; dmb.ish
R.ACQ => unused ldr ; dmb.ish ; ldar
R.SC => ldr ; dmb.ish ; ctrl ; isb ; unused ldr
W.NA => str
W.RLX => unused ldr ; swp
W.REL => dmb.ish ; swpl
W.SC => dmb.ish ; swpl ; dmb.ish ; unused ldar
RMW.RLX => ldxr_stxr ; ctrl
RMW.ACQ => unused ldr ; swpa ; unused ldr
RMW.REL => ldxr_stlxr ; dmb.ishld ; addr ; unused ldr
RMW.ACQ_REL => swpal or ldaxr_stlxr ; ctrl
RMW.SC => dmb.ish ; ldaxr_stlxr ; data ; dmb.ish
F.ACQ => dmb.ishld
F.REL => nothing
F.ACQ_REL => dmb.ish ; isb
F.SC => dmb.ish
";
    const TEXTS: &str = "mapping \"texts\" from x86 to riscv
load => lw ; ctrl
store => fence.rw_w ; sw
lock_xchg => amoswap.aqrl
mfence => fence.rw_rw
";
    const STORES: &str = "mapping \"locked stores\" from x86 to x86
load => load ; unused load
store => lock_xchg
lock_xchg => mfence ; lock_xchg
mfence => nothing
";
    for (name, source) in [
        ("rc11-to-x86", None),
        ("c11-to-x86", None),
        ("rc11-to-aarch64", None),
        ("rc11-to-riscv", None),
        ("rc11-to-power-leading", None),
        ("rc11-to-power-trailing", None),
        ("c11-to-power-leading", None),
        ("c11-to-power-trailing", None),
        ("c20-to-vulkan", None),
        ("c20-to-vulkan", Some("c20")),
        ("opencl-to-ptx", None),
        (UNUSED, None),
        (TEXTS, None),
        (STORES, None),
    ] {
        let seen = sentences(name, source, None);
        assert!(seen > 20, "{name}: {seen}");
    }
}
