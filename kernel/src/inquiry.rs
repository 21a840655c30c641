//! The questions about one launch.

use std::collections::BTreeSet;
use std::time::Instant;

use margay_litmus::explicit::{Error, Options, TestVerdict};
use margay_litmus::unfold::{RetryRounds, UnfoldingBounds};
use margay_models::model::Model;
use margay_ptx::Operand;
use margay_ptx::effect::Effect;

use crate::answer::{
    Finding, FindingKind, LaunchAnswer, LaunchVerdict, NotLooked, RepairAnswer, Spot, Stands,
};
use crate::condition::{ELEMENT, FinalCondition, asked_bytes};
use crate::effort::{Effort, Engines};
use crate::launch::{Launch, MAX_THREADS};
use crate::layout::{Layout, Object};
use crate::limits::PlaceLimits;
use crate::mark::MarkKind;
use crate::omission::{Omission, OmissionReason};
use crate::parameter::{has_short_pointer, made_of};
use crate::program::{Executed, Written, clean};
use crate::proofs::LaunchProofs;
use crate::question::KernelQuestion;
use crate::reached::reached;
use crate::repair::Goal;
use crate::residue::Origin;
use crate::selection::LaunchSelection;
use crate::slice::Slice;
use crate::stopped::STOPS;
use crate::thread::PreparedModule;

/// Why the engines gave up.
pub(crate) const TOO_LONG: &str =
    "it takes more steps than are done (`--launch` asks about one launch, with more)";

/// Registers that say how many threads a block has, and how many blocks there are.
const SIZES: [&str; 2] = ["ntid", "nctaid"];

/// As many threads as the smallest of the chosen launches has.
const SMALLEST: u32 = 2;

pub(crate) struct Inquiry<'a, 'm> {
    pub question: &'a KernelQuestion<'a>,
    pub prepared: &'a PreparedModule<'m>,
    pub layout: &'a Layout,
    pub launch: Launch,
    pub deadline: Option<Instant>,
    /// How much is done for it.
    pub effort: Effort,
    pub engines: &'a Engines,
}

/// Why a question was given up, and up to how many rounds of loops nothing was found.
pub(crate) struct DeepeningFailure {
    pub error: Error,
    pub rounds: Option<usize>,
}

/// What a launch is found to be.
#[derive(Default)]
pub(crate) struct LaunchFindings {
    pub findings: Vec<Finding>,
    pub not_looked: Vec<NotLooked>,
    pub undecided: bool,
    /// Were waits not looked into?
    pub no_waits: bool,
    /// What is answered with a proof, and without, where proofs are kept.
    pub proofs: LaunchProofs,
    /// Why the launch, which was chosen, is none that the kernel is written for, unless something
    /// is found in it.
    pub not_meant: Option<String>,
}

impl LaunchFindings {
    /// Something that was not looked at, and leaves nothing open.
    pub fn note(&mut self, why: impl Into<String>) {
        let not = NotLooked { line: None, text: None, why: why.into(), guessed: false };
        if !self.not_looked.contains(&not) {
            self.not_looked.push(not);
        }
    }

    pub fn open(&mut self, why: impl Into<String>) {
        self.undecided = true;
        let not = NotLooked { line: None, text: None, why: why.into(), guessed: false };
        if !self.not_looked.contains(&not) {
            self.not_looked.push(not);
        }
    }
}

