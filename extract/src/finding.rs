//! Findings: a counterexample as a program for the front end that has the bug, and what its PTX
//! must contain to be the litmus test.

use std::fmt;

use margay_mappings::check::Counterexample;
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_mappings::language::{LoweringForm, Mapping};
use margay_mappings::naming::{NamedOperation, NamedParts};
use margay_models::execution::{EventData, Kind, Order};
use margay_models::signature::{Architecture, Construct, Operation};
use serde::{Deserialize, Serialize};

use crate::assembly::{AssemblyReader, UnreadStatement, WantedStep};
use crate::flow::{ActionKind, PathAction, Swap, Verb, explore};
use crate::front::{FrontEnd, TemplateStatement, filled};
use crate::point::{Point, What};
use crate::ptx::PtxModule;

/// A program and what its PTX must contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReproducedFinding {
    pub front_end: String,
    /// The compiler, as `.ci/compilers` names it.
    pub compiler: String,
    /// The command, where it is not that of the front end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub architecture: String,
    /// The file of the program.
    pub program: String,
    /// The locations, in the order of the parameters.
    pub locations: Vec<String>,
    pub threads: Vec<FindingThread>,
    /// Other compilers whose PTX contains the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FindingElsewhere>,
    /// What the compiler's own developers know of it; `None` until somebody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<Upstream>,
}

/// What a compiler's developers know of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// Whether it is fixed, and in which part of the compiler's history.
    pub state: UpstreamState,
    /// The day on which this was looked up, `2026-11-25`.
    pub looked_up: String,
    /// Addresses of reports and changes, the oldest first.
    pub references: Vec<String>,
}

/// How far the developers of a compiler are with a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UpstreamState {
    /// A released version no longer has it.
    #[serde(rename = "fixed")]
    Fixed,
    /// The source of the next version no longer has it, as far as reading tells.
    #[serde(rename = "fixed on the main branch")]
    FixedOnMain,
    /// A change that fixes it was proposed, and is not merged.
    #[serde(rename = "open")]
    Open,
    /// Somebody described it; no change that fixes it was found.
    #[serde(rename = "known")]
    Known,
    /// No report was found.
    #[serde(rename = "nothing found")]
    NothingFound,
}

/// Another compiler with the same finding: what differs from the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingElsewhere {
    /// The compiler, as `.ci/compilers` names it.
    pub compiler: String,
    /// Another front end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub front_end: Option<String>,
    /// Another architecture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub architecture: Option<String>,
    /// The file of another program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingThread {
    /// The name of its kernel or function.
    pub name: String,
    /// The accesses and fences of the litmus test, in order: `fence.sc.gpu`, `atom.acquire.gpu x`.
    pub steps: Vec<String>,
}

impl FindingThread {
    /// Its function is not in what a compiler wrote in this language.
    fn absent(&self, language: &'static str) -> FindingMismatch {
        FindingMismatch::NoFunction { thread: self.name.clone(), language }
    }
}

/// The point that an operation of a counterexample is.
fn point(
    mapping: &Mapping,
    operation: &NamedOperation,
    data: &EventData,
    types: &[Option<usize>],
) -> Point {
    let row = &mapping.rows[operation.row];
    let form = operation.lowering(mapping).form;
    let order = row.construct.order;
    let partner = operation.cell.partner;
    let (what, order) = match (form, row.construct.operation) {
        (LoweringForm::CompareExchange, _) => (What::Swap(partner.unwrap_or(Order::Rlx)), order),
        (LoweringForm::FailedCompareExchange, _) => (What::Swap(order), partner.unwrap_or(order)),
        (LoweringForm::Usual, Operation::Read) => (What::Load, order),
        (LoweringForm::Usual, Operation::Write) => (What::Store, order),
        (LoweringForm::Usual, Operation::Fence) => (What::Fence, order),
        (LoweringForm::Usual, Operation::Rmw) => {
            (What::Rmw(operation.cell.operation.unwrap_or(0)), order)
        }
    };
    let usual = TYPES.iter().position(|t| *t == "b32");
    let data_type =
        data.location.and_then(|l| types.get(usize::from(l)).copied().flatten().or(usual));
    Point { what, order, scope: data.scope, data: data_type }
}

