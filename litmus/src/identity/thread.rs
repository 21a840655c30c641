//! A thread as text, under the numbering of locations and values that the threads before it have
//! made.

use std::collections::BTreeMap;
use std::fmt::Write;

use margay_models::execution::{EventData, Kind, Order, Proxy, Scope, Spaces};

use super::Detail;
use super::condition::{ConditionAtom, ConditionQuestion};
use super::shape;
use super::values::{Supposition, ValueClasses, last, supposition};
use crate::test::{ConditionOperand, Proposition, Variable};
use crate::unfold::{Path, Symbol, SymbolNode, Symbols, Unfolding};

/// Numbers given so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct ThreadNames {
    locations: Vec<Option<u16>>,
    /// By class and value.
    values: BTreeMap<(usize, i64), u16>,
}

/// A path and which of its events count.
struct Route<'a> {
    path: &'a Path,
    /// For each event its number among those that count.
    number: Vec<Option<usize>>,
}

/// A test, ready to be written down under any order of its threads.
pub(super) struct ThreadSubject<'a> {
    unfolding: &'a Unfolding,
    question: ConditionQuestion,
    detail: Detail,
    classes: ValueClasses,
    /// For each thread its paths.
    routes: Vec<Vec<Route<'a>>>,
}

impl<'a> ThreadSubject<'a> {
    pub fn new(unfolding: &'a Unfolding, question: ConditionQuestion, detail: Detail) -> Self {
        let classes = ValueClasses::of(unfolding, &question);
        let routes = (0..unfolding.threads().len())
            .map(|t| {
                let (paths, symbols) = unfolding.thread(t);
                let mut kept: Vec<&Path> = match detail {
                    Detail::Full => paths.iter().collect(),
                    Detail::Shape => {
                        shape::path(paths, symbols, &question, t).into_iter().collect()
                    }
                };
                kept.sort_by_cached_key(|p| {
                    p.events.iter().map(|e| annotations(&e.data)).collect::<Vec<_>>()
                });
                let counts = |path: &Path| match detail {
                    Detail::Full => vec![true; path.events.len()],
                    Detail::Shape => shape::events(path, symbols, &question, t),
                };
                let route = |path: &'a Path| {
                    let mut next = 0;
                    let number = counts(path).into_iter().map(|counts| {
                        next += usize::from(counts);
                        counts.then(|| next - 1)
                    });
                    Route { path, number: number.collect() }
                };
                kept.into_iter().map(route).collect()
            })
            .collect();
        Self { unfolding, question, detail, classes, routes }
    }

    pub fn threads(&self) -> usize {
        self.routes.len()
    }

    pub fn names(&self) -> ThreadNames {
        ThreadNames {
            locations: vec![None; self.unfolding.locations().len()],
            values: BTreeMap::new(),
        }
    }

    /// Does what comes at the end depend on which thread stands where?
    pub fn asks_of_registers(&self) -> bool {
        self.question
            .others
            .iter()
            .any(|(_, p)| p.variables().iter().any(|v| matches!(v, Variable::Register { .. })))
    }

    /// For each thread before it the narrowest scope that both are in.
    pub fn places(&self, thread: usize, before: &[usize]) -> String {
        let threads = self.unfolding.threads();
        if self.detail == Detail::Shape || !self.unfolding.signature().has_places() {
            return String::new();
        }
        // Of PTX a warp is no scope; where its lanes meet, it matters who is in it.
        let meets = |t: usize| {
            self.unfolding
                .thread(t)
                .0
                .iter()
                .flat_map(|p| &p.events)
                .any(|e| e.data.scope == Some(Scope::Warp))
        };
        let scopes: &[Scope] = match (0..threads.len()).any(meets) {
            true => &Scope::LEVELS,
            false => self.unfolding.signature().scopes(true),
        };
        let narrowest = |other: &usize| {
            scopes.iter().copied().find(|&s| threads[thread].shares(s, threads[*other]))
        };
        before.iter().map(|other| narrowest(other).map_or('-', initial)).collect()
    }

    /// A thread after others.
    pub fn write(&self, thread: usize, before: &[usize], names: &mut ThreadNames) -> String {
        let mut out = self.places(thread, before);
        let mut atoms: Vec<(Vec<String>, &ConditionAtom)> =
            (self.question.atoms.iter().filter(|a| a.thread == thread))
                .map(|atom| {
                    (
                        self.routes[thread]
                            .iter()
                            .map(|route| self.asked(thread, route, atom, None))
                            .collect(),
                        atom,
                    )
                })
                .collect();
        atoms.sort_by(|(a, x), (b, y)| (a, x.value).cmp(&(b, y.value)));
        atoms.dedup_by(|(a, x), (b, y)| a == b && x.value == y.value && x.part == y.part);
        for route in &self.routes[thread] {
            out.push('{');
            self.route(thread, route, names, &mut out);
            for (_, atom) in &atoms {
                out.push_str(&self.asked(thread, route, atom, Some(names)));
            }
            out.push('}');
        }
        out
    }

    /// What is asked of all threads together, in `order`.
    pub fn end(&self, order: &[usize], names: &ThreadNames) -> String {
        let mut parts: Vec<String> = self
            .question
            .others
            .iter()
            .map(|(part, p)| format!("{part}({})", self.proposition(p, order, names)))
            .collect();
        parts.sort();
        parts.dedup();
        parts.concat()
    }

    fn route(&self, thread: usize, route: &Route<'_>, names: &mut ThreadNames, out: &mut String) {
        let (_, symbols) = self.unfolding.thread(thread);
        for (at, e) in route.path.events.iter().enumerate() {
            if route.number[at].is_none() {
                continue;
            }
            match self.detail {
                Detail::Full => out.push_str(&annotations(&e.data)),
                Detail::Shape => out.push(kind(&e.data)),
            }
            if let Some(read) = e.modifies.filter(|&read| route.number[usize::from(read)].is_some())
            {
                out.push('!');
                // The read that it belongs to, where that is not the one before it.
                if usize::from(read) + 1 != at {
                    let _ = write!(out, "{read}");
                }
            }
            if let Some(location) = e.data.location {
                self.location(location, names, out);
                if let Some(value) = e.value {
                    out.push('=');
                    match symbols.node(value) {
                        SymbolNode::Constant(n) => self.value(usize::from(location), n, names, out),
                        _ => self.symbol(route, symbols, value, names, out),
                    }
                }
            }
            if self.detail == Detail::Full {
                // What an operation was issued after does not follow from where it stands:
                // `tcgen05.dealloc` comes after operations of its thread, where a store does not.
                for (letter, reads) in [
                    ('a', e.address_reads),
                    ('d', e.data_reads),
                    ('c', e.control_reads),
                    ('s', e.completes),
                    ('i', e.issued_after),
                ] {
                    if !reads.is_empty() {
                        let _ = write!(out, "{letter}{reads:x}");
                    }
                }
            }
            out.push(';');
        }
        if self.detail == Detail::Shape {
            return;
        }
        for &(symbol, holds) in &route.path.suppositions {
            match supposition(symbols, symbol, holds) {
                Supposition::Equal(equal, a, b) => {
                    let constant = |s: Symbol| symbols.as_constant(s);
                    let (a, b) = match b {
                        Some(b) if constant(a).is_some() => (b, Some(a)),
                        _ => (a, b),
                    };
                    self.symbol(route, symbols, a, names, out);
                    out.push_str(if equal { "==" } else { "!=" });
                    match (symbols.node(a), b.map_or(Some(0), constant), b) {
                        (SymbolNode::Read(p), Some(n), _) => {
                            match route.path.events[usize::from(p)].data.location {
                                Some(l) => self.value(usize::from(l), n, names, out),
                                None => out.push_str(&n.to_string()),
                            }
                        }
                        (_, _, Some(b)) => self.symbol(route, symbols, b, names, out),
                        (_, _, None) => out.push('0'),
                    }
                }
                Supposition::Other(holds, symbol) => {
                    out.push(if holds { '?' } else { '~' });
                    self.symbol(route, symbols, symbol, names, out);
                }
            }
            out.push(',');
        }
    }

    /// A conjunct about a register, on a path; without `names` as far as it can be said without
    /// numbering values.
    fn asked(
        &self,
        thread: usize,
        route: &Route<'_>,
        atom: &ConditionAtom,
        names: Option<&mut ThreadNames>,
    ) -> String {
        let (_, symbols) = self.unfolding.thread(thread);
        let node = last(route.path, &atom.register).map(|s| (s, symbols.node(s)));
        let mut out = format!("{}:", atom.part);
        match node {
            Some((_, SymbolNode::Read(p))) => {
                let number =
                    route.number[usize::from(p)].map_or_else(|| "-".to_owned(), |n| n.to_string());
                let _ = write!(out, "r{number}{}", atom.comparison.symbol());
                let location = route.path.events[usize::from(p)].data.location;
                if let (Some(location), Some(names)) = (location, names) {
                    self.value(usize::from(location), atom.value, names, &mut out);
                }
            }
            Some((_, SymbolNode::Constant(n))) => {
                return truth(atom.comparison.holds(n, atom.value));
            }
            None => return truth(atom.comparison.holds(0, atom.value)),
            Some((symbol, _)) => {
                let mut fresh = self.names();
                self.symbol(route, symbols, symbol, names.unwrap_or(&mut fresh), &mut out);
                let _ = write!(out, "{}{}", atom.comparison.symbol(), atom.value);
            }
        }
        out
    }

    /// A location; with all that is known of it where it first appears.
    fn location(&self, location: u16, names: &mut ThreadNames, out: &mut String) {
        let index = usize::from(location);
        if let Some(number) = names.locations[index] {
            let _ = write!(out, "{number}");
            return;
        }
        let next = names.locations.iter().flatten().count() as u16;
        names.locations[index] = Some(next);
        // Later than any digit: threads that share locations come after each other.
        let _ = write!(out, "~{next}");
        let (physical, generic) =
            (self.unfolding.locations()[index].physical, self.unfolding.generic()[index]);
        if physical == location {
            out.push('i');
            self.value(index, self.unfolding.initial(location), names, out);
        } else if generic == location {
            out.push('@');
            self.location(physical, names, out);
        } else {
            out.push('%');
            self.location(generic, names, out);
        }
    }

    fn value(&self, location: usize, value: i64, names: &mut ThreadNames, out: &mut String) {
        if let Some(of) = self.unfolding.location_at(value) {
            out.push('&');
            self.location(of, names, out);
            return;
        }
        let class = self.classes.of[location];
        if self.classes.rigid[class] {
            let _ = write!(out, "#{value}");
            return;
        }
        let next = names.values.keys().filter(|(c, _)| *c == class).count() as u16;
        let number = *names.values.entry((class, value)).or_insert(next);
        let _ = write!(out, "{number}");
    }

    fn symbol(
        &self,
        route: &Route<'_>,
        symbols: &Symbols,
        symbol: Symbol,
        names: &mut ThreadNames,
        out: &mut String,
    ) {
        match symbols.node(symbol) {
            SymbolNode::Constant(n) => match self.unfolding.location_at(n) {
                Some(location) => {
                    out.push('&');
                    self.location(location, names, out);
                }
                None => {
                    let _ = write!(out, "#{n}");
                }
            },
            SymbolNode::Read(p) => match route.number.get(usize::from(p)).copied().flatten() {
                Some(n) => {
                    let _ = write!(out, "r{n}");
                }
                None => out.push_str("r-"),
            },
            SymbolNode::Unary(operator, a) => {
                let _ = write!(out, "({operator:?} ");
                self.symbol(route, symbols, a, names, out);
                out.push(')');
            }
            SymbolNode::Binary(operator, a, b) => {
                let _ = write!(out, "({operator:?} ");
                self.symbol(route, symbols, a, names, out);
                out.push(' ');
                self.symbol(route, symbols, b, names, out);
                out.push(')');
            }
        }
    }

    fn proposition(&self, p: &Proposition, order: &[usize], names: &ThreadNames) -> String {
        let many = |parts: &[Proposition], between: &str| {
            let mut parts: Vec<String> =
                parts.iter().map(|p| self.proposition(p, order, names)).collect();
            parts.sort();
            format!("({})", parts.join(between))
        };
        match p {
            Proposition::True => "true".to_owned(),
            Proposition::False => "false".to_owned(),
            Proposition::Not(p) => format!("not {}", self.proposition(p, order, names)),
            Proposition::And(parts) => many(parts, " and "),
            Proposition::Or(parts) => many(parts, " or "),
            Proposition::Compare { comparison, left, right } => {
                let of = [left, right].into_iter().find_map(|o| match o {
                    ConditionOperand::Variable(Variable::Location(name)) => {
                        self.unfolding.physical(name)
                    }
                    _ => None,
                });
                let operand = |o: &ConditionOperand| self.operand(o, of, order, names);
                format!("{}{}{}", operand(left), comparison.symbol(), operand(right))
            }
        }
    }

    fn operand(
        &self,
        operand: &ConditionOperand,
        of: Option<u16>,
        order: &[usize],
        names: &ThreadNames,
    ) -> String {
        let number = |l: u16| names.locations[usize::from(l)];
        let known = |l: u16| {
            number(l).map_or_else(|| format!("i{}", self.unfolding.initial(l)), |n| format!("l{n}"))
        };
        match operand {
            ConditionOperand::Integer(n) => match of.map(|l| self.classes.of[usize::from(l)]) {
                Some(class) if !self.classes.rigid[class] => {
                    names.values.get(&(class, *n)).map_or_else(|| format!("#{n}"), u16::to_string)
                }
                _ => format!("#{n}"),
            },
            ConditionOperand::AddressOf(name) => {
                self.unfolding.physical(name).map_or_else(String::new, |l| format!("&{}", known(l)))
            }
            ConditionOperand::Variable(Variable::Location(name)) => {
                self.unfolding.physical(name).map_or_else(String::new, known)
            }
            ConditionOperand::Variable(Variable::Register { thread, name }) => {
                let t = thread.index();
                let Some(position) = order.iter().position(|&o| o == t) else {
                    return "-".to_owned();
                };
                let (_, symbols) = self.unfolding.thread(t);
                let on_path = |route: &Route<'_>| {
                    let mut out = String::new();
                    match last(route.path, name) {
                        Some(symbol) => {
                            self.symbol(route, symbols, symbol, &mut names.clone(), &mut out)
                        }
                        None => out.push_str("#0"),
                    }
                    out
                };
                format!(
                    "t{position}[{}]",
                    self.routes[t].iter().map(on_path).collect::<Vec<_>>().join("/")
                )
            }
        }
    }
}

