//! Lessons that hold in every shape: beginnings of executions with threads by number and events by
//! their position in the thread.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::check::baseline::OldCandidate;
use crate::encode::atoms::Atoms;
use crate::encode::{Prefix, ReadSources};
use crate::search::{Orders, RecordedInstance};

/// Lessons about so many events are taught to later shapes from the start; longer ones are rarely
/// about the same programs.
const SHORT: usize = 5;

/// An event by thread and position in it.
type ThreadPosition = (usize, usize);

/// A racing interleaving, whatever the shape of the programs. Threads are numbered as they appear.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RaceLesson {
    order: Vec<ThreadPosition>,
}

impl RaceLesson {
    /// What a racing beginning in one shape says about others; `None` if it is too special.
    pub fn new(prefix: &Prefix, atoms: &Atoms) -> Option<Self> {
        if prefix.sources != ReadSources::Latest || prefix.order.len() > SHORT {
            return None;
        }
        let mut threads = Vec::new();
        let mut order = Vec::new();
        for &e in &prefix.order {
            let thread = atoms.thread[e];
            if !threads.contains(&thread) {
                threads.push(thread);
            }
            let number = threads.iter().position(|&t| t == thread)?;
            order.push((number, e - atoms.shape.first_event(thread)));
        }
        Some(Self { order })
    }

    /// Are all threads and positions below this number? What was read from a file may say anything.
    pub fn is_within(&self, events: usize) -> bool {
        self.order.iter().all(|&(t, i)| t < events && i < events)
    }

    /// The same beginning in another shape, once for each choice of threads that are long enough.
    pub fn in_shape(&self, atoms: &Atoms) -> Vec<Prefix> {
        let threads = self.order.iter().map(|&(t, _)| t + 1).max().unwrap_or(0);
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for t in 0..threads {
            let needed =
                self.order.iter().filter(|&&(u, _)| u == t).map(|&(_, i)| i + 1).max().unwrap_or(0);
            let fitting = |choice: &Vec<usize>, s: usize| {
                !choice.contains(&s) && atoms.shape.sizes()[s] >= needed
            };
            choices = choices
                .iter()
                .flat_map(|choice| {
                    let next = (0..atoms.shape.threads()).filter(|&s| fitting(choice, s));
                    next.map(|s| [choice.clone(), vec![s]].concat()).collect::<Vec<_>>()
                })
                .collect();
        }
        let event =
            |choice: &[usize], (t, i): ThreadPosition| atoms.shape.first_event(choice[t]) + i;
        choices
            .iter()
            .map(|choice| Prefix {
                order: self.order.iter().map(|&p| event(choice, p)).collect(),
                sources: ReadSources::Latest,
            })
            .collect()
    }
}

/// What a refuted candidate taught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taught {
    /// A modification order that explained an outcome.
    Order(margay_solver::TupleSet),
    /// Where the source chooses an order of its fences: one that explained an outcome, for all
    /// events, with modification order as it was (an empty order) or by an order of all events.
    Orders(Orders),
    /// A race of its program.
    Race(Prefix),
    /// That it is a counterexample of the baseline, too.
    Old(OldCandidate),
}

/// What was learned in one shape, in the order in which it was.
#[derive(Debug, Clone, Default)]
pub struct Learned(pub Vec<Taught>);

impl Learned {
    /// Executions whose outcome the baseline can have.
    pub fn outcomes(&self) -> impl Iterator<Item = &RecordedInstance> {
        self.0.iter().filter_map(|taught| match taught {
            Taught::Old(OldCandidate::Outcome(recorded)) => Some(recorded),
            Taught::Old(OldCandidate::Legal(_))
            | Taught::Race(_)
            | Taught::Order(_)
            | Taught::Orders(_) => None,
        })
    }

    /// Races of its programs.
    pub fn races(&self) -> impl Iterator<Item = &Prefix> {
        self.0.iter().filter_map(|taught| match taught {
            Taught::Race(prefix) => Some(prefix),
            Taught::Order(_) | Taught::Orders(_) | Taught::Old(_) => None,
        })
    }
}

/// Adds what races teach about all shapes.
pub fn collect<'a>(
    lessons: &mut BTreeSet<RaceLesson>,
    races: impl Iterator<Item = &'a Prefix>,
    atoms: &Atoms,
) {
    lessons.extend(races.filter_map(|prefix| RaceLesson::new(prefix, atoms)));
}

#[cfg(test)]
mod tests {
    use super::RaceLesson;
    use crate::encode::atoms::{Atoms, EventSlots};
    use crate::encode::shape::ThreadShape;
    use crate::encode::{Prefix, ReadSources};

    #[test]
    fn lessons_are_found_again_in_every_choice_of_threads() {
        let shapes: Vec<Atoms> =
            ThreadShape::all(5).iter().map(|s| Atoms::new(s, EventSlots::default())).collect();
        let of = |name: &str| {
            shapes.iter().find(|a| a.shape.to_string() == name).expect("a partition of 5")
        };
        let prefix =
            |order: &[usize]| Prefix { order: order.to_vec(), sources: ReadSources::Latest };
        // Two events of the second thread, then one of the first.
        let lesson = RaceLesson::new(&prefix(&[3, 4, 0]), of("3+2")).expect("it is short");
        assert_eq!(lesson.in_shape(of("3+2")), [prefix(&[0, 1, 3]), prefix(&[3, 4, 0])]);
        assert_eq!(lesson.in_shape(of("2+1+1+1")).len(), 3);
        assert_eq!(lesson.in_shape(of("5")), []);
        assert!(
            RaceLesson::new(
                &prefix(&[0, 1, 2, 3, 4, 5]),
                &Atoms::new(&ThreadShape::all(6)[0], EventSlots::default())
            )
            .is_none()
        );
    }
}
