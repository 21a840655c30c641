//! Other numbers than the count of threads for parameters that nobody gives: with it each loop over
//! elements has one full round, and each guard lets all threads pass.
//!
//! Where nothing goes wrong with the count, a launch is asked about again with one element more and
//! one less, with twice as many, and with one, for each number that decides a branch. A kernel may
//! suppose something of its numbers: what goes wrong is a finding where it says itself that they
//! may be any (a guard or a loop that compares them), and else told of.

use std::collections::BTreeSet;

use margay_ptx::effect::Effect;
use margay_ptx::{Operand, Parameter, RegisterId};
use rustc_hash::FxHashSet;

use crate::answer::{
    Finding, FindingKind, KernelAnswer, LaunchAnswer, LaunchVerdict, NumbersAnswer, Spot,
};
use crate::contents::{ALL_OF_THEM, ExecutedLaunch, launches_for_variants, of_launch};
use crate::effort::{Effort, Engines};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::launch::{Argument, GivenArgument, Launch};
use crate::mark::MarkKind;
use crate::parameter::made_of;
use crate::passing::arguments;
use crate::proofs::{LackOfProof, LaunchProofs};
use crate::question::KernelQuestion;
use crate::reached::reached;
use crate::residue::Origin;
use crate::small_numbers::{SmallNumbers, accesses, name, open_numbers};
use crate::thread::PreparedModule;

/// For how many numbers of a kernel others are tried.
const PARAMETERS: usize = 6;

/// A number that was chosen, and that decides a branch.
struct OpenNumber {
    parameter: usize,
    field: Option<u64>,
    chosen: i64,
    /// The registers, each with its function, that hold what is made of it.
    made: FxHashSet<(usize, RegisterId)>,
}

impl OpenNumber {
    /// One more and one less than was chosen, twice as many, and one.
    fn others(&self) -> Vec<i64> {
        let all = [self.chosen + 1, self.chosen - 1, 2 * self.chosen, 1];
        let mut seen = BTreeSet::from([self.chosen, 0, -1]);
        all.into_iter().filter(|number| seen.insert(*number)).collect()
    }

    fn given(&self, number: i64) -> GivenArgument {
        GivenArgument {
            parameter: self.parameter,
            field: self.field,
            argument: Argument::Chosen(number),
        }
    }
}

/// Asks about races, barriers, arrays and memory that is read before it is written, with other
/// numbers. What goes wrong becomes the last launch of the answer, and its arguments are returned.
pub(crate) fn other_numbers(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launches: &[Launch],
    answer: &mut KernelAnswer,
    engines: &Engines,
) -> Result<Option<Vec<GivenArgument>>, String> {
    // Where no thread comes to memory at all, small numbers are looked for first.
    let accesses = accesses(prepared, question.kernel);
    if !accesses.is_empty() && accesses.is_disjoint(&engines.visited.borrow()) {
        return Ok(None);
    }
    let mut tried =
        NumbersAnswer { numbers: BTreeSet::new(), launches: Vec::new(), tried: 0, settled: 0 };
    let mut told = BTreeSet::new();
    for launch in launches_for_variants(question, launches, answer) {
        let numbers = deciding_numbers(question, prepared, launch)?;
        if numbers.is_empty() {
            continue;
        }
        let Some(base) = of_launch(question, prepared, launch)? else { continue };
        tried.launches.push(launch);
        let mut proofs = LaunchProofs::default();
        for of in numbers {
            for number in of.others() {
                if question.is_over() {
                    return Ok(None);
                }
                let given: Vec<GivenArgument> =
                    question.arguments.iter().cloned().chain([of.given(number)]).collect();
                let asked = KernelQuestion { arguments: &given, ..question.clone() };
                let Some(with) = of_launch(&asked, prepared, launch)? else { continue };
                engines.visited.borrow_mut().extend(with.executed.visited.keys().copied());
                tried.numbers.insert(format!("{} = {number}", name(of.parameter, of.field)));
                tried.tried += 1;
                let beside = GivenArgument::beside(&given[question.arguments.len()..]);
                if with.does_the_same(&base) {
                    tried.settled += 1;
                    if question.proofs.is_some() {
                        proofs.lacks(ALL_OF_THEM, &beside, LackOfProof::Alike);
                    }
                    continue;
                }
                let mut found = ask(&asked, prepared, &with, (launch, engines))?;
                if found.not_looked.iter().any(|not| not.guessed) || question.is_over() {
                    continue;
                }
                tried.settled += usize::from(found.asked != LaunchVerdict::Undecided);
                let is_any = |finding: &Finding| {
                    is_of_any_number(question, prepared, finding, (&of, number))
                };
                let supposed = found
                    .findings
                    .iter()
                    .find(|finding| !is_any(finding))
                    .map(|finding| finding.kind);
                found.findings.retain(is_any);
                if !found.findings.is_empty() {
                    answer.launches.retain(|a| a.launch != launch);
                    answer.launches.push(found);
                    return Ok(Some(given));
                }
                if found.asked == LaunchVerdict::Nothing {
                    proofs.add_with(std::mem::take(&mut found.proofs), &beside);
                }
                told.extend(supposed.map(|kind| {
                    SmallNumbers::not_taken(&given[question.arguments.len()..], Some(launch), kind)
                }));
            }
        }
        if let Some(of) = answer.launches.iter_mut().find(|a| a.launch == launch) {
            of.proofs.add(proofs);
        }
    }
    answer.arguments.extend(told);
    if tried.tried > 0 {
        answer.numbers = Some(tried);
    }
    Ok(None)
}

