//! Renamings of threads, locations and numbers that make one test of another, path by path: the
//! threads of a lock of nodes do the same, each with its own node. An execution of the one is,
//! renamed, an execution of the other. So a test that such a renaming leaves as it is needs to be
//! asked about one execution of each class of executions, and of two tests that it makes of each
//! other one is enough.

use margay_models::execution::{EventData, Scope};
use rustc_hash::FxHashMap;

use crate::test::{ConditionOperand, NumberComparison, Proposition, Variable};
use crate::unfold::{Binary, Domains, Merged, MergedValue, Unary, Unfolding, ValueId, is_address};

/// The most events of all paths together that are compared.
const MAX_COMPARED: usize = 50_000;

/// The most pairs of values that are looked at to see that what is computed is renamed as its
/// operands are.
const MAX_PAIRS: usize = 10_000;

/// A test with its paths merged.
#[derive(Clone, Copy)]
pub(super) struct MergedTest<'a> {
    pub unfolding: &'a Unfolding,
    pub merged: &'a Merged,
    pub domains: &'a Domains,
}

/// A renaming that makes one test of another.
#[derive(Debug)]
pub(super) struct Renaming {
    /// For each thread the one that does there what it does here.
    threads: Vec<usize>,
    /// For each location its name there.
    locations: Vec<Option<u16>>,
    /// The numbers that are others there.
    numbers: FxHashMap<i64, i64>,
    /// For each thread and path the path there.
    paths: Vec<Vec<usize>>,
}

/// What is computed, over positions of a path.
#[derive(PartialEq, Eq, Hash)]
enum ValueNode {
    Number(i64),
    Read(usize),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
}

/// An event of a path, with what it depends on by positions.
#[derive(PartialEq, Eq, Hash)]
struct EventShape {
    data: EventData,
    value: Option<u32>,
    depends: [Vec<usize>; 5],
    modifies: Option<usize>,
}

/// A path, the same for paths that differ in nothing but names.
#[derive(PartialEq, Eq, Hash)]
struct PathShape {
    events: Vec<EventShape>,
    suppositions: Vec<(u32, bool)>,
    registers: Vec<(String, u32)>,
    stop: Option<String>,
}

impl Renaming {
    /// The renaming that makes one test of another, where the threads of the one are these of the
    /// other. `None` where there is none, or where it is not found: it is read off the first path
    /// of each thread.
    pub fn of(here: MergedTest<'_>, there: MergedTest<'_>, threads: &[usize]) -> Option<Self> {
        let (paths, others) = (&here.merged.paths, &there.merged.paths);
        let counts = || {
            threads
                .iter()
                .enumerate()
                .all(|(t, &u)| paths[t].len() == others[u].len() && !paths[t].is_empty())
        };
        let size = || paths.iter().flatten().map(|p| p.events.len()).sum::<usize>();
        if paths.len() != others.len()
            || threads.len() != paths.len()
            || !counts()
            || size() > MAX_COMPARED
        {
            return None;
        }
        let mut renaming = Self {
            threads: threads.to_vec(),
            locations: vec![None; here.unfolding.locations().len()],
            numbers: FxHashMap::default(),
            paths: Vec::new(),
        };
        let fits = renaming.places(here, there)
            && renaming.read_off(here, there)
            && renaming.completed(here, there)
            && renaming.declarations(here, there)
            && renaming.is_of_values(here)
            && renaming.condition(here, there);
        (fits && renaming.match_paths(here, there)).then_some(renaming)
    }

    pub fn number(&self, n: i64) -> i64 {
        self.numbers.get(&n).copied().unwrap_or(n)
    }

    /// Has a location or a number another name there?
    pub fn moves_names(&self) -> bool {
        self.numbers.iter().any(|(n, m)| n != m)
            || self.locations.iter().enumerate().any(|(l, m)| *m != Some(l as u16))
    }

    /// The thread that does there what a thread does here, and which path there is a path of it.
    pub fn path(&self, thread: usize, path: usize) -> (usize, usize) {
        (self.threads[thread], self.paths[thread][path])
    }

