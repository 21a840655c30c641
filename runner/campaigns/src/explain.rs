//! `margay gpu check --explain`: the accesses of a test beside the machine code with its control
//! words, and which of them the code lets overlap.

use std::fmt;

use margay_litmus::test::Test;
use margay_reports::gpu as document;
use margay_runner::emit::{EmissionError, Environment, GpuTarget, Writing, kernel_as};
use margay_runner::sass::{
    self, AssemblyChoice, AssemblyWay, CodeComparison, ComparedThread, ScoreboardUses, ToolFailure,
    Toolkit, choose_all, listings, threads, uses,
};

use margay_console::output::Output;
use margay_console::table::table;

/// The machine code of a test.
pub struct ExplainedCode {
    /// How it was assembled.
    pub way: AssemblyWay,
    /// Is it the test?
    pub same: bool,
    /// Thread by thread, instructions beside what they do.
    pub threads: Vec<ComparedThread>,
    /// Does it wait for what it uses? If not, the control words are not understood.
    pub uses: ScoreboardUses,
}

/// Why the machine code of a test is not shown.
#[derive(Debug)]
pub enum ExplanationFailure {
    /// There is no kernel for the test.
    Emission(EmissionError),
    Tool(ToolFailure),
    NoDisassembler(GpuTarget),
    /// The disassembler lists other kernels.
    NoKernel,
}

impl fmt::Display for ExplanationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Emission(error) => error.fmt(f),
            Self::Tool(failure) => failure.fmt(f),
            Self::NoDisassembler(target) => write!(f, "there is no disassembler for {target}"),
            Self::NoKernel => f.write_str("the disassembly has no such kernel"),
        }
    }
}

impl std::error::Error for ExplanationFailure {}

/// Assembles a test as it would be run, or at a level.
pub fn explain(
    toolkit: &Toolkit,
    test: &Test,
    target: GpuTarget,
    environment: &Environment,
    level: Option<u8>,
) -> Result<ExplainedCode, ExplanationFailure> {
    let written = |writing| {
        kernel_as(test, target, environment, writing).map_err(ExplanationFailure::Emission)
    };
    let (plain, apart) = (written(Writing::Plain)?, written(Writing::Apart)?);
    let way = match level {
        Some(level) => AssemblyWay { level, writing: Writing::Plain },
        None => match choose_all(toolkit, target, &[(test, &plain, &apart)]).remove(0) {
            Ok(AssemblyChoice { way, .. }) => way,
            // Where no level is the test, the one without optimisation shows what is different.
            Err(Ok(CodeComparison::Differs(_))) => {
                AssemblyWay { level: 0, writing: Writing::Plain }
            }
            Err(Ok(_)) => return Err(ExplanationFailure::NoDisassembler(target)),
            Err(Err(failure)) => return Err(ExplanationFailure::Tool(failure)),
        },
    };
    let kernel = if way.writing == Writing::Plain { plain } else { apart };
    let listing =
        listings(toolkit, target, way.level, &[&kernel]).map_err(ExplanationFailure::Tool)?;
    let listing = listing.ok_or(ExplanationFailure::NoDisassembler(target))?.remove(0);
    let listing = listing.ok_or(ExplanationFailure::NoKernel)?;
    let threads = threads(test, target, &listing);
    let same = threads.iter().all(|t| t.differences.is_empty());
    Ok(ExplainedCode { way, same, threads, uses: uses(&listing) })
}

/// `-O3`, `-O3, accesses apart`
pub fn level(way: AssemblyWay) -> String {
    let apart = if way.writing == Writing::Apart { ", accesses apart" } else { "" };
    format!("-O{}{apart}", way.level)
}

/// What the columns of control words are.
const LEGEND: &str = "Control words (docs/gpu.md): B, the scoreboards that are waited for; R and W, those released when the operands have been read and when \
                      the result is there; Y, another warp is preferred; S, cycles until the next instruction (S00: until all results are there, too).";