/// Is it a mistake, whatever the kernel supposes of a number? It is none that it may not be larger
/// than the arrays that a block shares, or that rows of so many elements do not overlap.
fn is_of_any_number(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    finding: &Finding,
    (of, number): (&OpenNumber, i64),
) -> bool {
    let lines: BTreeSet<usize> = finding.stands.iter().map(|stands| stands.spot.line).collect();
    let is_placed_by_it = || {
        reached(prepared, question.kernel).into_iter().any(|function| {
            prepared.effects[function].iter().enumerate().any(|(instruction, effect)| {
                let base = match effect {
                    Effect::Load { base, .. }
                    | Effect::Store { base, .. }
                    | Effect::Modify { base, .. }
                    | Effect::Matrix { base, .. } => base,
                    _ => return false,
                };
                let is_made = matches!(base, Operand::Register(register) if of.made.contains(&(function, *register)));
                let spot = || Spot::new(question.module, question.text, Origin { function, instruction });
                is_made && lines.contains(&spot().line)
            })
        })
    };
    match finding.kind {
        FindingKind::Barriers => true,
        FindingKind::Race => !is_placed_by_it(),
        FindingKind::Undefined | FindingKind::Outside => number < of.chosen && !is_placed_by_it(),
        _ => false,
    }
}

fn ask(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    of: &ExecutedLaunch,
    (launch, engines): (Launch, &Engines),
) -> Result<LaunchAnswer, String> {
    let (layout, executed, deadline, effort) =
        (&of.layout, &of.executed, question.deadline, Effort::CONTENTS);
    let inquiry = Inquiry { question, prepared, layout, launch, deadline, effort, engines };
    let mut found = LaunchFindings::default();
    for omission in &executed.omissions {
        found.undecided = true;
        found.not_looked.push(inquiry.not_looked(omission));
    }
    inquiry.barriers(executed, &mut found);
    inquiry.race(executed, &mut found)?;
    inquiry.stops(executed, MarkKind::Outside, Some(FindingKind::Outside), &mut found)?;
    inquiry.stops(executed, MarkKind::Cut, None, &mut found)?;
    inquiry.undefined(executed, &mut found)?;
    Ok(inquiry.settled(found, Some(executed)))
}

/// The numbers that were chosen, and that a comparison of the kernel depends on.
fn deciding_numbers(
    question: &KernelQuestion<'_>,
    prepared: &PreparedModule<'_>,
    launch: Launch,
) -> Result<Vec<OpenNumber>, String> {
    let function = &question.module.functions[question.kernel];
    let (passed, _) = arguments(question, prepared, function, launch)?;
    let is_given = |parameter: usize, field: Option<u64>| {
        question.arguments.iter().any(|g| (g.parameter, g.field) == (parameter, field))
    };
    let all = open_numbers(&passed)
        .into_iter()
        .filter(|&(parameter, field, _)| !is_given(parameter, field));
    let of = |(parameter, field, chosen): (usize, Option<u64>, i64)| {
        let Parameter::Memory(id) = function.parameters[parameter] else { return None };
        let made =
            made_of(prepared, &|operand| matches!(operand, Operand::Variable(of, _) if *of == id));
        let decides = reached(prepared, question.kernel).into_iter().any(|function| {
            prepared.effects[function].iter().any(|effect| {
                let Effect::SetPredicate { operands, .. } = effect else { return false };
                operands.iter().any(|o| matches!(o, Operand::Register(register) if made.contains(&(function, *register))))
            })
        });
        decides.then_some(OpenNumber { parameter, field, chosen, made })
    };
    Ok(all.filter_map(of).take(PARAMETERS).collect())
}