    /// For each merged event the one there; `None` where merging took together what is apart there.
    pub fn events(&self, here: &Merged, there: &Merged) -> Option<Vec<usize>> {
        let mut found: Vec<Option<usize>> = vec![None; here.events.len()];
        for (t, paths) in here.paths.iter().enumerate() {
            for (p, path) in paths.iter().enumerate() {
                let (u, q) = self.path(t, p);
                for (&e, &f) in path.events.iter().zip(&there.paths[u][q].events) {
                    if *found[e].get_or_insert(f) != f {
                        return None;
                    }
                }
            }
        }
        // Initial writes are no part of a path.
        Some(found.into_iter().enumerate().map(|(e, f)| f.unwrap_or(e)).collect())
    }

    /// Do the same threads share a cta, a cluster, .., and meet?
    fn places(&self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        let (a, b) = (here.unfolding.threads(), there.unfolding.threads());
        let share = |s: usize, t: usize, scope: Scope| {
            a[s].shares(scope, a[t]) == b[self.threads[s]].shares(scope, b[self.threads[t]])
        };
        (0..a.len()).all(|s| (0..s).all(|t| Scope::LEVELS.iter().all(|&scope| share(s, t, scope))))
            && (0..a.len()).all(|s| a[s].kernel == b[self.threads[s]].kernel)
            && here.unfolding.meets_alike(there.unfolding, &self.threads)
    }

    /// Reads the names off the events of the threads.
    fn read_off(&mut self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        // What is on all paths first: it says most, and then which path of the other thread is
        // meant by the first one.
        let always = |merged: &Merged, t: usize| -> Vec<usize> {
            merged.paths[t][0].events.iter().copied().filter(|&e| merged.events[e].always).collect()
        };
        for (t, u) in self.threads.clone().into_iter().enumerate() {
            if !self.read_off_events(
                (here.merged, &always(here.merged, t)),
                (there.merged, &always(there.merged, u)),
            ) {
                return false;
            }
        }
        for (t, u) in self.threads.clone().into_iter().enumerate() {
            let first = &here.merged.paths[t][0].events;
            let known = (self.locations.clone(), self.numbers.clone());
            for path in there.merged.paths[u].iter().filter(|path| path.events.len() == first.len())
            {
                if self.read_off_events((here.merged, first), (there.merged, &path.events)) {
                    break;
                }
                (self.locations, self.numbers) = known.clone();
            }
        }
        true
    }

    /// Reads the names off events, each of which is the one at its place there; `false` where they
    /// cannot be.
    fn read_off_events(
        &mut self,
        (here, a): (&Merged, &[usize]),
        (there, b): (&Merged, &[usize]),
    ) -> bool {
        let without = |data: &EventData| EventData {
            thread: None,
            location: None,
            value: None,
            ..data.clone()
        };
        a.len() == b.len()
            && a.iter().zip(b).all(|(&e, &f)| {
                let (e, f) = (&here.events[e], &there.events[f]);
                let at_one_place = match (e.data.location, f.data.location) {
                    (Some(l), Some(m)) => *self.locations[usize::from(l)].get_or_insert(m) == m,
                    (l, m) => l.is_none() && m.is_none(),
                };
                at_one_place
                    && without(&e.data) == without(&f.data)
                    && match (e.value, f.value) {
                        (Some(v), Some(w)) => self.read_off_value((here, v), (there, w)),
                        (v, w) => v.is_none() && w.is_none(),
                    }
            })
    }

    fn read_off_value(
        &mut self,
        (here, v): (&Merged, ValueId),
        (there, w): (&Merged, ValueId),
    ) -> bool {
        match (here.values[v.index()], there.values[w.index()]) {
            (MergedValue::Number(n), MergedValue::Number(m)) => {
                *self.numbers.entry(n).or_insert(m) == m
            }
            (MergedValue::Unary(_, a), MergedValue::Unary(_, b)) => {
                self.read_off_value((here, a), (there, b))
            }
            (MergedValue::Binary(_, a, c), MergedValue::Binary(_, b, d)) => {
                self.read_off_value((here, a), (there, b))
                    && self.read_off_value((here, c), (there, d))
            }
            _ => true,
        }
    }

