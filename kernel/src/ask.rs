//! The questions about a kernel, launch by launch.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use margay_litmus::engine::{Choice, Runner};
use margay_litmus::explicit::{Error, Options, Verdict};
use margay_litmus::gap::{Gap, GapKind};
use margay_litmus::race::Race;
use margay_litmus::unfold::Bounds;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::library;
use margay_models::model::Model;
use margay_models::typing::OnlyBuiltIn;
use margay_ptx::effect::Effect;
use margay_ptx::{Function, Kind, Module, Parameter};

use crate::answer::{
    Finding, FindingKind, HardeningAnswer, KernelAnswer, LaunchAnswer, LaunchVerdict, NotLooked, RepairAnswer, Spot, Stands,
    WeakerAnswer,
};
use crate::harden::harden;
use crate::launch::{Argument, CHOSEN, GivenArgument, Launch, MAX_THREADS, SMALL};
use crate::layout::{Layout, Object};
use crate::meeting::{Barriers, Company, Sequence, WARP, barriers, company, has_count, stuck};
use crate::obligation::Obligations;
use crate::parameter::{ParameterUse, parameter_uses};
use crate::program::{Executed, Written, clean};
use crate::repair::{Goal, repair};
use crate::residue::Origin;
use crate::thread::{MarkKind, Omission, Prepared};
use crate::waiting::{STANDING, last_rounds};
use crate::weaker::weaker;

/// The model `ptx-8` with data races (PTX ISA 8.7.1) as a reason why a program is undefined: a text that `margay run --model` takes.
pub const RACES: &str = include_str!("../races.cat");

/// The model of [`RACES`].
///
/// # Errors
/// It cannot be read: a bug of Margay.
pub fn races() -> Result<&'static Model, Vec<Diagnostic>> {
    static MODEL: OnceLock<Result<Model, Vec<Diagnostic>>> = OnceLock::new();
    let load = || {
        let source = SourceFile::new("<built-in>/ptx-8-races.cat", RACES);
        Model::parse_with(source, &OnlyBuiltIn, &margay_models::typing::TypingOptions::default()).map(|loaded| loaded.model)
    };
    MODEL.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// What is asked about a kernel.
#[derive(Debug, Clone)]
pub struct KernelQuestion<'a> {
    /// The text of PTX.
    pub text: &'a str,
    /// What it says.
    pub module: &'a Module,
    /// The kernel, by its number among the functions.
    pub kernel: usize,
    /// The launches; those of [`CHOSEN`] where none is named.
    pub launches: &'a [Launch],
    /// The arguments that are given.
    pub arguments: &'a [GivenArgument],
    /// What must hold at the end, as in a litmus test, over elements of arrays: `arg0[0] == 2`.
    pub finals: &'a [String],
    /// How often each backward jump is taken.
    pub unroll: usize,
    /// When no more is asked.
    pub deadline: Option<Instant>,
    /// Raised when no answer is wanted any more.
    pub stop: Option<&'static Arc<AtomicBool>>,
    /// How long a repair of each finding is looked for; not at all where nothing is said.
    pub repairs: Option<Duration>,
    /// How long each launch may take that was chosen and has many threads.
    pub large: Duration,
}

/// Asks about a kernel: smaller launches first, until one goes wrong.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn ask(question: &KernelQuestion<'_>) -> Result<KernelAnswer, String> {
    let prepared = Prepared::new(question.module);
    let function = &question.module.functions[question.kernel];
    let launches = match (question.launches, function.required_threads) {
        ([], Some([x, y, z])) if y == 1 && z == 1 => vec![Launch::new(1, x), Launch::new(2, x)],
        ([], _) => CHOSEN.to_vec(),
        (given, _) => given.to_vec(),
    };
    let mut answer = KernelAnswer { kernel: function.name.clone(), arguments: Vec::new(), launches: Vec::new() };
    for &launch in &launches {
        let (arguments, said) = arguments(question, &prepared, function, launch)?;
        if answer.arguments.is_empty() || launch == *question.launches.first().unwrap_or(&launch) {
            answer.arguments = said;
        }
        let layout = Layout::new(question.module, function, &reached(&prepared, question.kernel), &arguments)?;
        let deadline = match question.launches.is_empty() && launch.total() > SMALL {
            true => sooner(question.deadline, question.large),
            false => question.deadline,
        };
        let asked = Inquiry { question, prepared: &prepared, layout: &layout, launch, deadline }.ask()?;
        answer.launches.push(asked);
        if answer.wrong().is_some() {
            break;
        }
    }
    if let Some(time) = question.repairs
        && let Some(wrong) = answer.launches.iter_mut().find(|l| !l.findings.is_empty())
    {
        mend(question, &prepared, &launches, (wrong, time))?;
    }
    Ok(answer)
}

/// The end of a time from now, or of the whole question where that is sooner.
fn sooner(deadline: Option<Instant>, time: Duration) -> Option<Instant> {
    let end = Instant::now().checked_add(time);
    deadline.into_iter().chain(end).min()
}

/// The most threads of the launches that a repair must hold in, beside the one that goes wrong.
const MENDED: u32 = 3;

