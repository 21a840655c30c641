//! Data races (PTX ISA 8.7.1), place by place and pair by pair ([`crate::slice`]).

use std::cell::Cell;
use std::collections::BTreeSet;

use margay_litmus::explicit::Options;
use margay_litmus::gap::GapKind;
use margay_litmus::race::{Race, RacingAccess};
use margay_litmus::unfold::{RetryRounds, UnfoldingBounds};
use margay_models::model::Model;
use margay_ptx::effect::Effect;

use crate::answer::{Finding, FindingKind, Stands};
use crate::effort::Effort;
use crate::first_rounds::{LARGE, OF_A_PAIR, RacingThreads, first_rounds, of_first_rounds};
use crate::inquiry::{Inquiry, LaunchFindings, TOO_LONG, origin_at, unasked};
use crate::program::{Executed, LaneChoice, Written};
use crate::proofs::{ExpectedProof, LackOfProof};
use crate::reading::KernelReading;
use crate::residue::{Line, Origin};
use crate::selection::LaunchSelection;
use crate::slice::{Rivals, Slice, Slicer};
use crate::waiting::last_rounds;
use crate::waiting::reads_that_wait;
use crate::widths::pairs_of_widths;

/// A test that has no race within the bound, with the numbers of the threads that could race.
struct RaceFree {
    written: Written,
    options: Options,
    rivals: [usize; 2],
}

/// How races at one place are asked for.
struct PlaceOptions<'a> {
    options: Options,
    /// Its name in tests, where all accesses there are of the same bytes.
    name: Option<&'a str>,
}

impl PlaceOptions<'_> {
    /// For a test: rounds of loops that try again are kept where they access the place, if the test
    /// names it.
    fn of(&self, written: &Written) -> Options {
        let mut locations = written.read.test.locations.iter();
        let at = self.name.and_then(|name| locations.position(|l| l.name == name));
        let retries = RetryRounds::Racing(at.and_then(|at| u16::try_from(at).ok()));
        Options { bounds: UnfoldingBounds { retries, ..self.options.bounds }, ..self.options }
    }
}

/// With so many of the tests that were asked about before a test is compared.
const COMPARED: usize = 4;

impl RaceFree {
    /// Is it another test but for names: the threads that could race there do what those do that
    /// could race here, and the others the same?
    fn is_renamed(
        &self,
        (written, rivals): (&Written, [usize; 2]),
        inquiry: &Inquiry<'_, '_>,
        options: &Options,
    ) -> bool {
        let (here, there) = (&self.written.read.test, &written.read.test);
        let count = here.threads.len();
        if count != there.threads.len() || here.locations.len() != there.locations.len() {
            return false;
        }
        let Ok(model) = inquiry.question.reading.races() else { return false };
        let orders = [rivals, [rivals[1], rivals[0]]];
        orders.into_iter().any(|rivals| {
            let mut others = (0..count).filter(|t| !rivals.contains(t));
            let threads: Option<Vec<usize>> = (0..count)
                .map(|t| {
                    self.rivals
                        .iter()
                        .position(|&of| of == t)
                        .map_or_else(|| others.next(), |n| Some(rivals[n]))
                })
                .collect();
            threads.is_some_and(|threads| {
                inquiry.engines.is_renamed(
                    [(here, &self.options), (there, options)],
                    &threads,
                    model,
                )
            })
        })
    }
}

/// What is to be said of a race of one store with itself, in two lanes of a warp.
const ONE_STORE: &str = "It is one store of several lanes of a warp. CUDA's programming guide says that one of the values stays; PTX ISA 8.7.1 makes no exception of it. It is \
      told where no other race was found.";

/// What is asked about, in what leaves it open.
const WHAT: &str = "data races";