impl Inquiry<'_, '_> {
    pub fn ask(&self) -> Result<LaunchAnswer, String> {
        let launch = self.launch;
        let not_asked = |why: String| LaunchAnswer {
            launch,
            asked: LaunchVerdict::NotAsked(why),
            findings: Vec::new(),
            not_looked: Vec::new(),
            size: 0,
            waits: false,
            litmus: String::new(),
            proofs: LaunchProofs::default(),
        };
        if launch.total() > MAX_THREADS {
            return Ok(not_asked(format!(
                "it has {} threads; at most {MAX_THREADS} are executed",
                launch.total()
            )));
        }
        let module = self.question.module;
        if module.address_size == 32
            && has_short_pointer(module, self.prepared, self.question.kernel)
        {
            return Ok(not_asked(
                "PTX with addresses of 32 bits is not read; without `.address_size 64` addresses have 32".to_owned(),
            ));
        }
        let required = self.question.module.functions[self.question.kernel].required_threads;
        if let Some([x, y, z]) = required.filter(|r| *r != launch.block) {
            return Ok(not_asked(format!(
                "the kernel can be launched with blocks of {x}x{y}x{z} threads only (`.reqntid`)"
            )));
        }
        let cluster = self.question.module.functions[self.question.kernel].required_cluster;
        if let Some([x, y, z]) = cluster.filter(|c| *c != [launch.cluster, 1, 1]) {
            let one = if [y, z] == [1, 1] {
                String::new()
            } else {
                "; clusters have one dimension here".to_owned()
            };
            return Ok(not_asked(format!(
                "the kernel can be launched in clusters of {x}x{y}x{z} blocks only (`.reqnctapercluster`){one}"
            )));
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Ok(not_asked("it was stopped by a limit or by Ctrl-C".to_owned()));
        }
        let finals = self
            .question
            .finals
            .iter()
            .map(|text| FinalCondition::read(text, self.layout))
            .collect::<Result<Vec<_>, _>>()?;
        let asked = asked_bytes(&finals);
        let mut found = LaunchFindings::default();
        let executed = match Executed::new(
            self.prepared,
            self.layout,
            self.question.kernel,
            launch,
            &asked,
            &|| self.is_over(),
        ) {
            Ok(executed) => executed,
            Err(why) => {
                found.open(why);
                return Ok(self.settled(found, None));
            }
        };
        self.engines.visited.borrow_mut().extend(executed.visited.keys().copied());
        let selection = LaunchSelection::of(self.question, self.prepared);
        if !selection.named
            && !selection.reads_size
            && !selection.is_its_size(launch)
            && let Some((origin, count, come)) = executed.short_of_arrivals()
        {
            return Ok(not_asked(format!(
                "an mbarrier waits for {count} arrivals (PTX line {}), and at most {come} come: the kernel seems to be written for more threads (`--launch` asks about them)",
                self.spot(origin).line
            )));
        }
        for omission in &executed.omissions {
            found.undecided = true;
            found.not_looked.push(self.not_looked(omission));
        }
        found
            .not_looked
            .extend(executed.suppositions.iter().map(|supposed| self.not_looked(supposed)));
        let not_meant = |why: String| LaunchAnswer {
            asked: LaunchVerdict::NotMeant(why),
            ..not_asked(String::new())
        };
        if let Some(why) = self.misaligned_by_its_size(&executed, selection) {
            return Ok(not_meant(why));
        }
        if let Some(why) = self.outside_of_smaller(&executed, selection)? {
            return Ok(not_meant(why));
        }
        self.other_launches(&mut found);
        self.barriers(&executed, &mut found);
        self.race(&executed, &mut found)?;
        self.ended(&executed, &mut found);
        if let Some(why) =
            found.findings.iter().find_map(|finding| self.is_too_wide(finding, selection))
        {
            return Ok(not_meant(why));
        }
        for (kind, as_kind) in STOPS {
            self.stops(&executed, kind, Some(as_kind), &mut found)?;
        }
        self.stops(&executed, MarkKind::Cut, None, &mut found)?;
        self.undefined(&executed, &mut found)?;
        self.cached(&executed, &mut found)?;
        for condition in &finals {
            self.holds(&executed, condition, &mut found)?;
        }
        self.waits(&executed, &mut found)?;
        self.stale(&executed, &mut found)?;
        self.in_step(&executed, &mut found)?;
        self.vectors(&finals, &mut found)?;
        if self.question.weak {
            self.weak_only(&executed, &mut found)?;
        }
        Ok(self.settled(found, Some(&executed)))
    }

