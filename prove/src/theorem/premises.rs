//! Can what is supposed be true together? For each role that rows make, and for the usual shapes of
//! programs, a whole execution in which all of it is. What no such execution has, a theorem says
//! nothing of.

use margay_theorem::theorem::{Inhabitant, Setting, shapes};
use margay_theorem::theory::Theory;
use rayon::prelude::*;

use super::inhabitant::{Absent, find_inhabitant};
use crate::ground::GroundEffort;

/// What executions that satisfy all that is supposed have.
#[derive(Debug, Clone, Default)]
pub struct Premises {
    /// An execution of each shape that there is.
    pub inhabitants: Vec<Inhabitant>,
    /// The shapes that none has, or that were not found.
    pub absent: Vec<(String, Absent)>,
    /// Why nothing is proved: a shape that is needed and that no execution has, or was seen to
    /// have.
    pub empty: Option<String>,
    /// Was the search for executions ended from outside before one of each shape that is needed was
    /// found?
    pub interrupted: bool,
}

impl Premises {
    /// Looks for an execution of each shape.
    pub fn of(setting: &Setting<'_>, theory: &Theory, effort: &mut GroundEffort) -> Self {
        let shapes = shapes(setting);
        let found: Vec<_> = shapes
            .par_iter()
            .map(|shape| {
                let mut effort = GroundEffort::default();
                let shows = |found: &Inhabitant| found.check(theory, &shape.form).is_ok();
                (
                    find_inhabitant(
                        theory,
                        &shape.name,
                        (&shape.form, shape.events),
                        shows,
                        &mut effort,
                    ),
                    effort,
                )
            })
            .collect();
        let mut new = Self::default();
        for (shape, (found, own)) in shapes.into_iter().zip(found) {
            effort.add(own);
            match found {
                Ok(inhabitant) => new.inhabitants.push(inhabitant),
                Err(absent) => {
                    if shape.needed && absent == Absent::Unseen && theory.stop.is_raised() {
                        new.interrupted = true;
                    } else if shape.needed && new.empty.is_none() {
                        new.empty = Some(words(&shape.name, absent));
                    }
                    new.absent.push((shape.name, absent));
                }
            }
        }
        new
    }

    /// The shapes that executions were found of.
    pub fn shown(&self) -> Vec<&str> {
        self.inhabitants.iter().map(|i| i.shows.as_str()).collect()
    }

    /// The shapes that no execution has that satisfies all that is supposed.
    pub fn refuted(&self) -> Vec<&str> {
        self.absent
            .iter()
            .filter(|(_, why)| *why == Absent::Refuted)
            .map(|(name, _)| name.as_str())
            .collect()
    }
}

/// What is said where an execution is needed that is not there.
fn words(shape: &str, absent: Absent) -> String {
    // The second symbol of a name has a number behind, which says nothing to people.
    let shape =
        shape.split_once('#').map_or_else(|| shape.to_owned(), |(name, _)| format!("{name}`"));
    match absent {
        Absent::Refuted => format!("no execution satisfies the premises and has {shape}"),
        Absent::Unseen => {
            format!("no execution was found that satisfies the premises and has {shape}")
        }
    }
}