/// Why a counterexample is no program of a front end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnwritableProgram {
    /// A value or an address depends on a read by another way than a branch.
    Computed,
    /// The front end has no such operation.
    NoPoint { front: String, point: String },
    /// The front end, by its name, has no branches.
    NoGuards(String),
}

impl fmt::Display for UnwritableProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computed => f.write_str(
                "a written value or an address is computed from a read; ask with `--guards` of few",
            ),
            Self::NoPoint { front, point } => {
                write!(f, "the front end `{front}` has no `{point}`")
            }
            Self::NoGuards(front) => write!(f, "the front end `{front}` has no guards"),
        }
    }
}

impl std::error::Error for UnwritableProgram {}

/// Why what a compiler wrote does not contain a litmus test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingMismatch {
    /// It has no function of a thread's name.
    NoFunction { thread: String, language: &'static str },
    /// A statement may change what the lines behind it are.
    Unread(UnreadStatement),
    /// A step of the finding that the architecture does not have.
    NoInstruction(String),
    /// No way through a function has these steps and no fence more; what its text has.
    NoWay { thread: String, steps: String, listed: String },
    /// No path of a function has these steps; what its paths have.
    NoPath { thread: String, steps: String, paths: Vec<String> },
}

impl fmt::Display for FindingMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFunction { thread, language } => {
                write!(f, "there is no `{thread}` in the {language}")
            }
            Self::Unread(statement) => statement.fmt(f),
            Self::NoInstruction(step) => {
                write!(f, "`{step}` is no instruction of the architecture")
            }
            Self::NoWay { thread, steps, listed } => write!(
                f,
                "no way through {thread} is `{steps}` with no fence more; its text has, in this order\n  {listed}"
            ),
            Self::NoPath { thread, steps, paths } => {
                write!(f, "no path of {thread} is `{steps}`; there are:\n  {}", paths.join("\n  "))
            }
        }
    }
}

impl std::error::Error for FindingMismatch {}