/// Looks for repairs of what goes wrong in a launch. They must hold in the other small launches as well: what is enough within a block need
/// not be between blocks. Launches of several blocks come first.
fn mend(
    question: &KernelQuestion<'_>,
    prepared: &Prepared<'_>,
    launches: &[Launch],
    (wrong, time): (&mut LaunchAnswer, Duration),
) -> Result<(), String> {
    let function = &question.module.functions[question.kernel];
    let mut all: Vec<Launch> = launches.iter().copied().filter(|l| l.total() <= MENDED || *l == wrong.launch).collect();
    all.sort_by_key(|l| (l.blocks == 1, l.total(), l.blocks));
    for finding in &mut wrong.findings {
        if !matches!(finding.kind, FindingKind::Race | FindingKind::Trap | FindingKind::Outside | FindingKind::Final) {
            continue;
        }
        let mut goals = Vec::new();
        let deadline = sooner(question.deadline, time);
        for &launch in &all {
            let (arguments, _) = arguments(question, prepared, function, launch)?;
            let layout = Layout::new(question.module, function, &reached(prepared, question.kernel), &arguments)?;
            let inquiry = Inquiry { question, prepared, layout: &layout, launch, deadline };
            goals.extend(inquiry.goal(finding.kind)?);
        }
        finding.repair = repair(&goals, (question.module, question.text));
    }
    Ok(())
}

/// All that must hold of a kernel: in the launches that are given, or the small ones of those that are chosen. Those that were not made into
/// tests are not among them.
pub(crate) fn obligations(question: &KernelQuestion<'_>, deadline: Option<Instant>) -> Result<Obligations, String> {
    let prepared = Prepared::new(question.module);
    let function = &question.module.functions[question.kernel];
    let small: Vec<Launch> = CHOSEN.iter().copied().filter(|l| l.total() <= SMALL).collect();
    let launches = if question.launches.is_empty() { &small } else { question.launches };
    let (mut goals, mut of, mut not_looked) = (Vec::new(), Vec::new(), Vec::new());
    for &launch in launches {
        let (arguments, _) = arguments(question, &prepared, function, launch)?;
        let layout = Layout::new(question.module, function, &reached(&prepared, question.kernel), &arguments)?;
        let inquiry = Inquiry { question, prepared: &prepared, layout: &layout, launch, deadline };
        let executed = match Executed::new(&prepared, &layout, question.kernel, launch, &[], &|| inquiry.is_over()) {
            Ok(executed) => executed,
            Err(why) => {
                let why = format!("launch {launch}, {why}");
                not_looked.push(NotLooked { line: None, text: None, why, guessed: true });
                continue;
            }
        };
        not_looked.extend(executed.omissions.iter().map(|omission| inquiry.not_looked(omission)));
        for kind in [FindingKind::Race, FindingKind::Trap, FindingKind::Outside, FindingKind::Final] {
            goals.extend(inquiry.goal(kind)?);
        }
        of.push(launch);
    }
    not_looked.sort();
    not_looked.dedup();
    Ok(Obligations::new(goals, of, not_looked))
}

/// Which fences a kernel needs so that nothing goes wrong in its launches, and what was not looked at.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn hardened(question: &KernelQuestion<'_>, time: Duration) -> Result<(HardeningAnswer, Vec<NotLooked>), String> {
    let deadline = sooner(question.deadline, time);
    let obligations = obligations(question, deadline)?;
    let answer = harden(&obligations, (question.module, question.text), deadline);
    Ok((answer, obligations.not_looked))
}

/// What of a kernel could be weaker, if nothing goes wrong in its launches, and what was not looked at.
///
/// # Errors
/// The question is wrong: what is wrong with it.
pub fn weakened(question: &KernelQuestion<'_>, time: Duration) -> Result<(WeakerAnswer, Vec<NotLooked>), String> {
    let deadline = sooner(question.deadline, time);
    let obligations = obligations(question, deadline)?;
    let answer = weaker(&obligations, (question.module, question.text), deadline);
    Ok((answer, obligations.not_looked))
}

