//! Loads of what nobody writes (`ld.global.nc`, which is what `__ldg` and `const .. __restrict__`
//! become), of what the kernel writes.

use std::collections::BTreeMap;

use margay_litmus::explicit::TestVerdict;

use crate::answer::{Finding, FindingKind, RepairAnswer};
use crate::inquiry::{Inquiry, LaunchFindings};
use crate::mark::{Mark, MarkKind};
use crate::program::{Executed, Written};
use crate::residue::Origin;
use crate::slice::Slice;

const WHAT: &str = "read-only loads of what the kernel writes";

/// That two threads access the same bytes so, as a condition, and the threads.
type CachedPair = (String, usize, usize);

impl Inquiry<'_, '_> {
    /// Looks for such a load, and a write of the same bytes in the same execution, whatever orders
    /// them: the memory must not be written as long as the kernel runs (PTX ISA, `ld.global.nc`).
    pub fn cached(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        let (loads, writes) =
            (executed.stops(MarkKind::Cached), executed.stops(MarkKind::Overwritten));
        if loads.is_empty() {
            return Ok(());
        }
        let slice = executed.slicer(&|_| false).base();
        let register = |mark: &Mark| format!("{}{}", mark.kind.register(), mark.number);
        // All pairs of threads of a pair of instructions are asked about at once.
        let mut pairs: BTreeMap<(Origin, Origin), Vec<CachedPair>> = BTreeMap::new();
        for (a, load) in &loads {
            for (b, write) in &writes {
                if load.cell.zip(write.cell).is_some_and(|(x, y)| x.overlaps(&y)) {
                    let both =
                        format!("(P{a}:{} == 1 /\\ P{b}:{} == 1)", register(load), register(write));
                    pairs.entry((load.origin, write.origin)).or_default().push((both, *a, *b));
                }
            }
        }
        for ((load, write), threads) in pairs {
            let any =
                threads.iter().map(|(both, ..)| both.as_str()).collect::<Vec<_>>().join(" \\/ ");
            let Some((written, verdict)) = self.of_condition(executed, &slice, &any, found)? else {
                continue;
            };
            if !verdict.reachable {
                let (model, asked) = (self.question.reading.model()?, &self.options());
                self.settle((&written, model), &verdict, (WHAT, asked), found);
                continue;
            }
            for (both, a, b) in threads {
                let Some((written, verdict)) = self.of_condition(executed, &slice, &both, found)?
                else {
                    continue;
                };
                if !verdict.reachable {
                    continue;
                }
                let number = |thread: usize| slice.number(thread).unwrap_or(thread);
                let stands = [(a, load), (b, write)].map(|(thread, origin)| {
                    self.stands((number(thread), thread), self.spot(origin), None)
                });
                let why = "What the first one loads through the read-only cache (`.nc`) must not be written while the kernel runs, and the second one \
                           writes it, in the same execution: what is loaded is not defined, whatever orders them (PTX ISA, `ld.global.nc`).";
                let repair = "a load without `.nc` is what mends it (in CUDA: no `__ldg`, and no `const .. __restrict__` for this pointer)";
                found.findings.push(Finding {
                    kind: FindingKind::Cached,
                    stands: stands.into(),
                    why: vec![why.to_owned()],
                    litmus: written.read.file.text.clone(),
                    with_races: false,
                    first_rounds: None,
                    reading: self.question.reading,
                    repair: RepairAnswer::Open(repair.to_owned()),
                });
                return Ok(());
            }
        }
        Ok(())
    }

    fn of_condition(
        &self,
        executed: &Executed,
        slice: &Slice,
        condition: &str,
        found: &mut LaunchFindings,
    ) -> Result<Option<(Written, TestVerdict)>, String> {
        let written = match executed.write(&self.name(), slice, &format!("exists ({condition})")) {
            Ok(written) => written,
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                return Ok(None);
            }
        };
        Ok(self
            .run(&written, self.question.reading.model()?, WHAT, found)
            .map(|verdict| (written, verdict)))
    }
}