/// Writes the program of a counterexample. `in_kernels` asks for kernels where the front end has
/// them.
///
/// # Errors
/// What the front end cannot write.
pub fn program(
    front: &FrontEnd,
    mapping: &Mapping,
    c: &Counterexample,
    named: &NamedParts,
) -> Result<(String, Vec<FindingThread>), UnwritableProgram> {
    let source = &c.source;
    if source.data.pairs().next().is_some() || source.addr.pairs().next().is_some() {
        return Err(UnwritableProgram::Computed);
    }
    let wrap = front.kernel.as_ref().unwrap_or(&front.function);
    let mut text = front.head.clone();
    let mut threads = Vec::new();
    let locations: Vec<&str> = source.locations.iter().map(|l| l.name.as_str()).collect();
    let mut number = 0;
    for t in 0..source.threads.len() {
        let name = format!("P{t}");
        let here: Vec<&NamedOperation> = named
            .operations
            .iter()
            .filter(|o| source.events[o.head.index()].thread == Some(t as u16))
            .collect();
        let mut body = String::new();
        let mut outs = Vec::new();
        for operation in here {
            let data = &source.events[operation.head.index()];
            let point = point(mapping, operation, data, &named.types);
            let read = data.value.unwrap_or(0);
            let written =
                operation.write_half.and_then(|w| source.events[w.index()].value).unwrap_or(read);
            let form = operation.lowering(mapping).form;
            let (expected, value) = match (form, point.what) {
                // A value that is not there, so that the compare-exchange fails.
                (LoweringForm::FailedCompareExchange, _) => (read + 7, read + 8),
                (_, What::Rmw(o)) if OPERATIONS[o] == "add" => (read, written - read),
                (_, What::Rmw(o)) if OPERATIONS[o] == "sub" => (read, read - written),
                (_, What::Store) => (read, data.value.unwrap_or(1)),
                _ => (read, written),
            };
            let index = point.data.unwrap_or(0);
            let (result, out) = (format!("r{number}"), format!("o{number}"));
            let [value, expected] = [front.number(value, index), front.number(expected, index)];
            let pointer = data.location.map_or("", |l| locations[usize::from(l)]);
            let with = TemplateStatement {
                pointer,
                result: &result,
                out: &out,
                value: &value,
                expected: &expected,
            };
            let statement = front.statement(&point, &with).ok_or_else(|| {
                UnwritableProgram::NoPoint { front: front.name.clone(), point: point.to_string() }
            })?;
            body.push_str(&statement);
            if matches!(point.what, What::Load | What::Rmw(_) | What::Swap(_)) {
                let kind = front.types.get(TYPES[index]).map_or("", String::as_str);
                outs.push(out.clone());
                if let Some(observe) = &front.observe {
                    body.push_str(&filled(
                        observe,
                        &[("result", &result), ("out", &out), ("type", kind)],
                    ));
                }
                let guards = !source.ctrl.row(operation.head).is_empty();
                if guards {
                    let guard = front
                        .guard
                        .as_ref()
                        .ok_or_else(|| UnwritableProgram::NoGuards(front.name.clone()))?;
                    let read = front.number(read, index);
                    let n = number.to_string();
                    body.push_str(&filled(
                        guard,
                        &[("result", &result), ("value", &read), ("type", kind), ("n", &n)],
                    ));
                }
            }
            number += 1;
        }
        let pointers: Vec<String> = locations
            .iter()
            .map(|l| (*l).to_owned())
            .chain(outs)
            .chain(["flag".to_owned()])
            .collect();
        let parameters: Vec<String> =
            pointers.iter().map(|p| filled(&wrap.pointer, &[("pointer", p)])).collect();
        let with = [
            ("name", name.as_str()),
            ("parameters", &parameters.join(", ")),
            ("pointers", &pointers.join(", ")),
        ];
        text.push_str(&filled(&wrap.begin, &with));
        text.push_str(&body);
        text.push_str(&filled(&wrap.end, &[("name", &name)]));
        threads.push(FindingThread { name, steps: steps(c, t as u16) });
    }
    text.push_str(&front.tail);
    Ok((text, threads))
}

/// The same where the target is an architecture that is a text: mnemonics and locations.
fn steps_of_text(c: &Counterexample, architecture: Architecture, thread: u16) -> Vec<String> {
    let target = &c.target;
    let mut out = Vec::new();
    for (i, data) in target.events.iter().enumerate().filter(|(_, d)| d.thread == Some(thread)) {
        let event = margay_models::bits::Event::from(i);
        if !target.rmw.column(event).is_empty() {
            continue;
        }
        let construct = match (data.kind, target.rmw.row(event).iter().next()) {
            (Kind::Fence, _) => Some(Construct { operation: Operation::Fence, order: data.order }),
            (_, Some(write)) => architecture.whole(data.order, target.events[write.index()].order),
            (Kind::Read, None) if data.compare => {
                let all = architecture.constructs().into_iter();
                all.filter(|c| c.operation == Operation::Rmw).find(|c| c.read_order() == data.order)
            }
            (Kind::Read, None) => Some(Construct { operation: Operation::Read, order: data.order }),
            _ => Some(Construct { operation: Operation::Write, order: data.order }),
        };
        let failed = if data.compare && target.rmw.row(event).is_empty() { "failed " } else { "" };
        let name = construct.and_then(|c| architecture.mnemonic(c)).unwrap_or("an access");
        let location = data
            .location
            .map_or(String::new(), |l| format!(" {}", target.locations[usize::from(l)].name));
        out.push(format!("{failed}{name}{location}"));
    }
    out
}

