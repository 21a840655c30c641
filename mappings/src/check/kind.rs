//! The kinds of programs that a check asks about, each with its formulas; simple ones first.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::baseline::Baseline;
use super::case::{CaseQuestion, CheckSetting};
use super::cases::CaseCosts;
use super::options::CheckOptions;
use super::program::{self, Learned, RaceLesson};
use super::questions::{self, CheckQuestions};
use super::round::DecidedShape;
use crate::encode::atoms::Atoms;
use crate::encode::shape::ThreadShape;
use crate::encode::{
    FewRaces, MappingProblem, MindsCycles, ProblemOptions, Programs, beyond_guarded,
};
use crate::language::Mapping;
use crate::level::Level;

/// A kind of programs (at execution level there is one), with what was learned of it.
pub struct ProgramKind {
    /// The formulas.
    pub problem: MappingProblem,
    pub asks: Vec<CaseQuestion>,
    /// What was learned.
    pub lessons: BTreeSet<RaceLesson>,
    /// Why a formula that was to be written was not, if there is one.
    pub unwritten: Mutex<Option<String>>,
    costs: CaseCosts,
}

impl ProgramKind {
    /// All kinds that a check is about.
    pub fn all(
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &CheckQuestions,
    ) -> Vec<ProgramKind> {
        match options.level {
            Level::Execution => vec![Self::of(mapping, options, asked, (None, None, None), true)],
            Level::Program => Self::of_programs(mapping, options, asked, false),
        }
    }

    /// The kinds of programs: first guarded ones, then the others, where they can tell. With
    /// `defined` the forbidden source execution has no undefined behaviour itself, as at execution
    /// level.
    pub fn of_programs(
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &CheckQuestions,
        defined: bool,
    ) -> Vec<ProgramKind> {
        let mut others =
            beyond_guarded(&mapping.source, &mapping.target, program::extends(&mapping.source));
        // What loads write back closes cycles of the target that the source does not have.
        if let Some(Programs::Dependent { only_cyclic }) = &mut others
            && mapping.writes_back()
        {
            *only_cyclic = false;
        }
        let free = match others {
            None => Some(MindsCycles(false)),
            Some(Programs::Dependent { only_cyclic: true }) => Some(MindsCycles(true)),
            Some(_) => None,
        };
        let free =
            free.filter(|_| options.guards.is_none() && options.techniques.every_read_guards);
        let wanted = !defined && options.techniques.few_races;
        let few_races = wanted.then(|| program::few_races(mapping, &asked.constructs)).flatten();
        let guarded = (Some(Programs::Guarded), free, few_races);
        let guarded = Self::of(mapping, options, asked, guarded, defined);
        let others = others.map(|programs| {
            Self::of(mapping, options, asked, (Some(programs), None, None), defined)
        });
        std::iter::once(guarded).chain(others).collect()
    }

    fn of(
        mapping: &Mapping,
        options: &CheckOptions,
        asked: &CheckQuestions,
        (programs, every_read_guards, few_races): (
            Option<Programs>,
            Option<MindsCycles>,
            Option<FewRaces>,
        ),
        defined: bool,
    ) -> ProgramKind {
        let mut techniques = options.techniques;
        // A scope that the mapping passes on may be a row of its own in the baseline.
        let beside = options.baseline.as_deref().map_or(&[][..], Baseline::variants);
        techniques.narrow_scopes &= beside.iter().all(MappingProblem::may_narrow_scopes);
        let problem_options = ProblemOptions {
            constructs: asked.constructs.clone(),
            typed: options.typed,
            techniques,
            programs,
            defined,
            few_races,
            guards: options.guards,
            beside: beside.to_vec(),
            every_read_guards,
        };
        let mut problem = MappingProblem::new(mapping, &problem_options, &asked.questions);
        if let Some(baseline) = &options.baseline {
            let changed = baseline.has_changed_row(&mut problem);
            problem.hard.push(changed);
        }
        let asks = questions::asks(&mut problem, asked, options);
        ProgramKind {
            problem,
            asks,
            lessons: BTreeSet::new(),
            unwritten: Mutex::default(),
            costs: CaseCosts::default(),
        }
    }

    /// What cases of this kind share.
    pub fn setting<'a>(
        &'a self,
        mapping: &'a Mapping,
        options: &'a CheckOptions,
    ) -> CheckSetting<'a> {
        CheckSetting {
            mapping,
            problem: &self.problem,
            asks: &self.asks,
            options,
            lessons: &self.lessons,
            costs: &self.costs,
            unwritten: &self.unwritten,
        }
    }

    /// Keeps what the shapes of a bound cost, and what their races teach about all shapes.
    pub fn learn_from(&mut self, decided: &[DecidedShape<'_>]) {
        for DecidedShape { shape, decisions, .. } in decided {
            decisions.iter().for_each(|d| self.costs.insert(shape, d.question, d.cost()));
            self.learn(shape, decisions.iter().map(|d| &d.learned));
        }
    }

    /// Keeps what races teach about all shapes.
    pub fn learn<'a>(&mut self, shape: &ThreadShape, learned: impl Iterator<Item = &'a Learned>) {
        let atoms = Atoms::new(shape, self.problem.vocabulary.content.slots);
        learned.for_each(|l| program::collect(&mut self.lessons, l.races(), &atoms));
    }
}