    /// Why a launch that was chosen is none that the kernel is written for: it is not the smallest
    /// one, and some thread leaves an array, as none does in the smaller ones.
    fn outside_of_smaller(
        &self,
        executed: &Executed,
        selection: LaunchSelection,
    ) -> Result<Option<String>, String> {
        let fixed = self.question.module.functions[self.question.kernel].required_threads.is_some();
        if selection.named
            || fixed
            || self.launch.total() <= SMALLEST
            || executed.stops(MarkKind::Outside).is_empty()
        {
            return Ok(None);
        }
        // It is no matter of their size where the kernel says itself how many threads come there,
        // and others of the block do not.
        let limits =
            PlaceLimits::of(self.question.module, &reached(self.prepared, self.question.kernel));
        let is_limited = |origin: Origin| {
            let end = executed.visited.get(&origin).map_or(0, |highest| highest + 1);
            end < self.launch.block[0] && limits.ends_at(end)
        };
        if executed.stops(MarkKind::Outside).iter().all(|(_, mark)| is_limited(mark.origin)) {
            return Ok(None);
        }
        // Where others then wait for the thread no execution ends, and the engines find none.
        let surely = executed.surely_outside().map(|origin| self.spot(origin));
        let mut found = LaunchFindings::default();
        if surely.is_none() {
            self.stops(executed, MarkKind::Outside, Some(FindingKind::Outside), &mut found)?;
        }
        let spot = found
            .findings
            .iter()
            .flat_map(|finding| &finding.stands)
            .map(|stands| stands.spot.clone())
            .next();
        Ok(surely.or(spot).map(|spot| {
            format!(
                "it leaves an array (PTX line {}), as smaller launches do not: the kernel seems to be written for smaller ones (`--launch {}` asks about it)",
                spot.line, self.launch
            )
        }))
    }

    /// Why a launch that was chosen is none that the kernel is written for: an address that is made
    /// of how many threads or blocks there are, or of a number that was chosen for a parameter, is
    /// no multiple of what its access asks for.
    fn misaligned_by_its_size(
        &self,
        executed: &Executed,
        selection: LaunchSelection,
    ) -> Option<String> {
        if selection.named {
            return None;
        }
        let of_number = executed
            .omissions
            .iter()
            .find(|o| matches!(o.why, OmissionReason::Unaligned(_)))
            .and_then(|o| o.origin);
        let of_launch = || {
            let is_size = |o: &Operand| matches!(o, Operand::Special(name) if SIZES.iter().any(|size| name.starts_with(size)));
            let made = made_of(self.prepared, &is_size);
            let is_of = |origin: &Origin, operand: &Operand| matches!(operand, Operand::Register(register) if made.contains(&(origin.function, *register)));
            let is_made = |origin: &Origin| {
                let body =
                    self.question.module.functions[origin.function].body.as_deref().unwrap_or(&[]);
                let Some(instruction) = body.get(origin.instruction) else { return false };
                // A copy has two addresses, and a size.
                let (all, is_copy) =
                    (&instruction.operands, instruction.opcode == "cp" || instruction.has("bulk"));
                let base =
                    |o: &'_ Operand| matches!(o, Operand::Address(base, _) if is_of(origin, base));
                all.iter().any(base) || is_copy && all.iter().any(|o| is_of(origin, o))
            };
            executed.stops(MarkKind::Misaligned).iter().map(|(_, mark)| mark.origin).find(is_made)
        };
        of_number.or_else(of_launch).map(|origin| {
            format!(
                "an address is no multiple of its access's size (PTX line {}), and is made of how many threads or blocks there are: the kernel seems to be \
                 written for other numbers (`--launch {}` asks about it)",
                self.spot(origin).line,
                self.launch
            )
        })
    }

    /// Why a race in a launch that was chosen says nothing of the kernel: blocks are wider than the
    /// number that it multiplies the places of blocks, or of rows, with.
    fn is_too_wide(&self, finding: &Finding, selection: LaunchSelection) -> Option<String> {
        let fixed = self.question.module.functions[self.question.kernel].required_threads.is_some();
        if selection.named
            || fixed
            || selection.reads_size
            || selection.is_its_size(self.launch)
            || finding.kind != FindingKind::Race
        {
            return None;
        }
        let is_of_blocks = finding.stands.windows(2).any(|two| two[0].block != two[1].block);
        let width = if is_of_blocks { selection.block_width } else { selection.row_width }?;
        let [x, ..] = self.launch.block;
        let what = if is_of_blocks { "the number of a block" } else { "that of a row" };
        (width < x).then(|| {
            format!(
                "the kernel multiplies {what} by {width}, does not ask how large blocks are, and is given {x} threads in a row: it seems to be written for \
                 {width} (`--launch {}` asks about it)",
                self.launch
            )
        })
    }

