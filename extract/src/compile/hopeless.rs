//! What is asked in the place of many points: a program without functions, an object of a type and
//! a scope to which nothing is done, an operation whose orders are parameters. Where that does not
//! compile, nothing of which it is a part does.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::{Mutex, OnceLock};

use margay_models::execution::{Order, Scope};

use super::split::named;
use super::{CompileFailure, Work};
use crate::front::{FunctionBody, program};
use crate::point::{Point, What};

/// What was asked once: the compiler's failure, or `None` if it compiles.
#[derive(Default)]
pub(super) struct KnownFailures {
    /// A program without functions.
    empty: OnceLock<Option<CompileFailure>>,
    matters: Mutex<BTreeMap<Matter, Option<CompileFailure>>>,
}

/// What many points have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Matter {
    /// A type and a scope.
    Object(usize, Scope),
    /// What is done, with whatever orders, a type and a scope.
    Operation(What, usize, Scope),
}

impl Matter {
    /// What functions of this kind are about; `None` if the point has no such thing.
    pub(super) fn of(point: &Point, body: FunctionBody) -> Option<Self> {
        let (data, scope) = (point.data?, point.scope?);
        let what = match point.what {
            What::Swap(_) => What::Swap(Order::Rlx),
            what => what,
        };
        match body {
            FunctionBody::Statement => None,
            FunctionBody::Object => Some(Self::Object(data, scope)),
            FunctionBody::AnyOrder => Some(Self::Operation(what, data, scope)),
        }
    }

    /// What is asked about in one program at first.
    fn program(self) -> usize {
        match self {
            Self::Object(data, _) => data,
            Self::Operation(..) => 0,
        }
    }
}

impl CompileFailure {
    /// Is it said of all programs of which this one is a part? One that writes nothing may do so
    /// because nothing is to be written.
    fn is_of_all(&self) -> bool {
        matches!(self, Self::Rejected(_) | Self::Crashed(..) | Self::TooLong(_) | Self::TooMuch(_))
    }

    /// Is it said of all points whose matter this is? Orders that are parameters make more
    /// instructions than one order does, so what is wrong with the instructions is not.
    fn is_said_of_all(&self, body: FunctionBody) -> bool {
        self.is_of_all() && (body == FunctionBody::Object || self.is_of_the_source())
    }

    /// Do the two say the same? A small program has less time.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::TooLong(_), Self::TooLong(_)) | (Self::TooMuch(_), Self::TooMuch(_)) => true,
            _ => discriminant(self) == discriminant(other) && self.to_string() == other.to_string(),
        }
    }
}

impl Work<'_> {
    /// Does the compiler say this of a program without functions, too? Then it is about the command
    /// (an architecture that it does not know, a program that is no compiler, one that waits for
    /// something), and no smaller group compiles.
    pub(super) fn is_of_the_command(&self, failure: &CompileFailure) -> bool {
        let of_nothing = self.known.empty.get_or_init(|| {
            let failed =
                self.compiled(&program(self.front, FunctionBody::Statement, &[]).text, 0).1.err();
            failed.filter(CompileFailure::is_of_all)
        });
        of_nothing.as_ref().is_some_and(|of_nothing| of_nothing.is_same(failure))
    }

    /// The points whose object, or whose operation with whatever orders, does not compile by
    /// itself, with what the compiler says of it. `together` if the compiler may say of several
    /// functions which of them it means.
    pub(super) fn hopeless(
        &self,
        group: &[(usize, Point)],
        body: FunctionBody,
        together: bool,
    ) -> Vec<(usize, CompileFailure)> {
        // One at a time: what two threads ask is asked once.
        let mut known = self.known.matters.lock().unwrap_or_else(|e| e.into_inner());
        let mut first: BTreeMap<Matter, Point> = BTreeMap::new();
        for (_, point) in group {
            if let Some(matter) = Matter::of(point, body).filter(|m| !known.contains_key(m)) {
                first.entry(matter).or_insert(*point);
            }
        }
        let mut programs: BTreeMap<_, Vec<(Matter, Point)>> = BTreeMap::new();
        for (number, (matter, point)) in first.into_iter().enumerate() {
            let place = if together { (0, matter.program()) } else { (number, 0) };
            programs.entry(place).or_default().push((matter, point));
        }
        for of in programs.into_values() {
            self.ask(of, body, &mut known);
        }
        let answer = |point: &Point| known.get(&Matter::of(point, body)?)?.clone();
        group.iter().filter_map(|(number, point)| Some((*number, answer(point)?))).collect()
    }

    /// Asks about some in one program, then about those that the compiler does not speak of again,
    /// or about each.
    fn ask(
        &self,
        asked: Vec<(Matter, Point)>,
        body: FunctionBody,
        known: &mut BTreeMap<Matter, Option<CompileFailure>>,
    ) {
        let mut groups = vec![asked];
        while let Some(mut group) = groups.pop() {
            let points: Vec<(usize, Point)> =
                group.iter().map(|(_, point)| *point).enumerate().collect();
            let program = program(self.front, body, &points);
            let (input, result) = self.compiled(&program.text, points.len());
            if result.as_ref().is_err_and(|failure| self.is_given_up(failure)) {
                return;
            }
            let failure = match (result, &group[..]) {
                (Err(failure), &[(matter, _)]) => {
                    known.insert(matter, Some(failure).filter(|f| f.is_said_of_all(body)));
                    continue;
                }
                (Err(failure), _) if failure.is_of_all() => failure,
                _ => {
                    known.extend(group.iter().map(|(matter, _)| (*matter, None)));
                    continue;
                }
            };
            let named = named(&failure, &input, &program.functions);
            for (number, error) in &named {
                let failure = CompileFailure::Rejected(error.clone());
                known.insert(group[*number].0, Some(failure).filter(|f| f.is_said_of_all(body)));
            }
            group.retain(|(matter, _)| !known.contains_key(matter));
            match named.is_empty() {
                true => groups.extend(group.into_iter().map(|one| vec![one])),
                false if group.is_empty() => {}
                false => groups.push(group),
            }
        }
    }
}
