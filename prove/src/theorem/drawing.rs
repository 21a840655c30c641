//! A few events that make an obligation fail, as an execution to draw. They are not all of an
//! execution: what reads read may be missing, and locations and placements are told apart only as
//! far as the obligation does.

use margay_models::bits::Event;
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement};
use margay_models::picture::{Picture, PictureEdge, PictureSubject, event_name};
use margay_models::signature::{BaseRelation, Signature};

use margay_theorem::ground::Structure;
use margay_theorem::logic::{Meaning, Pred};
use margay_theorem::theorem::Setting;
use margay_theorem::theory::Theory;

/// Events and relations between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The events, thread by thread.
    pub execution: Execution,
    /// What is drawn of them.
    pub picture: Picture,
}

/// Base sets by which an event is called that no row makes. That an access is generic goes without
/// saying.
const SETS: [&str; 27] = [
    "IW",
    "R",
    "W",
    "F",
    "B",
    "NA",
    "WEAK",
    "RLX",
    "ACQ",
    "REL",
    "ACQ_REL",
    "SC",
    "CTA",
    "CLUSTER",
    "GPU",
    "SYS",
    "ALIAS",
    "SUR",
    "TEX",
    "CON",
    "ASYNC",
    "TENSORMAP",
    "MBARRIER",
    "SHARED",
    "GLOBAL",
    "RED",
    "XCHG",
];

impl Drawing {
    pub fn of(setting: &Setting, theory: &Theory, structure: &Structure) -> Self {
        let reader = DrawingReader { theory, structure };
        let (events, threads) = reader.threads();
        let locations = reader.locations(&events);
        let members = locations.iter().map(|of| of.1).max().map_or(0, |l| l + 1);
        let data = |&e: &usize| {
            let thread =
                threads.iter().position(|t| t.contains(&e)).and_then(|t| u16::try_from(t).ok());
            let kind = match (thread, reader.is(e, "R"), reader.is(e, "W")) {
                (None, ..) => Kind::Init,
                (_, true, _) => Kind::Read,
                (_, _, true) => Kind::Write,
                _ => Kind::Fence,
            };
            let location = locations
                .iter()
                .find(|l| l.0 == e && kind != Kind::Fence)
                .and_then(|l| u16::try_from(l.1).ok());
            EventData { location, ..EventData::new(kind, thread, Order::Plain) }
        };
        let placement = |_: &Vec<usize>| Placement::default();
        let location = |l: usize| Location {
            name: ["x", "y", "z", "u", "v", "w"]
                .get(l)
                .map_or_else(|| format!("x{l}"), |n| (*n).to_owned()),
            physical: l as u16,
            atomic: true,
        };
        let execution = Execution::new(
            Signature::PLAIN,
            events.iter().map(data).collect(),
            threads.iter().map(placement).collect(),
            (0..members).map(location).collect(),
        );
        let label = |(number, &e): (usize, &usize)| {
            let name = event_name(&execution, Event::from(number));
            let location = execution.events[number]
                .location
                .and_then(|l| execution.locations.get(usize::from(l)));
            let location = location.map_or(String::new(), |l| format!(" {}", l.name));
            format!("{name}: {}{location}", reader.what(setting, e))
        };
        let labels = events.iter().enumerate().map(label).collect();
        let edges = reader.edges(&events, &execution);
        let picture = Picture {
            title: String::new(),
            subtitle: String::new(),
            edges,
            shown: PictureSubject::Execution,
            events: labels,
        };
        Self { execution, picture }
    }
}

struct DrawingReader<'a> {
    theory: &'a Theory,
    structure: &'a Structure,
}