/// The accesses and fences of a thread of the litmus test, in order.
fn steps(c: &Counterexample, thread: u16) -> Vec<String> {
    let target = &c.target;
    if let Some(architecture) = target.signature.tabular() {
        return steps_of_text(c, architecture, thread);
    }
    let mut out = Vec::new();
    for (i, data) in target.events.iter().enumerate().filter(|(_, d)| d.thread == Some(thread)) {
        let event = margay_models::bits::Event::from(i);
        let half = target.rmw.row(event).iter().next();
        if !target.rmw.column(event).is_empty() {
            continue;
        }
        let order = match half {
            Some(write) => whole(data.order, target.events[write.index()].order),
            None => data.order,
        };
        let name = match (data.kind, half) {
            (Kind::Fence, _) => "fence",
            (_, Some(_)) => "atom",
            (Kind::Read, None) if data.compare => "failed atom",
            (Kind::Read, None) => "ld",
            _ => "st",
        };
        let location = data
            .location
            .map_or(String::new(), |l| format!(" {}", target.locations[usize::from(l)].name));
        let scope = data
            .scope
            .filter(|_| order != Order::Plain && !data.volatile)
            .map_or(String::new(), |s| format!(".{}", s.name()));
        out.push(format!("{name}.{}{scope}{location}", order_word(order, data.volatile)));
    }
    out
}

fn order_word(order: Order, volatile: bool) -> &'static str {
    if volatile { "volatile" } else { order.name() }
}

/// The order of a read-modify-write whose halves have these orders.
fn whole(read: Order, write: Order) -> Order {
    match (read, write) {
        (Order::Acq, Order::Rel) => Order::AcqRel,
        (Order::Rlx, Order::Rel) => Order::Rel,
        (order, _) => order,
    }
}

/// An action of a path as a step of a litmus test; two for a compare-and-swap that may fail.
fn as_steps(action: &PathAction, locations: &[String]) -> Vec<String> {
    match &action.kind {
        ActionKind::Fence(order, scope) => {
            vec![format!("fence.{}.{}", order_word(*order, false), scope.name())]
        }
        ActionKind::Access(access, swap) => {
            let is_atom =
                matches!(access.verb, Verb::Atomic | Verb::CompareAndSwap | Verb::Reduction);
            let order = access.order.unwrap_or(if is_atom { Order::Rlx } else { Order::Plain });
            let scope = access.scope.or(is_atom.then_some(margay_models::execution::Scope::Gpu));
            let location = locations.get(action.object).map_or("", String::as_str);
            let text = |name: &str, order: Order| {
                let scope = scope
                    .filter(|_| order != Order::Plain && !access.volatile)
                    .map_or(String::new(), |s| format!(".{}", s.name()));
                format!("{name}.{}{scope} {location}", order_word(order, access.volatile))
            };
            let failed =
                || text("failed atom", Construct { operation: Operation::Rmw, order }.read_order());
            match (access.verb, swap) {
                (Verb::Load, _) => vec![text("ld", order)],
                (Verb::Store, _) => vec![text("st", order)],
                (Verb::CompareAndSwap, Swap::Failed) => vec![failed()],
                (Verb::CompareAndSwap, Swap::Either) => vec![text("atom", order), failed()],
                _ => vec![text("atom", order)],
            }
        }
    }
}

impl ReproducedFinding {
    /// The finding, and the same of each other compiler that has it.
    pub fn by_compiler(&self) -> Vec<Self> {
        let other = |other: &FindingElsewhere| Self {
            front_end: other.front_end.clone().unwrap_or_else(|| self.front_end.clone()),
            compiler: other.compiler.clone(),
            architecture: other.architecture.clone().unwrap_or_else(|| self.architecture.clone()),
            program: other.program.clone().unwrap_or_else(|| self.program.clone()),
            also: Vec::new(),
            ..self.clone()
        };
        std::iter::once(Self { also: Vec::new(), ..self.clone() })
            .chain(self.also.iter().map(other))
            .collect()
    }

