//! Who decides cases: the search itself, or one that has another inside.

use super::name::{name, proof_file};
use super::part::{CasePart, PartAnswer};
use crate::check::case::{self, CaseExtent, CheckSetting, Preferred, Wanted};
use crate::search::Start;
use crate::witness::SearchFault;

/// Who decides the parts of a check's cases. What keeps answers, or has others find them, has
/// another one inside.
pub trait Decider: Sync {
    /// Is told of all parts of a bound before the first is decided.
    fn begin(&self, _setting: &CheckSetting<'_>, _parts: &[CasePart<'_>]) {}

    /// Decides the questions of a part.
    ///
    /// # Errors
    /// The engines disagree about a candidate, or solver and checker about a proof.
    fn decide(
        &self,
        setting: &CheckSetting<'_>,
        part: &CasePart<'_>,
    ) -> Result<PartAnswer, SearchFault>;

    /// Chooses the preferred counterexample of a shape ([`case::preferred`]).
    ///
    /// # Errors
    /// The engines disagree about a candidate.
    fn preferred(
        &self,
        setting: &CheckSetting<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Preferred>, SearchFault>;
}

/// The search itself; with proofs where the options ask for a certificate.
pub struct CaseSearch;

impl Decider for CaseSearch {
    fn decide(
        &self,
        setting: &CheckSetting<'_>,
        part: &CasePart<'_>,
    ) -> Result<PartAnswer, SearchFault> {
        let Some(folder) = &setting.options.certify else {
            let extent = if part.cube.is_empty() {
                CaseExtent::Shape(part.shape)
            } else {
                CaseExtent::Leaf(part.shape, &part.cube)
            };
            let decisions = case::decide(setting, extent, &part.questions, Start::Solver)?;
            return Ok(PartAnswer { decisions, proof: None, unwritten: None, kept: false });
        };
        let name = name(setting, part.shape, &part.questions, &part.cube);
        // Of a case that a limit ended, the proof has a name of its own: another process may have
        // solved it whole meanwhile, and its answer names that proof. (An interrupted check begins
        // each case that a cluster's task is about to finish.)
        let file = |answered: usize| match answered {
            all if all == part.questions.len() => proof_file(&name),
            some => proof_file(&format!("{name}-first{some}")),
        };
        let of = case::decide_certified(
            setting,
            (part.shape, &part.cube),
            &part.questions,
            (folder, &file),
        )?;
        Ok(PartAnswer {
            decisions: of.answer,
            proof: of.proof,
            unwritten: of.unwritten,
            kept: false,
        })
    }

    fn preferred(
        &self,
        setting: &CheckSetting<'_>,
        wanted: &Wanted<'_>,
    ) -> Result<Option<Preferred>, SearchFault> {
        case::preferred(setting, wanted)
    }
}