impl Inquiry<'_, '_> {
    /// How races are asked for. Rounds of loops that only wait are left out where no access of them
    /// can race. If only such loops are there, a read in any round races in an execution with that
    /// round and the last one: rounds that only read can be left out of an execution, and what is
    /// left is allowed and not ordered any more than before.
    fn options_for_races(
        &self,
        executed: &Executed,
        slicer: &Slicer<'_>,
        with_mbarriers: bool,
    ) -> Options {
        let only_waits = |code: &Vec<Line>| {
            let last = last_rounds(code);
            last.others.is_empty() && !last.tries_again
        };
        let only_wait = || executed.threads.iter().all(only_waits);
        let are_strong = slicer.waits_are_strong(with_mbarriers);
        let unroll = if !are_strong && only_wait() { 1 } else { self.question.unroll };
        let mut options = self.options();
        options.bounds = UnfoldingBounds {
            unroll,
            skip_waiting_for_races: are_strong,
            retries: RetryRounds::Racing(None),
            ..options.bounds
        };
        options
    }

    /// How races at each place are asked for.
    fn options_by_place<'e>(
        &self,
        executed: &'e Executed,
        slicer: &Slicer<'_>,
    ) -> impl Fn(usize) -> PlaceOptions<'e> {
        let of_data = self.options_for_races(executed, slicer, false);
        let of_mbarriers = self.options_for_races(executed, slicer, true);
        move |place| PlaceOptions {
            options: if slicer.is_mbarrier(place) { of_mbarriers } else { of_data },
            name: slicer.cell_at(place).map(|cell| executed.named(cell)),
        }
    }

    /// Looks for a data race. One of a store with itself, in lanes of a warp, is told where there
    /// is no other: the store is looked at as that of one lane then.
    pub fn race(&self, executed: &Executed, found: &mut LaunchFindings) -> Result<(), String> {
        if !self.some_execution_ends(executed, &executed.slicer(&|_| false), found)? {
            return Ok(());
        }
        let Some((origin, of_one_store)) = self.races_of_pairs(executed, found)? else {
            return Ok(());
        };
        let mut stores: BTreeSet<Origin> = [origin].into();
        // What another thread does races with the store of a lane that is not it: with that of the
        // first one, or of the last one.
        let mut lanes = [LaneChoice::First, LaneChoice::Last].into_iter();
        while found.findings.is_empty()
            && let Some(lane) = lanes.next()
        {
            if let Some((origin, _)) =
                self.races_of_pairs(&executed.with_one_lane_each(&stores, lane), found)?
                && stores.insert(origin)
            {
                lanes = [LaneChoice::First, LaneChoice::Last].into_iter();
            }
        }
        if !found.findings.iter().any(|finding| finding.kind == FindingKind::Race) {
            found.findings.push(of_one_store);
        }
        Ok(())
    }

    /// Looks for a data race among pairs of threads, until one is found: if it is one of a store
    /// with itself, it is given, with the store.
    pub fn races_of_pairs(
        &self,
        executed: &Executed,
        found: &mut LaunchFindings,
    ) -> Result<Option<(Origin, Finding)>, String> {
        let slicer = executed.slicer(&|_| false);
        let options_at = self.options_by_place(executed, &slicer);
        let mut asked: BTreeSet<String> = BTreeSet::new();
        let mut known: Vec<RaceFree> = Vec::new();
        let mut clear: BTreeSet<String> = BTreeSet::new();
        let phases = slicer.phases();
        for &rivals in slicer.rivals() {
            if self.is_over() {
                found.open(format!("{WHAT}: it was stopped by a limit or by Ctrl-C"));
                return Ok(None);
            }
            if slicer.share_a_block(rivals.threads)
                && phases.are_apart(rivals.place, rivals.threads)
            {
                self.lacks_proof(WHAT, LackOfProof::Barrier, found);
                continue;
            }
            let options = options_at(rivals.place);
            let place = slicer.cell_at(rivals.place);
            if slicer.is_mixed(rivals.place)
                && let Some(pairs) =
                    pairs_of_widths(&slicer, rivals, &|cell| executed.named(cell).to_owned())
            {
                for pair in pairs {
                    if asked.len() <= self.effort.tests
                        && asked.insert(executed.shape(&slicer.without_values(&pair.slice), None))
                        && self.race_of_widths(
                            executed,
                            &pair.slice,
                            (&options.options, pair.is_same),
                            found,
                        )?
                    {
                        return Ok(None);
                    }
                }
                continue;
            }
            // Values that no race depends on are 0, so that a test is another one of which these
            // differ; a race is asked for again with them.
            let slice = slicer.of(rivals);
            let plain = slicer.without_values(&slice);
            if !asked.insert(executed.shape(&plain, place)) {
                continue;
            }
            if asked.len() > self.effort.tests {
                found.open(format!("{WHAT}: {TOO_LONG}"));
                return Ok(None);
            }
            let has_none = |narrow: &Slice| {
                let shape = executed.shape(&slicer.without_values(narrow), place);
                if clear.contains(&shape) {
                    return Some(None);
                }
                let written = self.without_race(executed, narrow, &options, self.effort)?;
                clear.insert(shape);
                Some(Some(written))
            };
            match slicer.narrowed(&slice, rivals).iter().find_map(has_none) {
                Some(Some(written)) => {
                    self.keep_proof_of_none(&written, &options, found)?;
                    continue;
                }
                Some(None) => {
                    self.lacks_proof(WHAT, LackOfProof::Renamed, found);
                    continue;
                }
                None => {}
            }
            if let Some(finding) =
                self.race_of_first_rounds(executed, &slicer, (&slice, rivals), &options, found)?
            {
                found.findings.push(finding);
                return Ok(None);
            }
            let Some(written) = self.test_of_race(executed, &plain, found) else { continue };
            let numbers = rivals.threads.map(|thread| slice.number(thread).unwrap_or(0));
            let of_test = options.of(&written);
            let of_other_names = |of: &RaceFree| of.is_renamed((&written, numbers), self, &of_test);
            if known.iter().rev().take(COMPARED).any(of_other_names) {
                self.lacks_proof(WHAT, LackOfProof::Renamed, found);
                continue;
            }
            let pair_alone = || {
                let [a, b] = rivals.threads.map(|thread| slice.number(thread));
                slice.with_a_pair_alone([a?, b?], &|thread| slicer.block(thread))
            };
            let is_of_a_pair = Cell::new(false);
            let lean = || {
                slicer
                    .lean(&slice, Some(rivals))
                    .or_else(|| pair_alone().inspect(|_| is_of_a_pair.set(true)))
            };
            let Some((written, verdict)) = self.run_or_lean(
                executed,
                (written, &lean),
                self.question.reading.races_or_why()?,
                (WHAT, &|written| options.of(written)),
                found,
            ) else {
                continue;
            };
            // Threads that only read, and waits in exchanges of warps, may hold up others for ever:
            // a race is none where it is not there with them. If that takes more than a few steps
            // it is one.
            if verdict.race.is_some() {
                let whole = slicer.with_all_that_wait(rivals);
                if whole != slice
                    && let Some(written) = self.without_race(
                        executed,
                        &whole,
                        &options,
                        self.effort.at_most(Effort::BESIDE),
                    )
                {
                    self.keep_proof_of_none(&written, &options, found)?;
                    continue;
                }
            }
            if verdict.race.is_some() {
                let whole = executed.slicer(&|cell| slicer.is_at(cell, rivals.place)).of(rivals);
                let finding = match self.with_values(executed, (&slice, whole), &options) {
                    Some((written, race)) => self.racing(&written, Some(&race), found)?,
                    None => match self.with_own_values(executed, (&slice, &plain), &options, found)
                    {
                        Some((written, race)) => self.racing(&written, Some(&race), found)?,
                        None => self.racing(&written, verdict.race.as_ref(), found)?.map(
                            |mut finding| {
                                finding
                                    .why
                                    .extend(is_of_a_pair.get().then(|| OF_A_PAIR.to_owned()));
                                finding
                            },
                        ),
                    },
                };
                let of_lanes = verdict
                    .race
                    .as_ref()
                    .and_then(|race| self.store_of_lanes(executed, &written, race));
                match (finding, of_lanes) {
                    (Some(mut finding), Some(origin))
                        if finding.stands.windows(2).all(|two| two[0].spot == two[1].spot) =>
                    {
                        finding.why.push(ONE_STORE.to_owned());
                        return Ok(Some((origin, finding)));
                    }
                    (Some(finding), _) => {
                        found.findings.push(finding);
                        return Ok(None);
                    }
                    (None, _) => {}
                }
            }
            // Where loops were cut off that wait by read-modify-writes, reads in their place may
            // decide it.
            let mut with_reads = slice.clone();
            if verdict.race.is_none()
                && verdict.bounded
                && reads_that_wait(&mut with_reads.code, self.launch.blocks == 1)
                && let Some(written) =
                    self.without_race(executed, &with_reads, &options, self.effort)
            {
                self.keep_proof_of_none(&written, &options, found)?;
                continue;
            }
            if slice.orders_by_exchanges() {
                let without = slice.without_fences();
                match self.without_race(executed, &without, &options, self.effort) {
                    Some(written) => self.keep_proof_of_none(&written, &options, found)?,
                    None => self.exchanged(&slice, WHAT, found),
                }
            }
            let model = self.question.reading.races_or_why()?;
            self.settle((&written, model), &verdict, (WHAT, &options.of(&written)), found);
            known.push(RaceFree { options: options.of(&written), written, rivals: numbers });
        }
        Ok(None)
    }

    /// The race of a slice that is large in the first rounds of its loops, if there is one: the
    /// fewest rounds first. A store with itself, in lanes of a warp, is left to whoever asks about
    /// all rounds.
    fn race_of_first_rounds(
        &self,
        executed: &Executed,
        slicer: &Slicer<'_>,
        (slice, rivals): (&Slice, Rivals),
        options: &PlaceOptions<'_>,
        found: &mut LaunchFindings,
    ) -> Result<Option<Finding>, String> {
        if slice.size() <= LARGE {
            return Ok(None);
        }
        let model = self.question.reading.races_or_why()?;
        let block = |thread: usize| slicer.block(thread);
        let pair = match rivals.threads.map(|thread| slice.number(thread)) {
            [Some(a), Some(b)] => [a, b],
            _ => return Ok(None),
        };
        for (rounds, racing) in first_rounds(pair) {
            let first = slice.with_first_rounds(rounds, racing, &block);
            let Some(first) =
                first.filter(|first| first.size() <= LARGE && slicer.may_race(first, rivals))
            else {
                continue;
            };
            let written =
                executed.write(&self.name(), &slicer.without_values(&first), "exists (false)");
            let Ok(written) = written else { break };
            let effort = self.effort_beside(found).at_most(Effort::REPAIR);
            let Some(race) = self
                .deepened(&written, model, &options.of(&written), effort)
                .ok()
                .and_then(|verdict| verdict.race)
            else {
                continue;
            };
            if self.store_of_lanes(executed, &written, &race).is_some() {
                break;
            }
            let first_of = |of: Slice| {
                let racing = match (racing, rivals.threads.map(|thread| of.number(thread))) {
                    (RacingThreads::Pair(_), [Some(a), Some(b)]) => RacingThreads::Pair([a, b]),
                    _ => RacingThreads::All,
                };
                of.with_first_rounds(rounds, racing, &block).unwrap_or(of)
            };
            let waits = first_of(slicer.with_all_that_wait(rivals));
            let beside = effort.at_most(Effort::BESIDE);
            if waits != first && self.without_race(executed, &waits, options, beside).is_some() {
                continue;
            }
            let whole =
                first_of(executed.slicer(&|cell| slicer.is_at(cell, rivals.place)).of(rivals));
            let (written, race) =
                self.with_values(executed, (&first, whole), options).unwrap_or((written, race));
            let finding = self.racing(&written, Some(&race), found)?;
            return Ok(finding.map(|mut finding| {
                finding.why.push(of_first_rounds(rounds));
                finding.first_rounds = Some(rounds);
                finding.why.extend((racing != RacingThreads::All).then(|| OF_A_PAIR.to_owned()));
                finding
            }));
        }
        Ok(None)
    }

    /// The test of a slice that is asked about for races.
    fn test_of_race(
        &self,
        executed: &Executed,
        slice: &Slice,
        found: &mut LaunchFindings,
    ) -> Option<Written> {
        match executed.write(&self.name(), slice, "exists (false)") {
            Ok(written) => Some(written),
            Err(why) => {
                found.open(format!("{WHAT}: {why}"));
                None
            }
        }
    }

    /// The race of a slice whose test was asked about with 0 where values decide nothing, with what
    /// the kernel writes there; nothing where that is the same test, or none is found in it.
    fn with_own_values(
        &self,
        executed: &Executed,
        (slice, plain): (&Slice, &Slice),
        options: &PlaceOptions<'_>,
        found: &LaunchFindings,
    ) -> Option<(Written, margay_litmus::explicit::Witness)> {
        if slice == plain {
            return None;
        }
        let written = executed.write(&self.name(), slice, "exists (false)").ok()?;
        let verdict = self
            .deepened(
                &written,
                self.question.reading.races_or_why().ok()?,
                &options.of(&written),
                self.effort_beside(found),
            )
            .ok()?;
        verdict.race.map(|race| (written, race))
    }

    /// Asks about a test, and where the engines do not answer that about one with less in it, which
    /// is right where it finds something: gives the test that was answered. What leaves it open is
    /// noted.
    pub fn run_or_lean(
        &self,
        executed: &Executed,
        (written, lean): (Written, &dyn Fn() -> Option<Slice>),
        model: &Model,
        (what, options): (&str, &dyn Fn(&Written) -> Options),
        found: &mut LaunchFindings,
    ) -> Option<(Written, margay_litmus::explicit::TestVerdict)> {
        let effort = self.effort_beside(found);
        let failure = match self.deepened(&written, model, &options(&written), effort) {
            Ok(verdict) => return Some((written, verdict)),
            Err(failure) => failure,
        };
        let condition = if what == WHAT { "exists (false)" } else { "exists (true)" };
        let lean = lean().and_then(|lean| executed.write(&self.name(), &lean, condition).ok());
        if let Some(lean) = lean
            && let Ok(verdict) = self.deepened(&lean, model, &options(&lean), effort)
            && (verdict.race.is_some() || verdict.reachable)
        {
            return Some((lean, verdict));
        }
        self.left_open(failure, what, found);
        None
    }

    /// Looks for a race of two accesses in two widths, or of two widths of which some are the same;
    /// says whether there is one.
    fn race_of_widths(
        &self,
        executed: &Executed,
        slice: &Slice,
        (options, is_same): (&Options, bool),
        found: &mut LaunchFindings,
    ) -> Result<bool, String> {
        let Some(written) = self.test_of_race(executed, slice, found) else { return Ok(false) };
        let Some(verdict) =
            self.run_with(&written, self.question.reading.races_or_why()?, WHAT, options, found)
        else {
            return Ok(false);
        };
        if verdict.race.is_none() {
            let model = self.question.reading.races_or_why()?;
            self.settle((&written, model), &verdict, (WHAT, options), found);
            return Ok(false);
        }
        let Some(mut finding) = self.racing(&written, verdict.race.as_ref(), found)? else {
            return Ok(false);
        };
        if !is_same {
            // The test has a place that stands for the bytes of both.
            finding.stands.iter_mut().for_each(|stands| stands.event = None);
            finding.why[0] = "They overlap and are not of the same bytes, so they are never morally strong, and neither comes before the other in causality \
                              order (PTX ISA 8.7.1). The axioms of the model do not apply to a program with such a race (8.7.2). The test has a weak access \
                              beside each, to the bytes that both access."
                .to_owned();
        }
        found.findings.push(finding);
        Ok(true)
    }

    /// The race of a slice as a test that writes what the kernel writes, as the `whole` slice does,
    /// also where the race does not depend on it; nothing where the test does so already, or that
    /// is not found in a few steps.
    fn with_values(
        &self,
        executed: &Executed,
        (slice, whole): (&Slice, Slice),
        options: &PlaceOptions<'_>,
    ) -> Option<(Written, margay_litmus::explicit::Witness)> {
        if whole == *slice {
            return None;
        }
        let written = executed.write(&self.name(), &whole, "exists (false)").ok()?;
        let options = options.of(&written);
        let model = self.question.reading.races().ok()?;
        (0..=options.bounds.unroll)
            .find_map(|unroll| {
                let options =
                    Options { bounds: UnfoldingBounds { unroll, ..options.bounds }, ..options };
                self.engines.run_quickly(&written.read.test, model, &options).ok()?.race
            })
            .map(|race| (written, race))
    }

    /// The test of a slice, if it is certain that no execution of it has a race. Those that are
    /// lost since an mbarrier is not waited for are none of the kernel's.
    fn without_race(
        &self,
        executed: &Executed,
        slice: &Slice,
        options: &PlaceOptions<'_>,
        effort: Effort,
    ) -> Option<Written> {
        let written = executed.write(&self.name(), slice, "exists (false)").ok()?;
        let model = self.question.reading.races_or_why().ok()?;
        let verdict = self.deepened(&written, model, &options.of(&written), effort).ok()?;
        let ends = verdict.gap.as_ref().is_none_or(|gap| gap.kind() != GapKind::Endless);
        (verdict.race.is_none() && !verdict.bounded && ends).then_some(written)
    }

    /// Keeps the proof that a test has no race.
    fn keep_proof_of_none(
        &self,
        written: &Written,
        options: &PlaceOptions<'_>,
        found: &mut LaunchFindings,
    ) -> Result<(), String> {
        let model = self.question.reading.races_or_why()?;
        self.keep_proof(
            (written, model),
            &options.of(written),
            (WHAT, ExpectedProof::Nothing),
            found,
        );
        Ok(())
    }

    fn racing(
        &self,
        written: &Written,
        witness: Option<&margay_litmus::explicit::Witness>,
        found: &mut LaunchFindings,
    ) -> Result<Option<Finding>, String> {
        let Some(race) = witness.and_then(|witness| {
            self.question.reading.races().ok().and_then(|model| Race::of(model, witness))
        }) else {
            found.open("a data race was found, and its accesses were not");
            return Ok(None);
        };
        let stands: Vec<Stands> = race
            .accesses
            .iter()
            .filter_map(|a| {
                let thread = a.thread.index();
                let origin = origin_at(written, thread, a.place.0)?;
                // The value may be none that the kernel computes: what a race does not depend on is
                // taken out of its test.
                let event = a.event.split('=').next().unwrap_or_default().to_owned();
                Some(self.stands((thread, written.members[thread]), self.spot(origin), Some(event)))
            })
            .collect();
        let mut why = vec![
            "Neither comes before the other in causality order, and they are not morally strong (PTX ISA 8.7.1).".to_owned(),
        ];
        if let [a, b] = stands.as_slice() {
            why.extend(self.meant(a, b).map(str::to_owned));
        }
        why.extend(self.by_another_reading(written));
        let litmus = written.read.file.text.replace("exists (false)", "exists (true)");
        Ok(Some(Finding {
            kind: FindingKind::Race,
            stands,
            why,
            litmus,
            with_races: true,
            first_rounds: None,
            reading: self.question.reading,
            repair: unasked(),
        }))
    }

    /// The first reading by which the test of a race between blocks of a cluster has none, of those
    /// that allow less than the one that was asked by.
    fn by_another_reading(&self, written: &Written) -> Option<String> {
        if self.launch.cluster <= 1 || !written.read.test.locations.iter().any(|l| l.mbarrier) {
            return None;
        }
        let stricter = KernelReading::ALL.into_iter().skip(self.question.reading as usize + 1);
        stricter.into_iter().find_map(|other| {
            let [supposed, letter] = other.supposition()?;
            let verdict = self.engines.run_quickly(&written.read.test, other.races().ok()?, &self.options()).ok()?;
            (verdict.race.is_none() && !verdict.bounded && verdict.gap.is_none()).then(|| {
                format!(
                    "By the letter {letter}. If {supposed}, this test has no race: ask about the whole kernel with `--model {}`.",
                    other.name()
                )
            })
        })
    }

    /// The store that races with itself, in two lanes of a warp, if it is such a race.
    fn store_of_lanes(
        &self,
        executed: &Executed,
        written: &Written,
        witness: &margay_litmus::explicit::Witness,
    ) -> Option<Origin> {
        let race = self.question.reading.races().ok().and_then(|model| Race::of(model, witness))?;
        let of_access = |access: &RacingAccess| {
            let thread = access.thread.index();
            Some((written.members[thread] as u32, origin_at(written, thread, access.place.0)?))
        };
        let [one, other] = race.accesses.as_slice() else { return None };
        let ((a, first), (b, second)) = (of_access(one)?, of_access(other)?);
        let warp = |thread: u32| (thread / self.launch.threads, thread % self.launch.threads / 32);
        // In a loop that was unrolled the instruction stands for the stores of several rounds.
        let is_once = |thread: u32, origin: Origin| {
            executed.threads[thread as usize].iter().filter(|(_, of)| *of == Some(origin)).count()
                == 1
        };
        let is_store = matches!(
            self.prepared.effects[first.function].get(first.instruction),
            Some(Effect::Store { .. })
        );
        (first == second
            && warp(a) == warp(b)
            && is_store
            && is_once(a, first)
            && is_once(b, first))
        .then_some(first)
    }

    /// How the kernel may be meant to be launched, where two threads race in a launch that nobody
    /// asked for.
    fn meant(&self, a: &Stands, b: &Stands) -> Option<&'static str> {
        let selection = LaunchSelection::of(self.question, self.prepared);
        let is_fixed =
            self.question.module.functions[self.question.kernel].required_threads.is_some();
        match selection.named || is_fixed {
            false if selection.is_alike() => {
                Some("If it is launched with one thread, ask with `--launch 1x1`.")
            }
            false if a.block == b.block && a.spot == b.spot => Some(
                "Two threads of one block execute the same line. If blocks have one thread, ask with `--launch 2x1`.",
            ),
            _ => None,
        }
    }

    /// Tests that are to have no race, so that a race of this launch is not there: that of a pair
    /// of threads where it is said which. Of large ones those are asked about that have so many
    /// first rounds, where that is said.
    pub fn race_goals(
        &self,
        executed: &Executed,
        rounds: Option<usize>,
    ) -> Result<Vec<(Written, Options)>, String> {
        let slicer = executed.slicer(&|_| false);
        let options_at = self.options_by_place(executed, &slicer);
        let mut asked: BTreeSet<String> = BTreeSet::new();
        let mut goals = Vec::new();
        let phases = slicer.phases();
        for &rivals in slicer.rivals() {
            // Without all of them no repair is told.
            if self.is_over() {
                return Err("it was stopped by a limit or by Ctrl-C".to_owned());
            }
            if slicer.share_a_block(rivals.threads)
                && phases.are_apart(rivals.place, rivals.threads)
            {
                continue;
            }
            let slice = slicer.of(rivals).in_first_rounds(rounds, &|thread| slicer.block(thread));
            let shape =
                executed.shape(&slicer.without_values(&slice), slicer.cell_at(rivals.place));
            if asked.insert(shape)
                && let Ok(written) = executed.write(&self.name(), &slice, "exists (false)")
            {
                let options = options_at(rivals.place).of(&written);
                goals.push((written, options));
            }
        }
        Ok(goals)
    }
}