    /// What orders the launch with others says nothing of it alone, and what it is for is not
    /// looked at.
    fn other_launches(&self, found: &mut LaunchFindings) {
        let why = "what it orders, with the launches before and behind this one, is not looked at: a kernel is asked about alone";
        for function in reached(self.prepared, self.question.kernel) {
            for (instruction, effect) in self.prepared.effects[function].iter().enumerate() {
                if matches!(effect, Effect::OtherLaunches) {
                    let origin = Some(Origin { function, instruction });
                    found.not_looked.push(self.not_looked(&Omission::in_part(origin, why)));
                }
            }
        }
    }

    pub fn settled(&self, mut found: LaunchFindings, executed: Option<&Executed>) -> LaunchAnswer {
        for not in found.not_looked.iter_mut().filter(|n| n.line.is_none()) {
            not.why = format!("launch {}, {}", self.launch, not.why);
        }
        found.not_looked.sort();
        found.not_looked.dedup();
        let asked = match (found.not_meant.take(), found.undecided) {
            _ if !found.findings.is_empty() => LaunchVerdict::Found,
            (Some(why), _) => {
                found.not_looked.clear();
                LaunchVerdict::NotMeant(why)
            }
            (None, true) => LaunchVerdict::Undecided,
            (None, false) => LaunchVerdict::Nothing,
        };
        let size = executed.map_or(0, Executed::size);
        let litmus = executed.map_or(String::new(), |e| shown(e, &self.name(), "exists (true)"));
        LaunchAnswer {
            launch: self.launch,
            asked,
            findings: found.findings,
            not_looked: found.not_looked,
            size,
            waits: !found.no_waits,
            litmus,
            proofs: found.proofs,
        }
    }

    /// Is the time up, or was the question stopped?
    pub fn is_over(&self) -> bool {
        self.question.is_over_by(self.deadline)
    }

    pub fn spot(&self, origin: Origin) -> Spot {
        Spot::new(self.question.module, self.question.text, origin)
    }

    pub fn not_looked(&self, omission: &Omission) -> NotLooked {
        let spot = omission.origin.map(|origin| self.spot(origin));
        NotLooked {
            line: spot.as_ref().map(|s| s.line),
            text: spot.map(|s| s.text),
            why: omission.why.to_string(),
            guessed: omission.guessed,
        }
    }

    pub fn options(&self) -> Options {
        self.options_with(self.question.unroll)
    }

    fn options_with(&self, unroll: usize) -> Options {
        let bounds = UnfoldingBounds { unroll, ..UnfoldingBounds::default() };
        Options { bounds, deadline: self.deadline, stop: self.question.stop, ..Options::default() }
    }

    pub fn name(&self) -> String {
        clean(&format!(
            "{}_{}",
            self.question.module.functions[self.question.kernel].name, self.launch
        ))
    }

    /// A thread by its numbers in a test and in the launch.
    pub fn stands(
        &self,
        (test, thread): (usize, usize),
        spot: Spot,
        event: Option<String>,
    ) -> Stands {
        let thread = thread as u32;
        Stands {
            test_thread: test as u32,
            block: thread / self.launch.threads,
            thread: thread % self.launch.threads,
            spot,
            event,
        }
    }

    /// Runs a test of what is so at the end, or where a thread stops, in executions without a race;
    /// what leaves it open is noted.
    pub fn run_to_the_end(
        &self,
        written: &Written,
        model: &Model,
        what: &str,
        found: &mut LaunchFindings,
    ) -> Option<TestVerdict> {
        self.run_with(written, model, what, &self.options_to_the_end(), found)
    }

    pub fn options_to_the_end(&self) -> Options {
        let mut options = self.options();
        options.bounds.retries = RetryRounds::Last;
        options
    }

    /// Runs a test; what leaves it open is noted.
    pub fn run(
        &self,
        written: &Written,
        model: &Model,
        what: &str,
        found: &mut LaunchFindings,
    ) -> Option<TestVerdict> {
        self.run_with(written, model, what, &self.options(), found)
    }

