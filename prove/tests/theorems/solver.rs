//! The small solver: random clauses against all assignments; each refutation is followed again.

use super::rules::Dice;
use margay_proof::SatLiteral;
use margay_prove::ground::solver::{GroundLiteral, GroundSolver, refute};
use margay_theorem::ground::derivation::check;
use margay_theorem::theory::StopSignal;

fn literals(clause: &[SatLiteral]) -> Vec<GroundLiteral> {
    clause.iter().copied().map(GroundLiteral::from).collect()
}

fn random_clause(dice: &mut Dice, variables: usize) -> Vec<SatLiteral> {
    let length = 1 + dice.below(4);
    (0..length)
        .map(|_| {
            let variable = 1 + dice.below(variables);
            SatLiteral::of_variable(variable, dice.below(2) == 1).expect("it is small")
        })
        .collect()
}

fn satisfies(assignment: usize, clause: &[SatLiteral]) -> bool {
    clause.iter().any(|l| (assignment >> (l.variable() - 1) & 1 == 1) != l.is_negated())
}

#[test]
fn a_literal_is_the_same_in_the_search_and_in_what_it_hands_on() {
    for number in [1, -1, 7, -7, i32::MAX, -i32::MAX] {
        let literal = SatLiteral::of_dimacs(number).expect("a literal");
        let own = GroundLiteral::from(literal);
        assert_eq!(
            (SatLiteral::from(own), SatLiteral::from(!own), own.is_positive(), own.variable()),
            (literal, !literal, number > 0, number.unsigned_abs() as usize)
        );
    }
}

#[test]
fn what_is_refuted_has_no_assignment_and_what_is_not_has_one() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let mut counts = [0, 0];
    for _ in 0..3000 {
        let variables = 3 + dice.below(10);
        let many = variables * (2 + dice.below(4));
        let clauses: Vec<Vec<SatLiteral>> = (0..many)
            .map(|_| {
                let mut clause = random_clause(&mut dice, variables);
                clause.sort_unstable();
                clause.dedup();
                clause
            })
            .collect();
        let is_possible = (0..1 << variables).any(|a| clauses.iter().all(|c| satisfies(a, c)));
        let steps = refute(variables, &clauses, usize::MAX, &StopSignal::default());
        assert_eq!(steps.is_none(), is_possible, "{clauses:?}");
        if let Some(steps) = &steps {
            check(&clauses, steps).unwrap_or_else(|what| panic!("{what}: {clauses:?}\n{steps:?}"));
        }
        counts[usize::from(is_possible)] += 1;
    }
    assert!(counts.iter().all(|&c| c > 300), "{counts:?}");
}

#[test]
fn clauses_may_come_in_the_middle_of_a_search() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3000 {
        let variables = 4 + dice.below(8);
        let mut solver = GroundSolver::new();
        (0..variables).for_each(|_| {
            solver.fresh();
        });
        let (mut clauses, many): (Vec<Vec<SatLiteral>>, usize) =
            (Vec::new(), variables * (2 + dice.below(4)));
        let holds = loop {
            if !solver.propagate() {
                break false;
            }
            if clauses.len() < many && dice.below(3) > 0 {
                let clause = random_clause(&mut dice, variables);
                solver.add(&literals(&clause));
                clauses.push(clause);
            } else if let Some(choice) = solver.choice() {
                solver.decide(choice);
            } else if clauses.len() == many {
                break true;
            }
        };
        let is_possible = (0..1 << variables).any(|a| clauses.iter().all(|c| satisfies(a, c)));
        assert_eq!(holds, is_possible, "{clauses:?}");
        if holds {
            // What has no value is false.
            let assignment = solver
                .trail()
                .iter()
                .filter(|l| l.is_positive())
                .map(|l| 1 << (l.variable() - 1))
                .sum();
            assert!(clauses.iter().all(|c| satisfies(assignment, c)), "{clauses:?}");
        }
    }
}

#[test]
fn long_refutations_hold() {
    let mut dice = Dice(0x1234_5678_9abc_def1);
    let mut refuted = 0;
    for _ in 0..60 {
        let variables = 30 + dice.below(50);
        let three = |dice: &mut Dice| -> Vec<SatLiteral> {
            let mut clause: Vec<SatLiteral> = Vec::new();
            while clause.len() < 3 {
                let variable = 1 + dice.below(variables);
                if !clause.iter().any(|l| l.variable() as usize == variable) {
                    let literal = SatLiteral::of_variable(variable, dice.below(2) == 1);
                    clause.push(literal.expect("it is small"));
                }
            }
            clause
        };
        let clauses: Vec<Vec<SatLiteral>> =
            (0..variables * 9 / 2).map(|_| three(&mut dice)).collect();
        if let Some(steps) = refute(variables, &clauses, usize::MAX, &StopSignal::default()) {
            check(&clauses, &steps).unwrap_or_else(|what| panic!("{what}"));
            refuted += 1;
        }
    }
    assert!(refuted > 20, "{refuted}");
}