/// What is passed for each parameter, and the same in words.
fn arguments(
    question: &KernelQuestion<'_>,
    prepared: &Prepared<'_>,
    function: &Function,
    launch: Launch,
) -> Result<(Vec<Argument>, Vec<String>), String> {
    let count = function.parameters.len();
    for given in question.arguments {
        let same = matches!(given.argument, Argument::SameAs(other) if other >= given.parameter);
        if given.parameter >= count || same {
            let what = if same {
                "an earlier parameter must be named".to_owned()
            } else {
                let many = if count == 1 { "1 parameter".to_owned() } else { format!("{count} parameters") };
                format!("`{}` has {many}, from 0", function.name)
            };
            return Err(format!("there is no argument for parameter {}: {what}", given.parameter));
        }
    }
    let given = |n: usize| question.arguments.iter().rev().find(|g| g.parameter == n).map(|g| g.argument.clone());
    let fixed: Vec<Option<ParameterUse>> = (0..count)
        .map(|n| given(n).map(|a| if matches!(a, Argument::Number(_)) { ParameterUse::Number } else { ParameterUse::Pointer }))
        .collect();
    let uses = parameter_uses(question.module, prepared, question.kernel, &fixed);
    let (mut found, mut said) = (Vec::new(), Vec::new());
    for (n, parameter) in function.parameters.iter().enumerate() {
        let was_given = given(n).is_some();
        let variable = if let Parameter::Memory(id) = parameter { Some(question.module.variable(*id)) } else { None };
        let is_float = variable.is_some_and(|v| v.ty.kind == Kind::Float);
        let is_structure = variable.is_some_and(is_structure);
        let argument = given(n).unwrap_or_else(|| match uses[n] {
            _ if is_structure => Argument::Unknown,
            ParameterUse::Pointer => Argument::Array { bytes: None, content: Vec::new() },
            ParameterUse::Open => Argument::Unknown,
            ParameterUse::Number if is_float => Argument::Number(0),
            ParameterUse::Number => Argument::Number(i64::from(launch.total())),
        });
        let how = if was_given { "" } else { ", chosen" };
        let mut sentence = match &argument {
            Argument::Number(_) if !was_given && is_float => format!("arg{n} = 0.0 (chosen)"),
            Argument::Number(n2) if !was_given => format!("arg{n} = {n2} (chosen: the number of threads)"),
            Argument::Number(n2) => format!("arg{n} = {n2}"),
            Argument::Array { bytes: None, .. } => format!("arg{n}: an array of zeros of its own, without a size{how}"),
            Argument::Array { bytes: Some(bytes), .. } => format!("arg{n}: an array of {bytes} bytes of its own"),
            Argument::SameAs(other) => format!("arg{n}: the array of arg{other}"),
            Argument::Unknown if is_structure => format!("arg{n}: a structure, of which nothing is known"),
            Argument::Unknown => {
                format!("arg{n}: not known (an address or a number; `--arg {n}=array` or `--arg {n}=NUMBER` says which)")
            }
        };
        if was_given && is_structure {
            sentence += " (the first bytes of a structure; of the rest nothing is known)";
        }
        said.push(sentence);
        found.push(argument);
    }
    Ok((found, said))
}

/// Is a parameter an array, as nvcc passes structures?
fn is_structure(variable: &margay_ptx::Variable) -> bool {
    variable.size != Some(u64::from(variable.ty.bits.div_ceil(8)))
}

/// The functions that a kernel may call, itself first.
fn reached(prepared: &Prepared<'_>, kernel: usize) -> Vec<usize> {
    let mut found = vec![kernel];
    let mut at = 0;
    while let Some(&function) = found.get(at) {
        for effect in &prepared.effects[function] {
            if let Effect::Call { function: Some(name), .. } = effect
                && let Some(callee) = prepared.module.function(name)
                && !found.contains(&callee)
            {
                found.push(callee);
            }
        }
        at += 1;
    }
    found
}

/// A condition of the user's, with the names of litmus tests.
struct FinalCondition {
    /// As it is written.
    text: String,
    /// For each piece of text whether it is a location, and then which byte of which array.
    parts: Vec<Result<String, (Object, u64, String)>>,
}

impl FinalCondition {
    /// The condition with the names of a test.
    fn named(&self, executed: &Executed) -> Result<String, String> {
        let name = |part: &Result<String, (Object, u64, String)>| match part {
            Ok(other) => Ok(other.clone()),
            Err((object, offset, name)) => {
                let location = executed.location(*object, *offset).map(str::to_owned);
                location.ok_or_else(|| format!("`{name}` is not the start of a value that the kernel reads or writes"))
            }
        };
        self.parts.iter().map(name).collect()
    }
}

struct Inquiry<'a, 'm> {
    question: &'a KernelQuestion<'a>,
    prepared: &'a Prepared<'m>,
    layout: &'a Layout,
    launch: Launch,
    deadline: Option<Instant>,
}

/// What a launch is found to be.
#[derive(Default)]
struct Found {
    findings: Vec<Finding>,
    not_looked: Vec<NotLooked>,
    undecided: bool,
    /// Were waits not looked into?
    no_waits: bool,
}

impl Found {
    fn open(&mut self, why: impl Into<String>) {
        self.undecided = true;
        let not = NotLooked { line: None, text: None, why: why.into(), guessed: false };
        if !self.not_looked.contains(&not) {
            self.not_looked.push(not);
        }
    }
}

impl Inquiry<'_, '_> {
    fn ask(&self) -> Result<LaunchAnswer, String> {
        let launch = self.launch;
        let not_asked = |why: String| LaunchAnswer {
            launch,
            asked: LaunchVerdict::NotAsked(why),
            findings: Vec::new(),
            not_looked: Vec::new(),
            size: 0,
            waits: false,
            litmus: String::new(),
        };
        if launch.total() > MAX_THREADS {
            return Ok(not_asked(format!("{} threads; a litmus test has at most {MAX_THREADS}", launch.total())));
        }
        let required = self.question.module.functions[self.question.kernel].required_threads;
        if let Some([x, y, z]) = required.filter(|r| *r != [launch.threads, 1, 1]) {
            let blocks = if [y, z] == [1, 1] { String::new() } else { "; blocks have one dimension here".to_owned() };
            return Ok(not_asked(format!(
                "the kernel can be launched with blocks of {x}x{y}x{z} threads only (`.reqntid`){blocks}"
            )));
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Ok(not_asked("the time is up".to_owned()));
        }
        let finals = self.question.finals.iter().map(|text| self.condition(text)).collect::<Result<Vec<_>, _>>()?;
        let asked = asked_bytes(&finals);
        let mut found = Found::default();
        let executed = match Executed::new(self.prepared, self.layout, self.question.kernel, launch, &asked, &|| self.is_over()) {
            Ok(executed) => executed,
            Err(why) => {
                found.open(why);
                return Ok(self.settled(found, None));
            }
        };
        for omission in &executed.omissions {
            found.undecided = true;
            found.not_looked.push(self.not_looked(omission));
        }
        self.barriers(&executed, &mut found);
        self.race(&executed, &mut found)?;
        for (kind, as_kind) in [(MarkKind::Trap, FindingKind::Trap), (MarkKind::Outside, FindingKind::Outside)] {
            self.stops(&executed, kind, Some(as_kind), &mut found)?;
        }
        self.stops(&executed, MarkKind::Cut, None, &mut found)?;
        for condition in &finals {
            self.holds(&executed, condition, &mut found)?;
        }
        self.waits(&executed, &mut found)?;
        Ok(self.settled(found, Some(&executed)))
    }