    /// Fewest rounds of loops first, up to the bound: what is wrong is mostly so without going
    /// round. Where that nothing is wrong is seen at once, it is for all rounds. A test in which
    /// nothing was found is asked about once: with other contents of arrays it is often the same.
    pub fn deepened(
        &self,
        written: &Written,
        model: &Model,
        options: &Options,
        effort: Effort,
    ) -> Result<TestVerdict, DeepeningFailure> {
        let key = (written.read.file.text.clone(), model.source.name.clone(), options.bounds);
        if let Some(verdict) = self.engines.without_finding.borrow().get(&key) {
            return Ok(verdict.clone());
        }
        let noted = |verdict: TestVerdict| {
            if !verdict.reachable && verdict.race.is_none() {
                self.engines.without_finding.borrow_mut().insert(key.clone(), verdict.clone());
            }
            verdict
        };
        if self.is_over() {
            return Err(DeepeningFailure { error: Error::Time, rounds: None });
        }
        if let Ok(verdict) = self.engines.run_quickly(&written.read.test, model, options)
            && !verdict.reachable
            && verdict.race.is_none()
        {
            return Ok(noted(verdict));
        }
        let mut rounds = None;
        for unroll in 0..=options.bounds.unroll {
            let bounds = UnfoldingBounds { unroll, ..options.bounds };
            let verdict = self
                .engines
                .run(&written.read.test, model, &Options { bounds, ..*options }, effort)
                .map_err(|error| DeepeningFailure { error, rounds })?;
            if verdict.reachable
                || verdict.race.is_some()
                || !verdict.bounded
                || unroll == options.bounds.unroll
            {
                return Ok(noted(verdict));
            }
            rounds = Some(unroll);
        }
        Err(DeepeningFailure { error: Error::Steps, rounds })
    }

    pub fn run_with(
        &self,
        written: &Written,
        model: &Model,
        what: &str,
        options: &Options,
        found: &mut LaunchFindings,
    ) -> Option<TestVerdict> {
        match self.deepened(written, model, options, self.effort_beside(found)) {
            Ok(verdict) => Some(verdict),
            Err(failure) => {
                self.left_open(failure, what, found);
                None
            }
        }
    }

    /// How much is done beside what was found.
    pub fn effort_beside(&self, found: &LaunchFindings) -> Effort {
        if found.findings.is_empty() { self.effort } else { self.effort.at_most(Effort::BESIDE) }
    }

    /// Notes why a test is not answered.
    pub fn left_open(
        &self,
        DeepeningFailure { error, rounds }: DeepeningFailure,
        what: &str,
        found: &mut LaunchFindings,
    ) {
        let why = match &error {
            Error::Time => "it was stopped by a limit or by Ctrl-C".to_owned(),
            Error::Steps => TOO_LONG.to_owned(),
            other => other.to_string(),
        };
        found.open(match rounds {
            None => format!("{what}: {why}"),
            Some(0) => format!("{what}: nothing is found where no loop is gone round; for more {why}"),
            Some(1) => format!("{what}: nothing is found where loops are gone round once at most; for more {why}"),
            Some(n) => format!("{what}: nothing is found where loops are gone round {n} times at most; for more {why}"),
        });
    }

