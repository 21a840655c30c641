//! Whether any execution of a launch ends.

use margay_litmus::gap::{Gap, GapKind};

use crate::answer::{Finding, FindingKind, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings, origin_at};
use crate::program::{Executed, Written};
use crate::proofs::{ExpectedProof, LackOfProof};
use crate::residue::CodePiece;
use crate::slice::Slicer;

/// Steps of an execution in which threads take turns: a launch of a hundred threads takes some
/// thousands.
const STEPS_IN_TURNS: usize = 1_000_000;

/// What is asked about, in what leaves it open.
const WHAT: &str = "whether an execution ends";

impl Inquiry<'_, '_> {
    /// Does some execution end? If none does, that is a finding.
    pub fn some_execution_ends(
        &self,
        executed: &Executed,
        slicer: &Slicer<'_>,
        found: &mut LaunchFindings,
    ) -> Result<bool, String> {
        let base = &slicer.base();
        let may_stop = |p: &CodePiece| {
            matches!(
                p,
                CodePiece::Jump(..)
                    | CodePiece::Barrier(_)
                    | CodePiece::Mbarrier(_)
                    | CodePiece::ClusterBarrier(_)
                    | CodePiece::End
            )
        };
        // The model allows every interleaving, and one of threads that wait for nobody ends.
        if !base.code.iter().flatten().any(|(p, _)| may_stop(p))
            || slicer.all_meet() && executed.goes_straight()
        {
            return Ok(true);
        }
        let written = match executed.write(&self.name(), base, "exists (true)") {
            Ok(written) => written,
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                return Ok(true);
            }
        };
        if margay_litmus::ends_in_turns(&written.read.test, STEPS_IN_TURNS) {
            self.lacks_proof(WHAT, LackOfProof::Turns, found);
            return Ok(true);
        }
        let lean = || slicer.lean(base, None);
        let options = |_: &Written| self.options();
        let Some((written, verdict)) = self.run_or_lean(
            executed,
            (written, &lean),
            self.question.reading.model()?,
            (WHAT, &options),
            found,
        ) else {
            return Ok(true);
        };
        if verdict.reachable && verdict.gap.as_ref().is_some_and(|gap| gap.kind() == GapKind::Lost)
        {
            found.open(format!("what its threads do at mbarriers: {}", GapKind::Lost.words()));
        }
        let Some(gap @ Gap::Endless(standstills)) =
            verdict.gap.as_ref().filter(|_| !verdict.reachable)
        else {
            let model = self.question.reading.model()?;
            if !self.leaves_open(&verdict, WHAT, found) && verdict.reachable {
                let expected = (WHAT, ExpectedProof::Execution);
                self.keep_proof((&written, model), &self.options(), expected, found);
            }
            return Ok(true);
        };
        if verdict.bounded || executed.omissions.iter().any(|o| o.guessed) {
            found.open(format!(
                "data races: {}",
                if verdict.bounded { self.bound() } else { gap.kind().words().to_owned() }
            ));
            return Ok(false);
        }
        found.findings.extend(self.stops_where_none_ends(executed)?);
        let stands = standstills.iter().filter_map(|s| {
            let thread = s.thread.index();
            let origin = origin_at(&written, thread, s.place.0)?;
            Some(self.stands((thread, written.members[thread]), self.spot(origin), None))
        });
        found.findings.push(Finding {
            kind: FindingKind::Endless,
            stands: stands.collect(),
            why: standstills.iter().map(|s| format!("P{}: {}.", s.thread.0, s.why)).collect(),
            litmus: written.read.file.text.clone(),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair: RepairAnswer::Open("what mends a wait is not looked for".to_owned()),
        });
        Ok(false)
    }
}