fn truth(holds: bool) -> String {
    if holds { String::new() } else { "never".to_owned() }
}

fn initial(scope: Scope) -> char {
    match scope {
        Scope::Warp => 'w',
        Scope::Cta => 'c',
        Scope::Cluster => 'l',
        Scope::Gpu => 'g',
        Scope::Sys => 's',
    }
}

fn kind(data: &EventData) -> char {
    match data.kind {
        Kind::Init => 'I',
        Kind::Read => 'R',
        Kind::Write => 'W',
        Kind::Fence => 'F',
        Kind::ProxyFence => 'P',
        Kind::BarrierArrive => 'A',
        Kind::BarrierWait => 'B',
        Kind::AsyncWait => 'S',
    }
}

/// An event but for its location and value.
fn annotations(data: &EventData) -> String {
    let mut out = String::from(kind(data));
    let order = match data.order {
        Order::Plain => "",
        Order::Rlx => ".x",
        Order::Acq => ".a",
        Order::Rel => ".r",
        Order::AcqRel => ".ar",
        Order::Sc => ".sc",
        Order::Tagged(tags) => {
            out.push('.');
            tags.name()
        }
    };
    out.push_str(order);
    out.extend(data.scope.map(initial));
    if data.proxy != Proxy::Generic {
        let _ = write!(out, "<{:?}>", data.proxy);
    }
    for (set, letter) in [(data.volatile, 'v'), (data.mmio, 'm'), (data.reduction, 'd')] {
        if set {
            out.push(letter);
        }
    }
    if let Some(barrier) = data.barrier {
        let _ = write!(out, "b{barrier}");
    }
    if let Some(operation) = data.operation {
        let _ = write!(out, "o{operation}");
    }
    if data.mbarrier {
        out.push('k');
    }
    if data.spaces != Spaces::NONE {
        let _ = write!(out, "{:?}", data.spaces);
    }
    out.push(' ');
    out
}