    fn settled(&self, mut found: Found, executed: Option<&Executed>) -> LaunchAnswer {
        for not in found.not_looked.iter_mut().filter(|n| n.line.is_none()) {
            not.why = format!("launch {}, {}", self.launch, not.why);
        }
        found.not_looked.sort();
        found.not_looked.dedup();
        let asked = match (found.findings.is_empty(), found.undecided) {
            (false, _) => LaunchVerdict::Found,
            (true, true) => LaunchVerdict::Undecided,
            (true, false) => LaunchVerdict::Nothing,
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
        }
    }

    /// Is the time up, or was the question stopped?
    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|d| Instant::now() >= d)
            || self.question.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed))
    }

    fn spot(&self, origin: Origin) -> Spot {
        Spot::new(self.question.module, self.question.text, origin)
    }

    fn not_looked(&self, omission: &Omission) -> NotLooked {
        let spot = omission.origin.map(|origin| self.spot(origin));
        NotLooked {
            line: spot.as_ref().map(|s| s.line),
            text: spot.map(|s| s.text),
            why: omission.why.clone(),
            guessed: omission.guessed,
        }
    }

    fn options(&self) -> Options {
        self.options_with(self.question.unroll)
    }

    fn options_with(&self, unroll: usize) -> Options {
        let bounds = Bounds { unroll, ..Bounds::default() };
        Options { bounds, deadline: self.deadline, stop: self.question.stop, ..Options::default() }
    }

    /// A read in any round of a loop that only waits races in an execution with that round and the last one: rounds that only read can be
    /// left out of an execution, and what is left is allowed and not ordered any more than before.
    fn options_for_races(&self, executed: &Executed) -> Options {
        let only_wait = executed.threads.iter().all(|code| last_rounds(code).others.is_empty());
        self.options_with(if only_wait { 1 } else { self.question.unroll })
    }

    fn name(&self) -> String {
        clean(&format!("{}_{}", self.question.module.functions[self.question.kernel].name, self.launch))
    }

    fn stands(&self, thread: usize, spot: Spot, event: Option<String>) -> Stands {
        let thread = thread as u32;
        Stands { test_thread: thread, block: thread / self.launch.threads, thread: thread % self.launch.threads, spot, event }
    }

    /// Runs a test; what leaves it open is noted.
    fn run(&self, written: &Written, model: &Model, what: &str, found: &mut Found) -> Option<Verdict> {
        self.run_with(written, model, what, &self.options(), found)
    }

    fn run_with(&self, written: &Written, model: &Model, what: &str, options: &Options, found: &mut Found) -> Option<Verdict> {
        match Runner::new(model).run(&written.read.test, options, Choice::Auto) {
            Ok(verdict) => Some(verdict),
            Err(error) => {
                let why = match &error {
                    Error::Time => "the time is up".to_owned(),
                    other => other.to_string(),
                };
                found.open(format!("{what}: {why}"));
                None
            }
        }
    }

    /// What a verdict without an execution leaves open.
    fn leftover(&self, verdict: &Verdict, what: &str, found: &mut Found) {
        if verdict.bounded {
            found.open(format!("{what}: loops were gone round at most {} times", self.question.unroll));
        } else if let Some(gap) = verdict.gap.as_ref().filter(|gap| gap.kind() == GapKind::Lost) {
            found.open(format!("{what}: {}", gap.kind().words()));
        }
    }

    fn race(&self, executed: &Executed, found: &mut Found) -> Result<(), String> {
        let what = "data races";
        let model = races_or_why()?;
        let written = match executed.write(&self.name(), &executed.threads, "exists (false)") {
            Ok(written) => written,
            Err(why) => {
                found.open(why);
                return Ok(());
            }
        };
        let options = self.options_for_races(executed);
        let Some(verdict) = self.run_with(&written, model, what, &options, found) else { return Ok(()) };
        if verdict.racy != Some(true) {
            if let Some(Gap::Endless(standstills)) = &verdict.gap
                && !verdict.bounded
                && !executed.omissions.iter().any(|o| o.guessed)
            {
                let stands = standstills.iter().filter_map(|s| {
                    let origin = origin_at(&written, s.thread.index(), s.place.0)?;
                    Some(self.stands(s.thread.index(), self.spot(origin), None))
                });
                found.findings.push(Finding {
                    kind: FindingKind::Endless,
                    stands: stands.collect(),
                    why: standstills.iter().map(|s| format!("P{}: {}.", s.thread.0, s.why)).collect(),
                    litmus: shown(executed, &self.name(), "exists (true)"),
                    with_races: false,
                    repair: RepairAnswer::Open("what mends a wait is not looked for".to_owned()),
                });
                return Ok(());
            }
            self.leftover(&verdict, what, found);
            return Ok(());
        }
        let race = verdict.race.as_ref().and_then(|witness| Race::of(model, witness));
        let Some(race) = race else {
            found.open("a data race was found, and its accesses were not");
            return Ok(());
        };
        let stands: Vec<Stands> = race
            .accesses
            .iter()
            .filter_map(|a| {
                let origin = origin_at(&written, a.thread.index(), a.place.0)?;
                Some(self.stands(a.thread.index(), self.spot(origin), Some(a.event.clone())))
            })
            .collect();
        let mut why = vec![
            "Neither comes before the other in causality order, and they are not morally strong (PTX ISA 8.7.1).".to_owned(),
        ];
        if let [a, b] = stands.as_slice()
            && self.question.launches.is_empty()
        {
            why.extend(self.meant(a, b).map(str::to_owned));
        }
        let litmus = shown(executed, &self.name(), "exists (true)");
        let repair = unasked();
        found.findings.push(Finding { kind: FindingKind::Race, stands, why, litmus, with_races: true, repair });
        Ok(())
    }

    /// How the kernel may be meant to be launched, where two threads race in a launch that nobody asked for.
    fn meant(&self, a: &Stands, b: &Stands) -> Option<&'static str> {
        let KernelQuestion { module, text, kernel, .. } = self.question;
        let asks = |register: &str| {
            let bodies = reached(self.prepared, *kernel).into_iter().filter_map(|f| module.functions[f].body.as_ref());
            bodies.flatten().any(|i| text.get(i.start..i.end).is_some_and(|words| words.contains(register)))
        };
        match a.block == b.block {
            true if !asks("%tid") => Some(
                "The kernel does not ask which thread of its block it is. If blocks have one thread, ask with `--launch 2x1`.",
            ),
            true if a.spot == b.spot => {
                Some("Two threads of one block execute the same line. If blocks have one thread, ask with `--launch 2x1`.")
            }
            false if !asks("%ctaid") => {
                Some("The kernel does not ask which block it is in. If there is one block, ask with `--launch 1x2 --launch 1x4`.")
            }
            _ => None,
        }
    }

    /// A test of this launch that is to have neither an outcome nor a race, so that what was found is not there.
    fn goal(&self, kind: FindingKind) -> Result<Option<Goal>, String> {
        let finals = self.question.finals.iter().map(|text| self.condition(text)).collect::<Result<Vec<_>, _>>()?;
        let Ok(executed) =
            Executed::new(self.prepared, self.layout, self.question.kernel, self.launch, &asked_bytes(&finals), &|| {
                self.is_over()
            })
        else {
            return Ok(None);
        };
        let stops = |kind: MarkKind| {
            let threads: std::collections::BTreeSet<usize> = executed.stops(kind).iter().map(|(t, _)| *t).collect();
            let any: Vec<String> = threads.iter().map(|t| format!("P{t}:{} != 0", kind.register())).collect();
            (!any.is_empty()).then(|| format!("exists ({})", any.join(" \\/ ")))
        };
        let condition = match kind {
            FindingKind::Race => Some("exists (false)".to_owned()),
            FindingKind::Trap => stops(MarkKind::Trap),
            FindingKind::Outside => stops(MarkKind::Outside),
            _ => {
                let all: Vec<String> =
                    finals.iter().filter_map(|f| f.named(&executed).ok()).map(|text| format!("({text})")).collect();
                (!all.is_empty()).then(|| format!("forall ({})", all.join(" /\\ ")))
            }
        };
        let Some(condition) = condition else { return Ok(None) };
        let Ok(written) = executed.write(&self.name(), &executed.threads, &condition) else { return Ok(None) };
        let model = if kind == FindingKind::Race { races_or_why()? } else { ptx8()? };
        let options = if kind == FindingKind::Race { self.options_for_races(&executed) } else { self.options() };
        Ok(Some(Goal { written, model, options }))
    }

    /// Does a thread stop for a reason? Where the reason is no finding, it says what was not looked at.
    fn stops(&self, executed: &Executed, kind: MarkKind, as_kind: Option<FindingKind>, found: &mut Found) -> Result<(), String> {
        let marks = executed.stops(kind);
        if marks.is_empty() {
            return Ok(());
        }
        let register = kind.register();
        let threads: std::collections::BTreeSet<usize> = marks.iter().map(|(t, _)| *t).collect();
        let any: Vec<String> = threads.iter().map(|t| format!("P{t}:{register} != 0")).collect();
        let condition = format!("exists ({})", any.join(" \\/ "));
        let what = match kind {
            MarkKind::Trap => "traps",
            MarkKind::Outside => "addresses outside of arrays",
            MarkKind::Cut => "what was not followed",
        };
        let written = match executed.write(&self.name(), &executed.threads, &condition) {
            Ok(written) => written,
            Err(why) => {
                found.open(why);
                return Ok(());
            }
        };
        let model = ptx8()?;
        let Some(verdict) = self.run(&written, model, what, found) else { return Ok(()) };
        if !verdict.reachable {
            self.leftover(&verdict, what, found);
            return Ok(());
        }
        let Some(as_kind) = as_kind else {
            for (_, mark) in &marks {
                found.undecided = true;
                found.not_looked.push(self.not_looked(&Omission {
                    origin: Some(mark.origin),
                    why: mark.what.clone(),
                    guessed: true,
                }));
            }
            return Ok(());
        };
        // Which of the places it is, is asked one by one.
        let mut stands = Vec::new();
        let mut one = written;
        for (thread, mark) in &marks {
            let condition = format!("exists (P{thread}:{register} == {})", mark.number);
            let Ok(written) = executed.write(&self.name(), &executed.threads, &condition) else { continue };
            if self.run(&written, model, what, found).is_some_and(|v| v.reachable) {
                stands.push(self.stands(*thread, self.spot(mark.origin), None));
                one = written;
                break;
            }
        }
        let why = marks.iter().filter(|(t, m)| {
            stands.iter().any(|s: &Stands| s.test_thread == *t as u32 && s.spot.line == self.spot(m.origin).line)
        });
        let why = why.map(|(_, m)| format!("It is {}.", m.what)).take(1).collect();
        let repair = unasked();
        found.findings.push(Finding {
            kind: as_kind,
            stands,
            why,
            litmus: one.read.file.text.clone(),
            with_races: false,
            repair,
        });
        Ok(())
    }

    fn holds(&self, executed: &Executed, condition: &FinalCondition, found: &mut Found) -> Result<(), String> {
        let text = condition.named(executed)?;
        let is_opaque = |part: &Result<String, (Object, u64, String)>| match part {
            Err((object, offset, _)) => executed.facts.opaque.contains(&(*object, *offset)),
            Ok(_) => false,
        };
        if condition.parts.iter().any(is_opaque) {
            found.open(format!("`{}`: what is there at the end comes of arithmetic that is not interpreted", condition.text));
            return Ok(());
        }
        let written = executed
            .write(&self.name(), &executed.threads, &format!("forall ({text})"))
            .map_err(|why| format!("the condition `{}` cannot be asked: {why}", condition.text))?;
        let Some(verdict) = self.run(&written, ptx8()?, &condition.text, found) else { return Ok(()) };
        if !verdict.reachable {
            self.leftover(&verdict, &condition.text, found);
            return Ok(());
        }
        let repair = unasked();
        let why = vec![format!("An execution ends in which `{}` does not hold.", condition.text)];
        let litmus = written.read.file.text.clone();
        found.findings.push(Finding { kind: FindingKind::Final, stands: Vec::new(), why, litmus, with_races: false, repair });
        Ok(())
    }

    /// The names of a condition as places in memory.
    fn condition(&self, text: &str) -> Result<FinalCondition, String> {
        let mut open = 0usize;
        for c in text.chars() {
            open = match c {
                '(' => open + 1,
                ')' => open.checked_sub(1).ok_or_else(|| format!("`)` closes nothing in the condition `{text}`"))?,
                _ => open,
            };
        }
        if open > 0 {
            return Err(format!("`(` is never closed in the condition `{text}`; expected `)`"));
        }
        if text.trim().is_empty() {
            return Err("the condition is empty; expected one as `arg0[0] == 2`".to_owned());
        }
        let mut parts: Vec<Result<String, (Object, u64, String)>> = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
            if !(first.is_ascii_alphabetic() || matches!(first, '_' | '$')) {
                // A number is read whole, so that `0x10` holds no name.
                let length = match first.is_ascii_digit() {
                    true => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
                    false => first.len_utf8(),
                };
                parts.push(Ok(rest[..length].to_owned()));
                rest = &rest[length..];
                continue;
            }
            let length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            rest = &rest[length..];
            if matches!(name, "true" | "false") {
                parts.push(Ok(name.to_owned()));
                continue;
            }
            let mut index = 0;
            let mut whole = name.to_owned();
            if let Some((inside, behind)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
                index = inside
                    .trim()
                    .parse::<u64>()
                    .map_err(|_| format!("expected the number of an element, found `{inside}` in `{text}`"))?;
                whole = format!("{name}[{index}]");
                rest = behind;
            }
            let array = self.layout.arrays.iter().position(|a| a.name == name);
            let array = array.ok_or_else(|| {
                let known: Vec<&str> = self
                    .layout
                    .arrays
                    .iter()
                    .map(|a| a.name.as_str())
                    .filter(|n| !n.starts_with('$') && !n.starts_with("__unnamed_"))
                    .collect();
                format!("there is no array `{name}` in the condition `{text}`; there are: {}", known.join(", "))
            })?;
            parts.push(Err((Object::Array(array as u32), index * 4, whole)));
        }
        Ok(FinalCondition { text: text.to_owned(), parts })
    }

    fn barriers(&self, executed: &Executed, found: &mut Found) {
        let all: Vec<Barriers> = executed.threads.iter().map(|code| barriers(code)).collect();
        for block in 0..self.launch.blocks as usize {
            let of_block = block * self.launch.threads as usize..(block + 1) * self.launch.threads as usize;
            let mut fixed: Vec<(usize, &Sequence)> = Vec::new();
            for thread in of_block {
                match &all[thread] {
                    Barriers::Open(origin) => {
                        let why = "which barriers a thread comes to depends on memory: whether all threads of its block do is not looked into";
                        self.unclear(*origin, why, found);
                    }
                    Barriers::Fixed(order) => fixed.push((thread, order)),
                }
            }
            let apart = self.apart(executed, &fixed, found).map(|(stands, why)| (FindingKind::Barriers, stands, why));
            let wrong = apart.or_else(|| {
                let (stands, why) = self.stuck(&fixed, found)?;
                Some((FindingKind::Wait, vec![stands], why))
            });
            if let Some((kind, stands, why)) = wrong {
                found.findings.push(Finding {
                    kind,
                    stands: stands.into_iter().map(|(thread, at)| self.stands(thread, self.spot(at), None)).collect(),
                    why: vec![why.to_owned()],
                    litmus: shown(executed, &self.name(), "exists (true)"),
                    with_races: false,
                    repair: RepairAnswer::Open("what mends a barrier is not looked for".to_owned()),
                });
                return;
            }
        }
    }

    /// Something at an instruction that leaves the answer open.
    fn unclear(&self, origin: Option<Origin>, why: &str, found: &mut Found) {
        found.undecided = true;
        found.not_looked.push(self.not_looked(&Omission { origin, why: why.to_owned(), guessed: false }));
    }

    /// Two threads of a block that come to barriers that do not go together, and where they stand.
    fn apart(
        &self,
        executed: &Executed,
        fixed: &[(usize, &Sequence)],
        found: &mut Found,
    ) -> Option<(Vec<(usize, Origin)>, &'static str)> {
        let is_aligned = |o: Origin| {
            let body = self.question.module.functions[o.function].body.as_deref();
            body.and_then(|b| b.get(o.instruction)).is_some_and(|i| i.opcode == "bar" || i.has("aligned"))
        };
        let warp = |thread: usize| thread % self.launch.threads as usize / WARP;
        let mut ended = None;
        for (i, (a, first)) in fixed.iter().enumerate() {
            for (b, second) in &fixed[i + 1..] {
                // Two that stand at different barriers of the block hold each other up.
                let at = first
                    .order
                    .iter()
                    .zip(second.order.iter())
                    .position(|(x, y)| x.0 != y.0 && !x.0.contains(", ") && !y.0.contains(", "));
                if let Some(at) = at {
                    let stands = vec![(*a, first.order[at].1), (*b, second.order[at].1)];
                    return Some((stands, "They wait at different barriers, each for the other."));
                }
                if warp(*a) != warp(*b) {
                    let (short, long) = (first.order.len().min(second.order.len()), [first, second]);
                    let more = long.iter().find_map(|s| s.order.get(short)).filter(|(text, _)| !text.contains(", "));
                    ended = ended.or(more.map(|(_, at)| *at));
                    continue;
                }
                match company(first, second, [&executed.skipped[*a], &executed.skipped[*b]], &is_aligned) {
                    Company::Same => {}
                    Company::Apart(x, y) => {
                        let why = "They are of one warp, and all threads of a warp must execute the same aligned barrier (PTX ISA, `barrier.sync.aligned`, which `bar.sync` is).";
                        return Some((vec![(*a, x), (*b, y)], why));
                    }
                    Company::Past(at) => {
                        let who = if second.order.len() > first.order.len() { *b } else { *a };
                        let why = "Another thread of its warp goes past this barrier without it, and all threads of a warp must execute the same aligned barrier (PTX ISA, `barrier.sync.aligned`, which `bar.sync` is).";
                        return Some((vec![(who, at)], why));
                    }
                    Company::Ended(at) => ended = ended.or(Some(at)),
                }
            }
        }
        if let Some(at) = ended {
            let why = "a thread ends without this barrier, at which others of its block wait: it is taken to have ended before, and to hold nobody up";
            found.not_looked.push(self.not_looked(&Omission { origin: Some(at), why: why.to_owned(), guessed: false }));
        }
        None
    }

    /// A thread that waits for ever at a barrier with a count, and where.
    fn stuck(&self, fixed: &[(usize, &Sequence)], found: &mut Found) -> Option<((usize, Origin), &'static str)> {
        let counted = fixed.iter().flat_map(|(_, s)| &s.order).find(|(text, _)| has_count(text))?.1;
        let open = "whether as many threads come to this barrier as it waits for is not looked into";
        if fixed.len() != self.launch.threads as usize {
            self.unclear(Some(counted), open, found);
            return None;
        }
        let mut warps: Vec<&[(String, Origin)]> = Vec::new();
        for warp in fixed.chunks(WARP) {
            let longest = warp.iter().map(|(_, s)| s.order.as_slice()).max_by_key(|o| o.len()).unwrap_or(&[]);
            let agrees = |s: &Sequence| s.order.iter().zip(longest).all(|(x, y)| x.0 == y.0);
            if !warp.iter().all(|(_, s)| agrees(s)) {
                self.unclear(Some(counted), open, found);
                return None;
            }
            warps.push(longest);
        }
        let stuck = stuck(&warps)?;
        if !stuck.certain {
            self.unclear(Some(stuck.at), open, found);
            return None;
        }
        let why =
            "It waits for ever: fewer threads arrive at this barrier than it waits for. Each warp of the block counts as 32.";
        Some(((fixed[stuck.warp * WARP].0, stuck.at), why))
    }

    fn waits(&self, executed: &Executed, found: &mut Found) -> Result<(), String> {
        let last: Vec<_> = executed.waiting.iter().map(|code| last_rounds(code)).collect();
        for other in last.iter().flat_map(|l| &l.others) {
            found.undecided = true;
            let why = "a loop that does more than wait: whether it ends is not looked into".to_owned();
            found.not_looked.push(self.not_looked(&Omission { origin: *other, why, guessed: false }));
        }
        if last.iter().all(|l| l.loops.is_empty()) {
            return Ok(());
        }
        if executed.omissions.iter().any(|o| o.guessed) {
            found.no_waits = true;
            found.open("waits that never end: threads were not followed to their ends (below)");
            return Ok(());
        }
        let has_barriers = executed.threads.iter().flatten().any(|(p, _)| matches!(p, crate::residue::Piece::Barrier(_)));
        if has_barriers {
            // A thread that stands in its loop never comes to the barrier at which the others of its block wait.
            let why = "waits that never end, in blocks of several threads that meet at barriers: they are looked into for blocks of one thread";
            found.not_looked.push(NotLooked { line: None, text: None, why: why.to_owned(), guessed: false });
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
                holds
                    .extend(waiting.reads.iter().map(|(register, cell)| format!("P{t}:{register} == {}", executed.named(*cell))));
                holds.extend(waiting.idle.iter().filter_map(|(register, idle)| match idle {
                    crate::residue::Idle::Reads(n) => Some(format!("P{t}:{register} == {n}")),
                    crate::residue::Idle::ReadsNot(n) => Some(format!("P{t}:{register} != {n}")),
                    crate::residue::Idle::Always => None,
                }));
                ways.push(format!("({})", holds.join(" /\\ ")));
            }
            all.push(format!("({})", ways.join(" \\/ ")));
        }
        let condition = format!("exists (({}) /\\ {})", some.join(" \\/ "), all.join(" /\\ "));
        let code: Vec<_> = last.iter().map(|l| l.code.clone()).collect();
        let what = "waits that never end";
        let written = match executed.write(&self.name(), &code, &condition) {
            Ok(written) => written,
            Err(why) => {
                found.open(format!("{what}: {why}"));
                return Ok(());
            }
        };
        let Some(verdict) = self.run(&written, ptx8()?, what, found) else { return Ok(()) };
        if !verdict.reachable {
            self.leftover(&verdict, what, found);
            return Ok(());
        }
        let mut stands = Vec::new();
        let mut why = Vec::new();
        for (t, of) in last.iter().enumerate() {
            for waiting in &of.loops {
                let one = format!("{} /\\ P{t}:{STANDING} == {})", &condition[..condition.len() - 1], waiting.number);
                let Ok(written) = executed.write(&self.name(), &code, &one) else { continue };
                if let (Some(origin), true) = (waiting.origin, stands.is_empty())
                    && self.run(&written, ptx8()?, what, found).is_some_and(|v| v.reachable)
                {
                    stands.push(self.stands(t, self.spot(origin), None));
                    let seen: Vec<String> =
                        waiting.reads.iter().map(|(_, cell)| format!("`{}`", executed.named(*cell))).collect();
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
            repair: RepairAnswer::Open("what mends a wait is not looked for".to_owned()),
        });
        Ok(())
    }
}

