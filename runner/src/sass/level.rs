//! At which level a kernel is assembled: the highest one at which its machine code is still the
//! test.
//!
//! Without optimisation the assembler waits for every result before the next instruction, so that
//! no load is ever overtaken; with it, it may merge, move or leave out accesses. So each level is
//! tried from the top, as Alglave et al. did (ASPLOS 2015, section 4.4: compile at `-O3`, then
//! check), and the answer of the comparison decides; then the levels again with the accesses
//! written apart.

use margay_litmus::test::Test;

use super::{CodeComparison, ToolFailure, Toolkit, check_all};
use crate::emit::{GpuTarget, TestKernel, Writing};

/// How a kernel is written and assembled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssemblyWay {
    /// The level of the assembler, 0 to 3.
    pub level: u8,
    /// How the accesses are written.
    pub writing: Writing,
}

/// The ways, in the order in which they are tried.
pub const WAYS: [AssemblyWay; 7] = [
    AssemblyWay { level: 3, writing: Writing::Plain },
    AssemblyWay { level: 2, writing: Writing::Plain },
    AssemblyWay { level: 1, writing: Writing::Plain },
    AssemblyWay { level: 3, writing: Writing::Apart },
    AssemblyWay { level: 2, writing: Writing::Apart },
    AssemblyWay { level: 1, writing: Writing::Apart },
    AssemblyWay { level: 0, writing: Writing::Plain },
];

/// The way that was chosen, and what came of comparing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblyChoice {
    pub way: AssemblyWay,
    /// [`CodeComparison::Same`], or that nothing could be compared.
    pub answer: CodeComparison,
}

/// The search for one kernel.
#[derive(Debug, Clone, Default)]
pub struct LevelSearch {
    best: Option<AssemblyChoice>,
    /// What the last way came to, if no one is the test: without optimisation.
    last: Option<Result<CodeComparison, ToolFailure>>,
}

impl LevelSearch {
    /// Takes what a way came to. Is it the one, so that no other need be tried?
    pub fn offer(&mut self, way: AssemblyWay, result: Result<CodeComparison, ToolFailure>) -> bool {
        let narrowed = |answer: &CodeComparison| {
            if let CodeComparison::Same { narrowed, .. } = answer { narrowed.len() } else { 0 }
        };
        match result {
            // Nothing can be compared: then no other way can be either.
            Ok(answer @ CodeComparison::Assembled) => {
                self.best = Some(AssemblyChoice { way, answer });
                true
            }
            Ok(answer @ CodeComparison::Same { .. }) => {
                let few = narrowed(&answer);
                // An earlier way is better among equals.
                if self.best.as_ref().is_none_or(|best| few < narrowed(&best.answer)) {
                    self.best = Some(AssemblyChoice { way, answer });
                }
                few == 0
            }
            Err(failure @ ToolFailure::Missing(_)) => {
                self.last = Some(Err(failure));
                true
            }
            other => {
                self.last = Some(other);
                false
            }
        }
    }

    /// The way, or why there is none: what is different without optimisation.
    pub fn end(self) -> Result<AssemblyChoice, Result<CodeComparison, ToolFailure>> {
        match (self.best, self.last) {
            (Some(choice), _) => Ok(choice),
            (None, Some(last)) => Err(last),
            (None, None) => Err(Err(ToolFailure::Missing("no way was tried".to_owned()))),
        }
    }
}

/// Chooses for any number of tests at once. Each has its kernel in both writings.
pub fn choose_all(
    toolkit: &Toolkit,
    target: GpuTarget,
    tests: &[(&Test, &TestKernel, &TestKernel)],
) -> Vec<Result<AssemblyChoice, Result<CodeComparison, ToolFailure>>> {
    let mut searches = vec![LevelSearch::default(); tests.len()];
    let mut open: Vec<usize> = (0..tests.len()).collect();
    for way in WAYS {
        let pairs: Vec<(&Test, &TestKernel)> = open
            .iter()
            .map(|&n| {
                let (test, plain, apart) = tests[n];
                (test, if way.writing == Writing::Plain { plain } else { apart })
            })
            .collect();
        let answers = check_all(toolkit, target, way.level, &pairs);
        let mut answers = answers.into_iter();
        open.retain(|&n| answers.next().is_some_and(|answer| !searches[n].offer(way, answer)));
    }
    searches.into_iter().map(LevelSearch::end).collect()
}

#[cfg(test)]
mod tests {
    use super::{CodeComparison, LevelSearch, ToolFailure, WAYS};

    fn same(narrowed: usize) -> Result<CodeComparison, ToolFailure> {
        Ok(CodeComparison::Same { compared: 4, narrowed: vec!["P0".to_owned(); narrowed] })
    }

    #[test]
    fn the_highest_level_that_is_the_test() {
        let differs = || Ok(CodeComparison::Differs(vec!["a load is lost".to_owned()]));
        let run = |answers: Vec<Result<CodeComparison, ToolFailure>>| {
            let mut search = LevelSearch::default();
            let tried = WAYS
                .into_iter()
                .zip(answers)
                .take_while(|(way, a)| !search.offer(*way, a.clone()))
                .count();
            (tried, search.end())
        };
        let (tried, end) = run(vec![same(0)]);
        assert_eq!((tried, end.expect("a way").way), (0, WAYS[0]));
        let (_, end) =
            run(vec![differs(), same(1), Err(ToolFailure::Refused("no room".to_owned())), same(0)]);
        assert_eq!(end.expect("a way").way, WAYS[3], "one that waits for nothing is better");
        let (_, end) =
            run(vec![differs(), same(2), same(1), differs(), differs(), same(1), same(4)]);
        assert_eq!(end.expect("a way").way, WAYS[2], "the fewest waits, and the first of equals");
        let (_, end) = run(vec![differs(); 7]);
        assert_eq!(end.expect_err("none"), differs());
        let (tried, end) = run(vec![Err(ToolFailure::Missing("no ptxas".to_owned())); 7]);
        assert_eq!(
            (tried, end.expect_err("none")),
            (0, Err(ToolFailure::Missing("no ptxas".to_owned())))
        );
        let (_, end) = run(vec![Ok(CodeComparison::Assembled)]);
        assert_eq!(end.expect("a way").answer, CodeComparison::Assembled);
    }
}