impl ExplainedCode {
    /// Prints it for people.
    pub fn print(&self, name: &str, target: GpuTarget, output: &Output) -> std::io::Result<()> {
        let answer = if self.same {
            output.good("the machine code is the test")
        } else {
            output.bad("the machine code is another test")
        };
        output.print(&format!(
            "{} on {target}, {}: {answer}",
            output.heading(name),
            level(self.way)
        ))?;
        match self.uses.unwaited.first() {
            None => output.print(&format!(
                "{} instructions wait for what they use, and none fails to.",
                self.uses.waited
            ))?,
            Some(first) => {
                let many = self.uses.unwaited.len();
                output.print(&output.bad(&format!(
                    "The control words are not understood, by {many} uses of results: {first}"
                )))?;
            }
        }
        for (t, thread) in self.threads.iter().enumerate() {
            output.print("")?;
            output.print(&output.heading(&format!("P{t}")))?;
            for difference in &thread.differences {
                output.print(&output.bad(difference))?;
            }
            output.print(&table(
                &["test", "control", "machine code"],
                &code(thread),
                &[],
                output.width(),
            ))?;
            if !thread.pairs.is_empty() {
                output.print("")?;
                output.print(&table(
                    &["earlier", "later", "overlap", "why"],
                    &pairs(thread),
                    &[],
                    output.width(),
                ))?;
            }
        }
        output.print("")?;
        output.print(LEGEND)
    }

    /// The threads, as a part of the document of the test.
    pub fn report(&self) -> document::Explained {
        let control = |c: sass::ControlWord| document::ControlRecord {
            text: c.to_string(),
            waits: (0..6).filter(|&n| c.waits_for(n)).collect(),
            read: c.read,
            write: c.write,
            yields: c.yields,
            stall: c.stall,
            reuse: c.reuse,
        };
        let instruction =
            |(i, effect): (&sass::SassInstruction, &Option<usize>)| document::MachineInstruction {
                address: i.address,
                text: i.text().to_owned(),
                control: i.control.map(control),
                effect: *effect,
            };
        let pair = |p: &sass::AccessPair| document::EffectPair {
            first: p.first,
            second: p.second,
            overlap: p.overlap,
            ordered_by_the_test: p.ordered,
            why: p.why.clone(),
        };
        let thread = |t: &ComparedThread| document::ThreadRecord {
            effects: t.wanted.iter().map(|e| e.text.clone()).collect(),
            differences: t.differences.clone(),
            code: t.code.iter().zip(&t.effects).map(instruction).collect(),
            pairs: t.pairs.iter().map(pair).collect(),
        };
        document::Explained {
            uses_waited_for: self.uses.waited,
            uses_not_waited_for: self.uses.unwaited.clone(),
            threads: self.threads.iter().map(thread).collect(),
        }
    }
}

fn code(thread: &ComparedThread) -> Vec<Vec<String>> {
    let row = |(i, effect): (&sass::SassInstruction, &Option<usize>)| {
        let text =
            effect.and_then(|n| thread.wanted.get(n)).map_or(String::new(), |e| e.text.clone());
        vec![text, i.control.map_or(String::new(), |c| c.to_string()), i.text().to_owned()]
    };
    thread.code.iter().zip(&thread.effects).map(row).collect()
}

fn pairs(thread: &ComparedThread) -> Vec<Vec<String>> {
    let text = |n: usize| thread.wanted[n].text.clone();
    let row = |p: &sass::AccessPair| {
        let word = match (p.overlap, p.ordered) {
            (true, false) => "yes",
            // A fence lets later instructions be issued and makes their accesses wait.
            (true, true) => "yes, though the test orders them",
            (false, true) => "no, nor in the test",
            (false, false) => "no, though the test lets them",
        };
        vec![text(p.first), text(p.second), word.to_owned(), p.why.clone()]
    };
    thread.pairs.iter().map(row).collect()
}