fn shown(executed: &Executed, name: &str, condition: &str) -> String {
    executed.write(name, &executed.threads, condition).map_or(String::new(), |written| written.read.file.text.clone())
}

/// The instruction that a place in a test is of.
fn origin_at(written: &Written, thread: usize, span: margay_models::diagnostic::Span) -> Option<Origin> {
    let instructions = written.read.test.instructions(margay_litmus::test::ThreadId(u8::try_from(thread).ok()?));
    let at = instructions.iter().position(|i| i.place.0 == span)?;
    written.origins.get(thread)?.get(at).copied().flatten()
}

fn races_or_why() -> Result<&'static Model, String> {
    races().map_err(|errors| format!("the model of races cannot be read: {}", errors.first().map_or("", |e| e.message.as_str())))
}

/// Before a repair is looked for.
fn unasked() -> RepairAnswer {
    RepairAnswer::Open("repairs were not asked for".to_owned())
}

/// The bytes that conditions name.
fn asked_bytes(finals: &[FinalCondition]) -> Vec<(Object, u64)> {
    let places = finals.iter().flat_map(|f| f.parts.iter().filter_map(|p| p.as_ref().err()));
    places.flat_map(|(object, offset, _)| (0..4).map(move |byte| (*object, offset + byte))).collect()
}

fn ptx8() -> Result<&'static Model, String> {
    static MODEL: OnceLock<Result<Model, String>> = OnceLock::new();
    let load = || {
        let source = library::built_in("ptx-8").ok_or("there is no model `ptx-8`")?;
        let loaded = Model::parse_with(source, &OnlyBuiltIn, &margay_models::typing::TypingOptions::default());
        loaded
            .map(|l| l.model)
            .map_err(|errors| errors.first().map_or_else(|| "`ptx-8` cannot be read".to_owned(), |e| e.message.clone()))
    };
    MODEL.get_or_init(load).as_ref().map_err(Clone::clone)
}
