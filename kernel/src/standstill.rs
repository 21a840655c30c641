//! Waits that never end.

use crate::answer::{Finding, FindingKind, NotLooked, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::omission::Omission;
use crate::program::Executed;
use crate::residue::{CodePiece, Idle};
use crate::slice::Slicer;
use crate::waiting::{STANDING, last_rounds};

impl Inquiry<'_, '_> {
    pub fn waits(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        let last: Vec<_> = executed.waiting.iter().map(|code| last_rounds(code)).collect();
        for other in last.iter().flat_map(|l| &l.others) {
            found.undecided = true;
            let why =
                "a loop that does more than wait: whether it ends is not looked into".to_owned();
            found.not_looked.push(self.not_looked(&Omission::in_part(*other, why)));
        }
        if last.iter().all(|l| l.loops.is_empty()) {
            return Ok(());
        }
        if executed.omissions.iter().any(|o| o.guessed) {
            found.no_waits = true;
            found.open("waits that never end: threads were not followed to their ends (below)");
            return Ok(());
        }
        let mut meetings =
            executed.threads.iter().flatten().filter(|(p, _)| {
                matches!(p, CodePiece::Mbarrier(_) | CodePiece::ClusterBarrier(_))
            });
        if let Some((_, origin)) = meetings.next() {
            let why = "threads meet at mbarriers, or at barriers of clusters: waits that never end are not looked into, but that some execution ends";
            found.not_looked.push(self.not_looked(&Omission::in_part(*origin, why)));
            found.no_waits = true;
            return Ok(());
        }
        let has_barriers =
            executed.threads.iter().flatten().any(|(p, _)| matches!(p, CodePiece::Barrier(_)));
        if has_barriers {
            // A thread that stands in its loop never comes to the barrier at which the others of
            // its block wait.
            let why = "executions with a wait that never ends, in blocks of several threads that meet at barriers: they are looked into for blocks of one thread";
            found.not_looked.push(NotLooked {
                line: None,
                text: None,
                why: why.to_owned(),
                guessed: false,
            });
            found.no_waits = true;
            return Ok(());
        }
        // Some thread stands, and each that does has seen the last writes.
        let mut some = Vec::new();
        let mut all = Vec::new();
        for (t, of) in last.iter().enumerate().filter(|(_, l)| !l.loops.is_empty()) {
            some.push(format!("P{t}:{STANDING} != 0"));
            let mut ways = vec![format!("P{t}:{STANDING} == 0")];
            for waiting in &of.loops {
                let mut holds = vec![format!("P{t}:{STANDING} == {}", waiting.number)];
                holds.extend(waiting.reads.iter().map(|(register, cell)| {
                    format!("P{t}:{register} == {}", executed.named(*cell))
                }));
                holds.extend(waiting.idle.iter().filter_map(|(register, idle)| match idle {
                    Idle::Reads(n) => Some(format!("P{t}:{register} == {n}")),
                    Idle::ReadsNot(n) => Some(format!("P{t}:{register} != {n}")),
                    Idle::Always => None,
                }));
                ways.push(format!("({})", holds.join(" /\\ ")));
            }
            all.push(format!("({})", ways.join(" \\/ ")));
        }
        let condition = format!("exists (({}) /\\ {})", some.join(" \\/ "), all.join(" /\\ "));
        let code: Vec<_> = last.iter().map(|l| l.code.clone()).collect();
        let what = "waits that never end";
        let slice = Slicer::new(self.launch, &code, &executed.barriers, &|_| false).base();
        let written = match executed.write(&self.name(), &slice, &condition) {
            Ok(written) => written,
            Err(why) => {
                found.open(format!("{what}: {why}"));
                return Ok(());
            }
        };
        let Some(verdict) =
            self.run_to_the_end(&written, self.question.reading.model()?, what, found)
        else {
            return Ok(());
        };
        if !verdict.reachable {
            let (model, asked) = (self.question.reading.model()?, &self.options_to_the_end());
            self.settle((&written, model), &verdict, (what, asked), found);
            return Ok(());
        }
        let mut stands = Vec::new();
        let mut why = Vec::new();
        for (t, of) in last.iter().enumerate() {
            for waiting in &of.loops {
                let one = format!(
                    "{} /\\ P{t}:{STANDING} == {})",
                    &condition[..condition.len() - 1],
                    waiting.number
                );
                let Ok(written) = executed.write(&self.name(), &slice, &one) else { continue };
                if let (Some(origin), true) = (waiting.origin, stands.is_empty())
                    && self
                        .run_to_the_end(&written, self.question.reading.model()?, what, found)
                        .is_some_and(|v| v.reachable)
                {
                    let number = slice.number(t).unwrap_or(t);
                    stands.push(self.stands((number, t), self.spot(origin), None));
                    let seen: Vec<String> = waiting
                        .reads
                        .iter()
                        .map(|(_, cell)| format!("`{}`", executed.named(*cell)))
                        .collect();
                    why.push(match seen.is_empty() {
                        true => "It goes round a loop that reads nothing that another thread writes.".to_owned(),
                        false => format!("It has seen the last write of {}, every other thread has ended or waits as well, and nothing more is written.", seen.join(" and ")),
                    });
                }
            }
        }
        why.push("That supposes a fair scheduler, and that all blocks have begun.".to_owned());
        found.findings.push(Finding {
            kind: FindingKind::Wait,
            stands,
            why,
            litmus: written.read.file.text.clone(),
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair: RepairAnswer::Open("what mends a wait is not looked for".to_owned()),
        });
        Ok(())
    }
}
