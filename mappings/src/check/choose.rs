//! The choice among the counterexamples of one size.

use margay_models::{Model, explain};

use super::case::{self, CaseAnswer, CaseDecision, CheckSetting, Preferred, Wanted};
use super::cases::{CaseSearch, Decider};
use super::kind::ProgramKind;
use super::program::{self, Learned};
use super::questions::CheckQuestions;
use super::round::{self, DecidedShape};
use super::{
    CheckOptions, CheckReport, CheckVerdict, CoReading, Counterexample, Level, Listed, Progress,
    SearchFault, WitnessPair,
};
use super::{canonical, witness};
use crate::encode::AxiomId;
use crate::encode::shape::ThreadShape;
use crate::language::Mapping;
use crate::pool::SearchThreads;
use crate::search::Done;
use crate::status::{Examiner, ProgramStanding, Status};

/// As many instances of a shape are listed, at least: many of them can be the same counterexample,
/// so fewer would not even make a short list complete. Making a list of 1,000 takes a few seconds.
const LISTED: usize = 1000;

/// Chooses the counterexamples of one question: of all smallest ones, if they were asked for, each
/// once up to isomorphism; else one. Among single executions one whose program is a compiler bug
/// comes first; where there is none of that size, one of the fewest threads.
///
/// # Errors
/// The engines disagree about a candidate, or the solver failed.
pub fn choose(
    report: &mut CheckReport,
    (setting, decider): (&CheckSetting<'_>, &dyn Decider),
    (asked, shapes): (&CheckQuestions, &[ThreadShape]),
    (question, decided): (usize, &[DecidedShape<'_>]),
    (pool, progress): (&SearchThreads, &dyn Progress),
) -> Result<(), SearchFault> {
    let ask = &setting.asks[question];
    let is_execution = setting.options.level == Level::Execution;
    let mut chosen = Vec::new();
    if let Some(limit) = setting.options.all {
        (chosen, report.truncated) = every(setting, question, decided, (limit, report.truncated))?;
    } else {
        if is_execution {
            let asked = CheckQuestions {
                questions: ask.questions.clone(),
                constructs: asked.constructs.clone(),
            };
            chosen.extend(of_a_program(setting, &asked, shapes, (pool, progress))?);
        }
        if chosen.is_empty() {
            chosen.extend(preferred((setting, decider), question, decided, pool)?);
        }
        let events = shapes.first().map_or(0, ThreadShape::events);
        if chosen.is_empty() {
            report.axioms[question].verdict = CheckVerdict::Undecided(format!(
                "a counterexample with {events} events was found, but a limit was reached before it was chosen and confirmed"
            ));
            return Ok(());
        }
        if let Some(after) = setting.options.next {
            let (all, more) = every(setting, question, decided, (LISTED, false))?;
            let others = canonical::others(&chosen[0], all);
            let axiom = report.axioms[question].axiom.clone();
            report.listed.push(Listed { axiom, events, of: 1 + others.len(), more });
            chosen = chosen.into_iter().chain(others).skip(after).take(1).collect();
        }
    }
    if chosen.is_empty() && setting.options.next.is_none() {
        return Err(unreadable());
    }
    let source = taken_in(setting, &ask.questions);
    let mut examiner = is_execution.then(|| Examiner::new(&source, setting.options.deadline));
    let mut found = Vec::new();
    for mut witness in chosen {
        let standing = match &mut examiner {
            Some(examiner) => examiner.witness(setting.mapping, &ask.questions, &mut witness),
            None => ProgramStanding { status: Status::Program, race: None },
        };
        found.push(counterexample(setting, &ask.questions, witness, standing)?);
    }
    found.sort_by_key(|c| c.status);
    report.counterexamples.extend(found);
    Ok(())
}

fn unreadable() -> SearchFault {
    SearchFault::Disagreement("an instance could not be read back".to_owned())
}

/// The shapes that have a counterexample, each with what was learned there.
fn found<'a>(
    question: usize,
    decided: &'a [DecidedShape<'a>],
) -> Vec<(&'a DecidedShape<'a>, &'a Learned)> {
    let is_found = |d: &&CaseDecision| d.question == question && d.answer == CaseAnswer::Found;
    decided
        .iter()
        .filter_map(|of| Some((of, &of.decisions.iter().find(is_found)?.learned)))
        .collect()
}

/// Every counterexample, at most so many; the flag says whether there are, or were before, more.
fn every(
    setting: &CheckSetting<'_>,
    question: usize,
    decided: &[DecidedShape<'_>],
    (limit, mut more): (usize, bool),
) -> Result<(Vec<WitnessPair>, bool), SearchFault> {
    let mut all = Vec::new();
    for (of, _) in &found(question, decided) {
        let (instances, atoms, has_more) =
            case::every(setting, of.shape, question, limit.max(LISTED))?;
        more |= has_more;
        for instance in instances {
            all.extend(witness(setting.mapping, &setting.problem.vocabulary, &atoms, &instance));
        }
    }
    let mut all = canonical::distinct(all);
    more |= all.len() > limit;
    all.truncate(limit);
    Ok((all, more))
}

/// The preferred counterexample among the shapes of the fewest threads; `None` if a limit was
/// reached.
fn preferred(
    (setting, decider): (&CheckSetting<'_>, &dyn Decider),
    question: usize,
    decided: &[DecidedShape<'_>],
    pool: &SearchThreads,
) -> Result<Option<WitnessPair>, SearchFault> {
    let found = found(question, decided);
    let Some(fewest) = found.iter().map(|(of, _)| of.shape.threads()).min() else {
        return Ok(None);
    };
    let candidates: Vec<&(&DecidedShape<'_>, &Learned)> =
        found.iter().filter(|(of, _)| of.shape.threads() == fewest).collect();
    let of_each: Vec<Option<Preferred>>;
    let known: Vec<Option<&Preferred>> = if setting.options.level == Level::Program {
        decided
            .iter()
            .filter(|of| of.shape.threads() == fewest)
            .map(|of| of.preferred.as_ref())
            .collect()
    } else {
        let each = pool.each(candidates.len(), |i| {
            let (of, learned) = candidates[i];
            decider.preferred(setting, &Wanted { shape: of.shape, question, learned, most: None })
        });
        of_each = each.into_iter().collect::<Result<_, _>>()?;
        of_each.iter().map(Option::as_ref).collect()
    };
    let Some(best) = known.into_iter().flatten().reduce(|a, b| if b.cost < a.cost { b } else { a })
    else {
        return Ok(None);
    };
    witness(setting.mapping, &setting.problem.vocabulary, &best.atoms, &best.instance)
        .map(Some)
        .ok_or_else(unreadable)
}

/// A counterexample among single executions whose program is a compiler bug, if there is one of
/// this size: the question about programs, of this bound alone. `None` also if a limit was reached.
fn of_a_program(
    setting: &CheckSetting<'_>,
    asked: &CheckQuestions,
    shapes: &[ThreadShape],
    (pool, progress): (&SearchThreads, &dyn Progress),
) -> Result<Option<WitnessPair>, SearchFault> {
    let options = CheckOptions {
        level: Level::Program,
        co: CoReading::Exists,
        keep_going: false,
        certify: None,
        dump_cnf: None,
        checkpoint: None,
        engine: None,
        ..setting.options.clone()
    };
    let mapping =
        &Mapping { source: taken_in(setting, &asked.questions), ..setting.mapping.clone() };
    for kind in ProgramKind::of_programs(mapping, &options, asked, true) {
        let setting = kind.setting(mapping, &options);
        let decided =
            round::decide(&setting, &CaseSearch, (shapes, &[0]), (pool, &Done::new(progress)))?;
        if let Some(found) = preferred((&setting, &CaseSearch), 0, &decided, pool)? {
            return Ok(Some(found));
        }
        if decided.iter().flat_map(|of| &of.decisions).any(|d| d.answer == CaseAnswer::Unknown) {
            break;
        }
    }
    Ok(None)
}

/// The source model with the optional axioms that are asked about: what it allows only without them
/// explains nothing.
fn taken_in(setting: &CheckSetting<'_>, questions: &[AxiomId]) -> Model {
    let taken: Vec<usize> = questions.iter().map(|q| q.0).collect();
    setting.mapping.source.choosing(&taken, &[])
}

/// The counterexample, once the judge has confirmed it.
fn counterexample(
    setting: &CheckSetting<'_>,
    questions: &[AxiomId],
    witness: WitnessPair,
    standing: ProgramStanding,
) -> Result<Counterexample, SearchFault> {
    let violated = witness.confirm(setting.mapping, questions, setting.options.level)?;
    let source = &setting.mapping.source;
    Ok(Counterexample {
        axiom: source.checks[violated.0].display_name(),
        events: witness.source.events.iter().filter(|e| e.thread.is_some()).count(),
        status: standing.status,
        race: standing.race,
        violation: explain::violation(source, &witness.source, violated.0),
        guards: program::guards(&witness.source),
        computed: program::computed(&witness.source),
        source: witness.source,
        target: witness.target,
        origin: witness.origin,
        finals: witness.finals,
        target_finals: witness.target_finals,
    })
}