impl DrawingReader<'_> {
    fn named(&self, name: &str) -> Option<Pred> {
        self.theory.symbols.named(name).filter(|p| self.structure.has(*p))
    }

    fn is(&self, e: usize, set: &str) -> bool {
        self.named(set).is_some_and(|p| self.structure.row(p, e) >> e & 1 == 1)
    }

    fn related(&self, a: usize, b: usize, relation: Option<Pred>) -> bool {
        relation
            .filter(|p| self.structure.has(*p))
            .is_some_and(|p| self.structure.row(p, a) >> b & 1 == 1)
    }

    /// One of each set of equal events.
    fn distinct(&self) -> Vec<usize> {
        let first = |e: usize| (0..e).all(|d| self.structure.row(Pred::EQUAL, e) >> d & 1 == 0);
        (0..self.structure.events()).filter(|&e| first(e)).collect()
    }

    /// The events, thread by thread in program order and initial writes last, and the threads.
    fn threads(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let all = self.distinct();
        let (initial, rest): (Vec<usize>, Vec<usize>) =
            all.into_iter().partition(|&e| self.is(e, "IW"));
        let (int, po) = (self.theory.symbols.int(), self.theory.symbols.po());
        let mut threads: Vec<Vec<usize>> = Vec::new();
        for e in rest {
            let same = |t: &&mut Vec<usize>| {
                t.iter().any(|&d| {
                    [int, po].iter().any(|&r| self.related(d, e, r) || self.related(e, d, r))
                })
            };
            match threads.iter_mut().find(same) {
                Some(thread) => {
                    let at =
                        thread.iter().position(|&d| self.related(e, d, po)).unwrap_or(thread.len());
                    thread.insert(at, e);
                }
                None => threads.push(vec![e]),
            }
        }
        threads.truncate(usize::from(u8::MAX));
        (threads.iter().flatten().chain(&initial).copied().collect(), threads)
    }

    /// The location of each access, by number.
    fn locations(&self, events: &[usize]) -> Vec<(usize, usize)> {
        let loc = self.theory.symbols.loc();
        let mut found: Vec<(usize, usize)> = Vec::new();
        for &e in events.iter().filter(|&&e| self.is(e, "R") || self.is(e, "W")) {
            let known = found
                .iter()
                .find(|d| self.related(d.0, e, loc) || self.related(e, d.0, loc))
                .map(|d| d.1);
            let next = found.iter().map(|d| d.1 + 1).max().unwrap_or(0);
            found.push((e, known.unwrap_or(next)));
        }
        found
    }

    /// What an event is: its role, or its kind, order and scope.
    fn what(&self, setting: &Setting, e: usize) -> String {
        let has = |p: &Pred| self.structure.has(*p) && self.structure.row(*p, e) >> e & 1 == 1;
        if let Some(role) = setting.roles.iter().copied().find(has) {
            return self.theory.symbols.name(role).to_owned();
        }
        let kinds: Vec<&str> = SETS.into_iter().filter(|s| self.is(e, s)).collect();
        if kinds.is_empty() { "event".to_owned() } else { kinds.join(".") }
    }

    /// Program order between neighbours, base relations, and the closures of both models.
    fn edges(&self, events: &[usize], execution: &Execution) -> Vec<PictureEdge> {
        // Of program order the steps are drawn, and the others as they are.
        let [program_order, others @ ..] = &BaseRelation::DRAWN;
        let mut found = Vec::new();
        let mut add = |a: usize, b: usize, relation: Option<BaseRelation>, label: &str| {
            found.push(PictureEdge {
                from: Event::from(a),
                to: Event::from(b),
                relation,
                label: label.to_owned(),
                emphasis: false,
                missing: false,
            });
        };
        let pairs = || {
            (0..events.len())
                .flat_map(|a| (0..events.len()).map(move |b| (a, b)))
                .filter(|(a, b)| a != b)
        };
        for (a, b) in pairs()
            .filter(|&(a, b)| b == a + 1 && execution.po.contains(Event::from(a), Event::from(b)))
        {
            add(a, b, Some(*program_order), program_order.name());
        }
        for &relation in others {
            let symbol = self.theory.symbols.named(relation.name());
            for (a, b) in pairs().filter(|&(a, b)| self.related(events[a], events[b], symbol)) {
                add(a, b, Some(relation), relation.name());
            }
        }
        for (pred, symbol) in self.theory.symbols.iter() {
            if symbol.arity == 2
                && self.structure.has(pred)
                && matches!(symbol.meaning, Meaning::Closure(_) | Meaning::Fixpoint(..))
            {
                for (a, b) in pairs()
                    .filter(|&(a, b)| self.structure.row(pred, events[a]) >> events[b] & 1 == 1)
                {
                    add(a, b, None, &symbol.name);
                }
            }
        }
        found
    }
}