    /// Tests of this launch that are to have neither an outcome nor a race, so that what was found
    /// is not there; large ones with so many first rounds of loops, where that is said.
    pub fn goals(&self, kind: FindingKind, rounds: Option<usize>) -> Result<Vec<Goal>, String> {
        let finals = self
            .question
            .finals
            .iter()
            .map(|text| FinalCondition::read(text, self.layout))
            .collect::<Result<Vec<_>, _>>()?;
        let Ok(executed) = Executed::new(
            self.prepared,
            self.layout,
            self.question.kernel,
            self.launch,
            &asked_bytes(&finals),
            &|| self.is_over(),
        ) else {
            return Ok(Vec::new());
        };
        if kind == FindingKind::Race {
            let goals = self.race_goals(&executed, rounds)?.into_iter();
            let model = self.question.reading.races_or_why()?;
            return Ok(goals.map(|(written, options)| Goal { written, model, options }).collect());
        }
        if kind == FindingKind::Stale {
            let model = self.question.reading.stale()?;
            let goals = self.stale_goals(&executed, rounds).into_iter();
            return Ok(goals.map(|(written, options)| Goal { written, model, options }).collect());
        }
        let stops = |kind: MarkKind| {
            let threads: BTreeSet<usize> = executed.stops(kind).iter().map(|(t, _)| *t).collect();
            let any: Vec<String> =
                threads.iter().map(|t| format!("P{t}:{} != 0", kind.register())).collect();
            (!any.is_empty()).then(|| format!("exists ({})", any.join(" \\/ ")))
        };
        let condition = match kind {
            FindingKind::Trap => stops(MarkKind::Trap),
            FindingKind::Outside => stops(MarkKind::Outside),
            FindingKind::Misaligned => stops(MarkKind::Misaligned),
            FindingKind::Mbarrier => stops(MarkKind::Mbarrier),
            _ => {
                let all: Vec<String> = finals
                    .iter()
                    .filter_map(|f| f.named(&executed).ok())
                    .map(|text| format!("({text})"))
                    .collect();
                (!all.is_empty()).then(|| format!("forall ({})", all.join(" /\\ ")))
            }
        };
        let Some(condition) = condition else { return Ok(Vec::new()) };
        let slice = executed.slicer(&|cell| finals.iter().any(|f| f.is_of(cell))).base();
        let Ok(written) = executed.write(&self.name(), &slice, &condition) else {
            return Ok(Vec::new());
        };
        Ok(vec![Goal { written, model: self.question.reading.model()?, options: self.options() }])
    }

    pub fn holds(
        &self,
        executed: &Executed,
        condition: &FinalCondition,
        found: &mut LaunchFindings,
    ) -> Result<(), String> {
        let initial =
            |object, offset, bytes| self.layout.initial(object, offset, bytes).unwrap_or(0);
        if let Some(name) = condition.in_parts(executed, &initial) {
            found.open(format!(
                "the condition `{}`: `{name}` is {ELEMENT} bytes, and the kernel accesses them in parts of which no access has the value",
                condition.text
            ));
            return Ok(());
        }
        let text = condition.named(executed)?;
        let is_opaque = |part: &Result<String, (Object, u64, String)>| match part {
            Err((object, offset, _)) => executed.facts.opaque.contains(&(*object, *offset)),
            Ok(_) => false,
        };
        if condition.parts.iter().any(is_opaque) {
            found.open(format!(
                "`{}`: what is there at the end comes of arithmetic that is not interpreted",
                condition.text
            ));
            return Ok(());
        }
        let slice = executed.slicer(&|cell| condition.is_of(cell)).base();
        let written = executed
            .write(&self.name(), &slice, &format!("forall ({text})"))
            .map_err(|why| format!("the condition `{}` cannot be asked: {why}", condition.text))?;
        let Some(verdict) =
            self.run_to_the_end(&written, self.question.reading.model()?, &condition.text, found)
        else {
            return Ok(());
        };
        if !verdict.reachable {
            self.exchanged(&slice, &condition.text, found);
            let (model, asked) = (self.question.reading.model()?, &self.options_to_the_end());
            self.settle((&written, model), &verdict, (&condition.text, asked), found);
            return Ok(());
        }
        let repair = unasked();
        let why = vec![format!("An execution ends in which `{}` does not hold.", condition.text)];
        let litmus = written.read.file.text.clone();
        found.findings.push(Finding {
            kind: FindingKind::Final,
            stands: Vec::new(),
            why,
            litmus,
            with_races: false,
            first_rounds: None,
            reading: self.question.reading,
            repair,
        });
        Ok(())
    }
}

pub(crate) fn shown(executed: &Executed, name: &str, condition: &str) -> String {
    executed
        .write(name, &Slice::whole(&executed.threads), condition)
        .map_or(String::new(), |written| written.read.file.text.clone())
}

/// The instruction that a place in a test is of.
pub(crate) fn origin_at(
    written: &Written,
    thread: usize,
    span: margay_models::diagnostic::Span,
) -> Option<Origin> {
    let instructions =
        written.read.test.instructions(margay_litmus::test::ThreadId(u16::try_from(thread).ok()?));
    let at = instructions.iter().position(|i| i.place.0 == span)?;
    written.origins.get(thread)?.get(at).copied().flatten()
}

/// Before a repair is looked for.
pub(crate) fn unasked() -> RepairAnswer {
    RepairAnswer::Open("repairs were not asked for".to_owned())
}
