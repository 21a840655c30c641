//! The choice among the counterexamples of a shape.

use std::time::Instant;

use margay_solver::{Instance, Literal};

use super::{CaseAnswer, CaseExtent, CheckCase, CheckSetting, case, narrowed};
use crate::check::program::Learned;
use crate::encode::atoms::Atoms;
use crate::encode::preference;
use crate::encode::shape::ThreadShape;
use crate::level::Level;
use crate::search::{CaseFinding, Start};
use crate::witness::SearchFault;

/// The preferred counterexample of a shape, with its cost.
pub struct Preferred {
    /// Number of locations and weighted strength of annotations (at program level in the other
    /// order), number of guards and computed values, then whether something is read before it is
    /// written.
    pub cost: Vec<u64>,
    pub instance: Instance,
    /// The atoms that it speaks of.
    pub atoms: Atoms,
}

/// Which counterexample is wanted.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub shape: &'a ThreadShape,
    pub question: usize,
    /// What was learned in the shape.
    pub learned: &'a Learned,
    /// Only one counts whose first cost is not greater.
    pub most: Option<u64>,
}

/// Finds the preferred counterexample of a shape; `None` if there is none, or a limit was reached.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn preferred(
    setting: &CheckSetting<'_>,
    wanted: &Wanted<'_>,
) -> Result<Option<Preferred>, SearchFault> {
    let &Wanted { shape, question, learned, most } = wanted;
    let start = Instant::now();
    let v = &setting.problem.vocabulary;
    let mut of = case(setting, CaseExtent::Shape(shape), Start::Solver);
    learned.0.iter().for_each(|taught| of.teach(taught));
    let goal = of.goal(setting.asks[question].goal);
    let mut cost = Vec::new();
    let mut stages = vec![
        (preference::locations(v, &of.atoms), false),
        (preference::annotations(v, &of.atoms), false),
        (preference::guards(v, &of.atoms), true),
    ];
    if setting.options.level == Level::Program {
        // Programs are easier to read with plain data than with few locations.
        stages.swap(0, 1);
    }
    let narrowed = narrowed(&mut of, setting);
    for (costs, counts_guards) in stages {
        let mut goals = vec![goal];
        if !counts_guards {
            goals.extend(&narrowed);
        }
        let most = most.filter(|_| cost.is_empty());
        let Some(smallest) = least(&mut of, &goals, costs, most)? else { return Ok(None) };
        tracing::info!(
            "{shape}: preferred, a stage with {smallest} at {:.2} s",
            start.elapsed().as_secs_f64()
        );
        cost.push(smallest);
    }
    let mut goals = vec![goal];
    if setting.options.level == Level::Program {
        // Rather an execution in which nothing is read before it is written, in the sense of
        // program order.
        let ordered = of.formulas.to_mut().reads_follow_program_order();
        let ordered = of.goal(ordered);
        let exists = match of.solve(&[goal, ordered])?.answer() {
            CaseAnswer::Found => true,
            CaseAnswer::None => false,
            CaseAnswer::Unknown => return Ok(None),
        };
        cost.push(u64::from(!exists));
        goals.extend(exists.then_some(ordered));
    }
    let order: Vec<Literal> = preference::order(v, &of.atoms)
        .into_iter()
        .map(|(wanted, r, p)| {
            let literal = of.literal(r, &p);
            if wanted { !literal } else { literal }
        })
        .collect();
    let found = of
        .find(|session, limits| Ok((session.lexicographic_minimum(&goals, &order, limits)?, ())))?;
    let CaseFinding::One(instance, ()) = found else { return Ok(None) };
    tracing::info!("{shape}: preferred at {:.2} s", start.elapsed().as_secs_f64());
    Ok(Some(Preferred { cost, instance, atoms: of.atoms }))
}

/// The least that a counterexample with the goals costs, at most `most`; from now on none costs
/// more. `None` if there is none, or a limit was reached.
fn least(
    of: &mut CheckCase<'_>,
    goals: &[Literal],
    costs: Vec<preference::PreferenceCost>,
    most: Option<u64>,
) -> Result<Option<u64>, SearchFault> {
    let objective: Vec<(u32, Literal)> =
        costs.into_iter().map(|(w, r, p)| (w, of.literal(r, &p))).collect();
    let mut objective = of.session.objective(&objective);
    if let Some(most) = most {
        of.session.keep_at_most(&mut objective, most)?;
    }
    // Down from one counterexample to the next: the least sum of candidates alone would be proved
    // for nothing.
    let (mut smallest, depth) = (None, of.depth());
    loop {
        match of.find(|session, limits| {
            session.below((goals, depth), &mut objective, smallest, limits)
        })? {
            CaseFinding::One(_, sum) => smallest = sum,
            CaseFinding::None => break,
            CaseFinding::Unknown(_) => return Ok(None),
        }
    }
    if let Some(smallest) = smallest {
        of.session.keep_at_most(&mut objective, smallest)?;
    }
    Ok(smallest)
}

/// Every counterexample of a shape, at most `limit` of them; those that differ by an exchange of
/// threads of equal length may both be there. The flag says whether there are more.
///
/// # Errors
/// The engines disagree about a candidate.
pub fn every(
    setting: &CheckSetting<'_>,
    shape: &ThreadShape,
    question: usize,
    limit: usize,
) -> Result<(Vec<Instance>, Atoms, bool), SearchFault> {
    let mut of = case(setting, CaseExtent::Shape(shape), Start::Solver);
    let goal = of.goal(setting.asks[question].goal);
    let v = &setting.problem.vocabulary;
    let shown = v.told();
    let bounds = v.bounds(&of.atoms);
    let uppers = shown.iter().filter_map(|&relation| Some((relation, bounds.get(relation)?.1)));
    let tuples: Vec<_> = uppers
        .flat_map(|(relation, upper)| upper.iter().map(move |t| (relation, t.to_vec())))
        .collect();
    let mut found = Vec::new();
    loop {
        let instance = match of.solve(&[goal])? {
            CaseFinding::One(instance, ()) => instance,
            CaseFinding::None => return Ok((found, of.atoms, false)),
            CaseFinding::Unknown(_) => return Ok((found, of.atoms, true)),
        };
        if found.len() >= limit {
            return Ok((found, of.atoms, true));
        }
        of.block(&instance, tuples.iter().cloned(), Vec::new());
        found.push(instance);
    }
}