    /// What was not read off keeps its name. Is no name given twice?
    fn completed(&mut self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        let count = self.locations.len();
        if there.unfolding.locations().len() != count {
            return false;
        }
        let taken: Vec<u16> = self.locations.iter().flatten().copied().collect();
        let mut images: Vec<u16> = Vec::with_capacity(count);
        for (l, name) in self.locations.iter_mut().enumerate() {
            let free = !taken.contains(&(l as u16));
            let Some(image) = name.or(Some(l as u16).filter(|_| free)) else { return false };
            *name = Some(image);
            images.push(image);
        }
        images.sort_unstable();
        images.dedup();
        // 0 and 1 are what comparisons say.
        [0, 1].into_iter().for_each(|n| {
            self.numbers.entry(n).or_insert(n);
        });
        let mut numbers: Vec<i64> = self.numbers.values().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let unique = images.len() == count && numbers.len() == self.numbers.len();
        // A number that is the name of another one has a name itself.
        let closed = self.numbers.values().all(|n| self.numbers.contains_key(n));
        // Addresses are numbers that follow locations, and not what they are renamed to.
        let names_memory = |merged: &Merged| {
            merged.values.iter().any(|v| matches!(v, MergedValue::Number(n) if is_address(*n)))
        };
        let keeps_truth = self.number(0) == 0 && self.number(1) == 1;
        unique && closed && keeps_truth && !(self.moves_names() && names_memory(here.merged))
    }

    fn location(&self, l: u16) -> u16 {
        self.locations[usize::from(l)].unwrap_or(l)
    }

    /// Are locations declared alike?
    fn declarations(&self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        (0..self.locations.len()).all(|l| {
            let m = usize::from(self.location(l as u16));
            let (a, b) = (&here.unfolding.locations()[l], &there.unfolding.locations()[m]);
            let of = |unfolding: &Unfolding, l: usize| unfolding.generic()[l];
            self.location(a.physical) == b.physical
                && a.atomic == b.atomic
                && self.location(of(here.unfolding, l)) == of(there.unfolding, m)
                && here.unfolding.declares_alike(l, there.unfolding, m)
                && self.number(here.unfolding.initial(a.physical))
                    == there.unfolding.initial(b.physical)
        })
    }

    /// Is what is computed renamed as its operands are, whatever they are? Equality is, whatever
    /// the names.
    fn is_of_values(&self, here: MergedTest<'_>) -> bool {
        if self.numbers.iter().all(|(n, m)| n == m) {
            return true;
        }
        let values = |id: ValueId| &here.domains.values[id.index()];
        let mut pairs = 0;
        here.merged.values.iter().all(|value| match *value {
            MergedValue::Number(_) | MergedValue::Read(_) => true,
            MergedValue::Unary(operator, a) => {
                pairs += values(a).len();
                pairs <= MAX_PAIRS
                    && values(a)
                        .iter()
                        .all(|&x| operator.apply(self.number(x)) == self.number(operator.apply(x)))
            }
            MergedValue::Binary(Binary::Compare(of) | Binary::CompareUnsigned(of), ..)
                if of.is_of_equality() =>
            {
                true
            }
            MergedValue::Binary(operator, a, b) => {
                pairs += values(a).len() * values(b).len();
                let same = |x: i64, y: i64| {
                    operator.apply(self.number(x), self.number(y))
                        == self.number(operator.apply(x, y))
                };
                pairs <= MAX_PAIRS
                    && values(a).iter().all(|&x| values(b).iter().all(|&y| same(x, y)))
            }
        })
    }