    /// Does the assembly contain the litmus test: on a way through each thread its accesses and
    /// fences, in order, and no fence more? Which location an instruction accesses is not followed.
    /// The instructions of each thread.
    ///
    /// # Errors
    /// The first thread that has no such way, with what its text has.
    pub fn verify_assembly(
        &self,
        reader: &mut AssemblyReader,
        module: &PtxModule,
    ) -> Result<Vec<String>, FindingMismatch> {
        let mut out = Vec::new();
        for thread in &self.threads {
            let function =
                module.function(&thread.name).ok_or_else(|| thread.absent("assembly"))?;
            let listed = reader.listed(&function.text).map_err(FindingMismatch::Unread)?;
            let wanted: Vec<WantedStep> = thread
                .steps
                .iter()
                .map(|step| {
                    let words: Vec<&str> = step.split(' ').collect();
                    let (fails, name) = match words[..] {
                        ["failed", name, ..] => (true, name),
                        [name, ..] => (false, name),
                        [] => (false, ""),
                    };
                    let construct = reader.architecture().instruction(name);
                    construct
                        .map(|construct| WantedStep { construct, fails })
                        .ok_or_else(|| FindingMismatch::NoInstruction(step.clone()))
                })
                .collect::<Result<_, _>>()?;
            match reader.way(&function.text, &wanted) {
                Some(way) => out.push(format!("{}: {}", thread.name, way.join(" ; "))),
                None => {
                    let listed: Vec<&str> = listed.iter().map(|(_, text)| text.as_str()).collect();
                    return Err(FindingMismatch::NoWay {
                        thread: thread.name.clone(),
                        steps: thread.steps.join(" ; "),
                        listed: listed.join(" ; "),
                    });
                }
            }
        }
        Ok(out)
    }

    /// Does the PTX contain the litmus test: on a path of each thread its accesses and fences, in
    /// order, and no fence more? What a loop reads in rounds that fail may stand between. The path
    /// of each thread.
    ///
    /// # Errors
    /// The first thread that has no such path, with its paths.
    pub fn verify(&self, module: &PtxModule) -> Result<Vec<String>, FindingMismatch> {
        let mut out = Vec::new();
        for thread in &self.threads {
            let function = module.function(&thread.name).ok_or_else(|| thread.absent("PTX"))?;
            let paths = explore(module, function, self.locations.len());
            let mut by_length: Vec<_> = paths.paths.iter().collect();
            by_length.sort_by_key(|p| p.actions.len());
            let found = by_length
                .into_iter()
                .find(|p| p.troubles.is_empty() && self.is_on(&thread.steps, &p.actions));
            match found {
                Some(path) => {
                    let texts: Vec<&str> = path.actions.iter().map(|a| a.text.as_str()).collect();
                    out.push(format!("{}: {}", thread.name, texts.join(" ; ")));
                }
                None => {
                    let all: Vec<String> = paths
                        .paths
                        .iter()
                        .map(|p| {
                            p.actions
                                .iter()
                                .map(|a| as_steps(a, &self.locations).join("|"))
                                .collect::<Vec<_>>()
                                .join(" ; ")
                        })
                        .collect();
                    return Err(FindingMismatch::NoPath {
                        thread: thread.name.clone(),
                        steps: thread.steps.join(" ; "),
                        paths: all,
                    });
                }
            }
        }
        Ok(out)
    }

    /// Are the steps on a path, in order?
    fn is_on(&self, steps: &[String], actions: &[PathAction]) -> bool {
        let mut rest = steps.iter().peekable();
        for action in actions {
            let here = as_steps(action, &self.locations);
            if rest.peek().is_some_and(|next| here.contains(next)) {
                rest.next();
                continue;
            }
            // What is read beside that is of a round before the access that counts.
            let ahead = |object: usize| {
                rest.clone().any(|s| s.ends_with(&format!(" {}", self.locations[object])))
            };
            let reads = match &action.kind {
                ActionKind::Access(a, s) => {
                    (a.verb == Verb::Load || *s == Swap::Failed) && ahead(action.object)
                }
                ActionKind::Fence(..) => false,
            };
            // A fence of a round that fails stands again in the next one.
            let repeated = matches!(action.kind, ActionKind::Fence(..))
                && steps.iter().any(|s| here.contains(s));
            if !reads && !repeated {
                return false;
            }
        }
        rest.peek().is_none()
    }
}
