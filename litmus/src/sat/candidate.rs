//! What is searched for of an execution, as the solver finds it and as a certificate keeps it.

use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::Kind;
use margay_models::signature::ChosenRelations;
use margay_solver::{Atom, Instance, Relation};
use serde::{Deserialize, Serialize};

use super::problem::{Problem, first_number};
use crate::unfold::Unfolding;
use crate::verdict::Error;

/// A candidate execution: all that the program leaves open. Events are numbered as in the
/// execution: thread by thread along the path taken, then the initial writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidateExecution {
    /// For each thread the number of the path that it takes.
    pub paths: Vec<usize>,
    /// What reads return: event and value.
    pub values: Vec<(usize, i64)>,
    /// Reads-from.
    pub rf: Vec<(usize, usize)>,
    /// Coherence order.
    pub co: Vec<(usize, usize)>,
    /// The order of sequentially consistent fences, where a model speaks of one.
    pub sync_fence: Vec<(usize, usize)>,
}

impl CandidateExecution {
    /// What an instance describes.
    pub(super) fn of(
        problem: &Problem<'_>,
        unfolding: &Unfolding,
        instance: &Instance,
    ) -> Result<Self, Error> {
        let facts = problem.facts;
        let vocabulary = &problem.translation.vocabulary;
        let mut paths = Vec::with_capacity(problem.walks.len());
        for thread in 0..problem.walks.len() {
            let taken = problem.path_taken(thread, unfolding);
            paths.push(
                taken.ok_or_else(|| Error::Unconfirmed("a thread takes no path".to_owned()))?,
            );
        }
        // Merged events of the chosen paths, in the order of the skeleton's events.
        let inits = (0..facts.merged.events.len())
            .filter(|&e| facts.merged.events[e].data.kind == Kind::Init);
        let events: Vec<usize> = paths
            .iter()
            .zip(&facts.merged.paths)
            .flat_map(|(&p, paths)| paths[p].events.iter().copied())
            .chain(inits)
            .collect();
        if events.len() != unfolding.skeleton_of(&paths)?.execution.size() {
            return Err(Error::Unconfirmed("the events are not those of the paths".to_owned()));
        }
        let at = |atom: Atom| events.iter().position(|&e| e == atom.0 as usize);
        let pairs_of = |relation: Relation| -> Vec<(usize, usize)> {
            let tuples = instance.tuples(relation);
            let mut pairs: Vec<_> = tuples
                .into_iter()
                .flat_map(|t| t.iter())
                .filter_map(|pair| at(pair[0]).zip(at(pair[1])))
                .collect();
            pairs.sort_unstable();
            pairs
        };
        let first = first_number(facts);
        let returned = |e: usize| {
            let tuples = instance.tuples(vocabulary.returns)?;
            let of_read = tuples.iter().find(|t| t[0].0 as usize == events[e])?;
            problem.numbers.get((of_read[1].0 - first) as usize).map(|&value| (e, value))
        };
        let ChosenRelations { rf, co, sync_fence } = vocabulary.searched;
        let [rf, co, sync_fence] = [rf, co, sync_fence].map(pairs_of);
        Ok(Self {
            values: (0..events.len()).filter_map(returned).collect(),
            rf,
            co,
            sync_fence,
            paths,
        })
    }

    /// Does it speak of paths and events that are there?
    pub(super) fn fits(&self, unfolding: &Unfolding) -> bool {
        let threads = unfolding.threads().len();
        self.paths.len() == threads
            && (0..threads).all(|t| self.paths[t] < unfolding.thread(t).0.len())
    }

    pub(super) fn returned(&self, read: Event) -> Option<i64> {
        self.values.iter().find(|(e, _)| *e == read.index()).map(|&(_, value)| value)
    }
}

/// The pairs as a relation over `n` events; `None` if they speak of others.
pub(super) fn matrix(pairs: &[(usize, usize)], n: usize) -> Option<BitMatrix> {
    let event = |e: usize| (e < n).then(|| Event::from(e));
    let pairs = pairs.iter().map(|&(a, b)| event(a).zip(event(b))).collect::<Option<Vec<_>>>()?;
    Some(BitMatrix::from_pairs(n, pairs))
}