    /// Is the same asked of final states?
    fn condition(&self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        let (a, b) = (here.unfolding.asked(), there.unfolding.asked());
        let same = |a: &Proposition, b: &Proposition| {
            self.renamed(a, here.unfolding)
                .is_some_and(|a| a.canonical(&|t| t) == b.canonical(&|t| t))
        };
        same(&a.condition, &b.condition)
            && match (&a.filter, &b.filter) {
                (Some(a), Some(b)) => same(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }

    /// A proposition with other names; `None` where its numbers are compared in another way than
    /// for equality.
    fn renamed(&self, p: &Proposition, here: &Unfolding) -> Option<Proposition> {
        let moves_numbers = self.numbers.iter().any(|(n, m)| n != m);
        let side = |operand: &ConditionOperand| {
            Some(match operand {
                ConditionOperand::Variable(Variable::Register { thread, name }) => {
                    let thread = crate::test::ThreadId(*self.threads.get(thread.index())? as u16);
                    ConditionOperand::Variable(Variable::Register { thread, name: name.clone() })
                }
                ConditionOperand::Variable(Variable::Location(name)) => {
                    let at = here.locations().iter().position(|l| l.name == *name)?;
                    let image = usize::from(self.location(at as u16));
                    ConditionOperand::Variable(Variable::Location(
                        here.locations().get(image)?.name.clone(),
                    ))
                }
                ConditionOperand::Integer(n) => ConditionOperand::Integer(self.number(*n)),
                ConditionOperand::AddressOf(_) => return None,
            })
        };
        let all = |parts: &[Proposition]| {
            parts.iter().map(|p| self.renamed(p, here)).collect::<Option<Vec<_>>>()
        };
        Some(match p {
            Proposition::True => Proposition::True,
            Proposition::False => Proposition::False,
            Proposition::Compare { comparison, left, right } => {
                if moves_numbers && !comparison.is_of_equality() {
                    return None;
                }
                Proposition::Compare {
                    comparison: *comparison,
                    left: side(left)?,
                    right: side(right)?,
                }
            }
            Proposition::Not(p) => Proposition::Not(Box::new(self.renamed(p, here)?)),
            Proposition::And(parts) => Proposition::And(all(parts)?),
            Proposition::Or(parts) => Proposition::Or(all(parts)?),
        })
    }

    /// Finds for each path the one there that is the same but for names.
    fn match_paths(&mut self, here: MergedTest<'_>, there: MergedTest<'_>) -> bool {
        let mut nodes: FxHashMap<ValueNode, u32> = FxHashMap::default();
        for t in 0..self.threads.len() {
            let u = self.threads[t];
            let mut known: FxHashMap<PathShape, Vec<usize>> = FxHashMap::default();
            for q in (0..there.merged.paths[u].len()).rev() {
                known.entry(shape(there, u, q, &|l| l, &|n| n, &mut nodes)).or_default().push(q);
            }
            let mut paths = Vec::with_capacity(here.merged.paths[t].len());
            for p in 0..here.merged.paths[t].len() {
                let shape =
                    shape(here, t, p, &|l| self.location(l), &|n| self.number(n), &mut nodes);
                let Some(q) = known.get_mut(&shape).and_then(Vec::pop) else { return false };
                paths.push(q);
            }
            self.paths.push(paths);
        }
        true
    }
}

fn shape(
    test: MergedTest<'_>,
    thread: usize,
    number: usize,
    location: &dyn Fn(u16) -> u16,
    named: &dyn Fn(i64) -> i64,
    nodes: &mut FxHashMap<ValueNode, u32>,
) -> PathShape {
    let path = &test.merged.paths[thread][number];
    let at: FxHashMap<usize, usize> =
        path.events.iter().enumerate().map(|(position, &e)| (e, position)).collect();
    let mut computed: FxHashMap<usize, u32> = FxHashMap::default();
    let mut value = |id: ValueId| write_value(test.merged, id, &at, named, (&mut computed, nodes));
    let events = path.events.iter().map(|&e| {
        let event = &test.merged.events[e];
        // A read that is not on the path says nothing here.
        let positions = |of: &Vec<usize>| {
            let mut found: Vec<usize> = of.iter().filter_map(|d| at.get(d).copied()).collect();
            found.sort_unstable();
            found
        };
        EventShape {
            data: EventData {
                thread: None,
                location: event.data.location.map(location),
                ..event.data.clone()
            },
            value: event.value.map(&mut value),
            depends: std::array::from_fn(|k| positions(&event.depends[k])),
            modifies: event.modifies.and_then(|read| at.get(&read).copied()),
        }
    });
    let events = events.collect();
    // What is one number is no other one.
    let is_of = |&(v, holds): &(ValueId, bool)| {
        is_number(test.merged, v).filter(|(_, equal)| *equal == holds).map(|(of, _)| of)
    };
    let known: Vec<ValueId> = path.suppositions.iter().filter_map(is_of).collect();
    let is_idle = |v: ValueId, holds: bool| {
        is_number(test.merged, v).is_some_and(|(of, equal)| equal != holds && known.contains(&of))
    };
    let kept = path.suppositions.iter().filter(|(v, holds)| !is_idle(*v, *holds));
    let mut suppositions: Vec<(u32, bool)> = kept.map(|&(v, holds)| (value(v), holds)).collect();
    suppositions.sort_unstable();
    suppositions.dedup();
    let asked = asked_registers(test.unfolding, thread);
    let registers = path.registers.iter().filter(|(name, _)| asked.contains(&name.as_str()));
    let registers = registers.map(|(name, v)| (name.clone(), value(*v))).collect();
    let stop = test.unfolding.thread(thread).0[number]
        .stop
        .map(|s| format!("{:?} {:?}", s.cause, s.barrier));
    PathShape { events, suppositions, registers, stop }
}

/// Of a comparison with a number for equality: what is compared, and what it is if they are equal.
fn is_number(merged: &Merged, id: ValueId) -> Option<(ValueId, bool)> {
    let MergedValue::Binary(
        Binary::Compare(comparison) | Binary::CompareUnsigned(comparison),
        a,
        b,
    ) = merged.values[id.index()]
    else {
        return None;
    };
    let equal = match comparison {
        NumberComparison::Equal => true,
        NumberComparison::NotEqual => false,
        _ => return None,
    };
    matches!(merged.values[b.index()], MergedValue::Number(_)).then_some((a, equal))
}

/// The registers of a thread whose values are asked for.
pub(super) fn asked_registers(unfolding: &Unfolding, thread: usize) -> Vec<&str> {
    let asked = unfolding.asked();
    let all = asked.filter.iter().chain([&asked.condition]).flat_map(Proposition::variables);
    all.filter_map(|variable| match variable {
        Variable::Register { thread: of, name } if of.index() == thread => Some(name.as_str()),
        _ => None,
    })
    .collect()
}

/// The number of a value among all that were written so far.
fn write_value(
    merged: &Merged,
    id: ValueId,
    at: &FxHashMap<usize, usize>,
    named: &dyn Fn(i64) -> i64,
    known: (&mut FxHashMap<usize, u32>, &mut FxHashMap<ValueNode, u32>),
) -> u32 {
    let (computed, nodes) = known;
    if let Some(&known) = computed.get(&id.index()) {
        return known;
    }
    let node = match merged.values[id.index()] {
        MergedValue::Number(n) => ValueNode::Number(named(n)),
        MergedValue::Read(read) => ValueNode::Read(at.get(&read).copied().unwrap_or(usize::MAX)),
        MergedValue::Unary(operator, a) => {
            ValueNode::Unary(operator, write_value(merged, a, at, named, (computed, nodes)))
        }
        MergedValue::Binary(operator, a, b) => {
            let a = write_value(merged, a, at, named, (computed, nodes));
            ValueNode::Binary(operator, a, write_value(merged, b, at, named, (computed, nodes)))
        }
    };
    let next = nodes.len() as u32;
    let number = *nodes.entry(node).or_insert(next);
    computed.insert(id.index(), number);
    number
}
