//! From options to questions: which axioms, which constructs, which bound.

use margay_models::Check;
use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::signature::{BaseSet, Construct, Signature};

use super::case::CaseQuestion;
use super::options::{CheckOptions, MAX_BOUND};
use crate::certificate;
use crate::encode::{AxiomId, MappingProblem, Techniques, chosen_fences};
use crate::language::Mapping;
use crate::language::selection::MappingQuestion;
use crate::level::{CoReading, Level};

/// What is asked.
pub struct CheckQuestions {
    /// Axioms of the source model.
    pub questions: Vec<AxiomId>,
    /// Constructs that programs are made of.
    pub constructs: Vec<Construct>,
}

/// The largest bound where an execution of the source chooses an order of its fences: the judge
/// goes through all of them, and there are 130,023 of six fences, 431,723,379 of eight.
const MAX_BOUND_OF_CHOSEN_FENCES: usize = 8;

/// Where an execution of the source chooses an order of its fences, it is forbidden if no order
/// satisfies all axioms, whichever each of them violates: the axioms are one question.
fn of_all_axioms(mapping: &Mapping, constructs: &[Construct]) -> Option<Diagnostic> {
    let source = &mapping.source;
    let fences: Vec<String> =
        chosen_fences(source, constructs).iter().map(|c| c.name(source.signature)).collect();
    let without = fences.join(",");
    (!fences.is_empty()).then(|| {
        let order = Signature::order_of_fences();
        Diagnostic::error(format!(
            "the axioms of `{}` are taken together: an execution chooses the order `{order}` of {without}",
            source.name
        ))
        .help(format!("leave out `--axiom`, or the fences: `--without {without}`"))
    })
}

/// Resolves the names in the options.
pub fn resolve(
    mapping: &Mapping,
    options: &CheckOptions,
) -> Result<CheckQuestions, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if options.bound == 0 {
        errors.push(
            Diagnostic::error("a bound of 0 events checks nothing")
                .help("give a bound of at least 1"),
        );
    }
    if options.level == Level::Program {
        errors.extend(program_level(mapping, options));
    }
    if options.engine.is_some() && options.backend.is_program() {
        errors.push(
            Diagnostic::error(format!("cases for other machines cannot be solved by `{}`", options.backend))
                .help("a case file names its solver, and no command is started that a file names: use a built-in solver"),
        );
    }
    if options.certify.is_some() {
        errors.extend(uncertified(options));
    }
    let question = mapping.question(&options.axioms, &options.only, &options.without);
    let MappingQuestion { axioms, constructs } = question.unwrap_or_else(|more| {
        errors.extend(more);
        MappingQuestion { axioms: Vec::new(), constructs: Vec::new() }
    });
    if !options.axioms.is_empty() && options.level == Level::Execution {
        errors.extend(of_all_axioms(mapping, &constructs));
    }
    if errors.is_empty() {
        Ok(CheckQuestions { questions: axioms.into_iter().map(AxiomId).collect(), constructs })
    } else {
        Err(errors)
    }
}

/// Why these options give no certificate, if they do not.
fn uncertified(options: &CheckOptions) -> Option<Diagnostic> {
    let partly = || Diagnostic::error("a certificate is of all techniques together");
    certificate::without_proofs(&options.backend)
        .or_else(|| (options.techniques != Techniques::default()).then(partly))
}

/// Why it cannot be asked which single executions are new, if it cannot: those of the baseline must
/// be told by the source's execution alone.
fn beside(problem: &MappingProblem, options: &CheckOptions) -> Option<Diagnostic> {
    let baseline = options.baseline.as_deref().filter(|_| options.level == Level::Execution)?;
    let name = &baseline.baseline.file.name;
    let why = if let Some(row) = baseline.with_alternatives() {
        format!("for `{row}` `{name}` may emit one of several, and each use another")
    } else if !baseline.is_searchable(&problem.vocabulary) {
        "a row reads what nobody uses, or writes back what it read: the source says nothing of such accesses".to_owned()
    } else {
        return None;
    };
    let error = Diagnostic::error(format!(
        "it cannot be said which single executions are new beside `{name}`: {why}"
    ));
    Some(error.help("leave out `--level execution`: what is new among programs is asked of outcomes, which both mappings have"))
}

/// What the question about programs cannot do without, and what has no meaning for it.
fn program_level(mapping: &Mapping, options: &CheckOptions) -> Vec<Diagnostic> {
    let source = &mapping.source;
    let mut errors = Vec::new();
    // Where no access is non-atomic there is no undefined behaviour, and every program counts.
    if BaseSet::Na.is_in(source.signature)
        && !source.checks.iter().any(Check::is_undefined_behaviour)
    {
        let end = source.source.text.trim_end().len();
        let error = Diagnostic::error(format!("the source model `{}` does not say what a data race is", source.name))
            .at(&source.source, Span { start: end, end }, "expected a definition like `flag ~empty race as Race`")
            .help("at program level only programs without races count; `--level execution` asks without them");
        errors.push(error);
    }
    if !options.axioms.is_empty() {
        errors.push(
            Diagnostic::error("at program level the axioms of the source model are taken together")
                .help("leave out `--axiom`, or ask about single executions: `--level execution --axiom NAME`"),
        );
    }
    errors
}

/// Refuses bounds for which executions would be larger than the judge takes, and single executions
/// that cannot be compared with a baseline's.
pub fn check_problem(
    problem: &MappingProblem,
    options: &CheckOptions,
) -> Result<(), Vec<Diagnostic>> {
    let slots = problem.vocabulary.content.slots;
    // Each source event has its access, its slots, and possibly a location of its own with an
    // initial write.
    let chosen_fences = problem.vocabulary.content.chosen_fences;
    let largest = if chosen_fences { MAX_BOUND_OF_CHOSEN_FENCES } else { MAX_BOUND };
    let most = (margay_models::bits::WORD_EVENTS / (2 + slots.before + slots.after)).min(largest);
    if options.bound > most {
        return Err(vec![
            Diagnostic::error(format!(
                "a bound of {} events is out of reach; the largest bound of this mapping is {most}",
                options.bound
            ))
            .help(match chosen_fences && most == MAX_BOUND_OF_CHOSEN_FENCES {
                true => "the judge goes through every order of the fences of a counterexample, and of more than these there are too many",
                false => "each event more takes about five times as long; bounds of 4 to 8 find what is to be found",
            }),
        ]);
    }
    beside(problem, options).map_or(Ok(()), |error| Err(vec![error]))
}

/// The questions as the solver gets them.
pub fn asks(
    problem: &mut MappingProblem,
    asked: &CheckQuestions,
    options: &CheckOptions,
) -> Vec<CaseQuestion> {
    let reading = if options.level == Level::Program { CoReading::Exists } else { options.co };
    match reading {
        CoReading::Universal if !problem.vocabulary.content.chosen_fences => problem
            .goals
            .iter()
            .map(|&(question, goal)| CaseQuestion { questions: vec![question], goal })
            .collect(),
        // An outcome is explained by one modification order, or one order of fences, that satisfies
        // all axioms at once: one question.
        CoReading::Universal | CoReading::Exists => {
            let goals: Vec<_> = problem.goals.iter().map(|&(_, goal)| goal).collect();
            let goal = problem.logic.or(goals);
            vec![CaseQuestion { questions: asked.questions.clone(), goal }]
        }
    }
}
