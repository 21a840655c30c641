//! Threads as a compiler wrote them: PTX of functions, one for each thread of a C test, put into
//! the harness in place of the accesses of a PTX test.
//!
//! The program is CUDA C++ as `margay_litmus::print::cuda_program` prints it, with a kernel
//! `margay_P0(int* x, .., int* result)` for each thread (`tests/hardware/compile` adds them).
//! Pointers are those of an instance; what the thread leaves in `result` is read after its last
//! access.

use std::fmt;

use margay_litmus::print::cuda_results;
use margay_litmus::test::{Dialect, Test, ThreadId};
use margay_models::digest::digest;

use super::body::ThreadBody;
use super::layout::EmissionLayout;
use super::registers::Registers;
use super::{EmissionError, Environment};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledProgram {
    /// The version of PTX.
    pub(super) version: &'static str,
    entries: Vec<CompiledFunction>,
    /// The SHA-256 of the program, in hexadecimal.
    pub hash: String,
    /// The accesses that its machine code should have: a PTX test of as many threads. Without,
    /// nothing is compared.
    pub accesses: Option<Test>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct CompiledFunction {
    parameters: Vec<String>,
    lines: Vec<String>,
}

/// Bytes for what a thread of an instance leaves behind.
const OWN: u64 = 64;

/// Versions of PTX that compilers write, newest first.
const VERSIONS: [&str; 18] = [
    "9.5", "9.4", "9.3", "9.2", "9.1", "9.0", "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.2",
    "8.1", "8.0", "7.8", "7.5", "7.0",
];

/// Why a text is no program that a compiler made of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadProgram {
    /// The test, by its name, is in no language that is compiled.
    NoCTest(String),
    /// It is no PTX, or of a version that came later.
    NoVersion,
    /// The thread has no function.
    NoKernel { thread: usize },
    /// The function of this name does not begin with `{`.
    NoBody(String),
    /// Its `}` is missing.
    NoEnd(String),
    /// The function of a thread has another number of parameters than are wanted.
    Parameters { thread: usize, has: usize, wanted: usize },
}

impl fmt::Display for UnreadProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCTest(name) => write!(
                f,
                "`{name}` is no C test; a compiled program is what a compiler made of one"
            ),
            Self::NoVersion => {
                f.write_str("the program has no `.version` that is known here; it has to be PTX")
            }
            Self::NoKernel { thread } => {
                write!(f, "the program has no kernel `margay_P{thread}` for thread P{thread}")
            }
            Self::NoBody(name) => write!(f, "`{name}` has no body"),
            Self::NoEnd(name) => write!(f, "`{name}` has no end"),
            Self::Parameters { thread, has, wanted } => write!(
                f,
                "`margay_P{thread}` has {has} parameters; expected {wanted}: the locations of the thread, and `result`"
            ),
        }
    }
}

impl std::error::Error for UnreadProgram {}

impl CompiledProgram {
    /// Reads PTX with a function for each thread of the test.
    pub fn read(text: &str, test: &Test) -> Result<Self, UnreadProgram> {
        if test.dialect != Dialect::C {
            return Err(UnreadProgram::NoCTest(test.name.clone()));
        }
        let written = text.lines().find_map(|l| l.trim().strip_prefix(".version")).map(str::trim);
        let version = written.and_then(|w| VERSIONS.into_iter().find(|v| *v == w));
        let version = version.ok_or(UnreadProgram::NoVersion)?;
        let entries = (0..test.threads.len())
            .map(|t| CompiledFunction::read(text, t))
            .collect::<Result<Vec<_>, _>>()?;
        for (t, (entry, thread)) in entries.iter().zip(&test.threads).enumerate() {
            let (has, wanted) = (entry.parameters.len(), thread.parameters.len() + 1);
            if has != wanted {
                return Err(UnreadProgram::Parameters { thread: t, has, wanted });
            }
        }
        Ok(Self { version, entries, hash: digest(text.as_bytes()), accesses: None })
    }

    /// The results that each thread stores after its accesses.
    pub fn results(test: &Test, thread: usize) -> usize {
        cuda_results(test, ThreadId(thread as u16)).len()
    }

    /// Bytes for what all threads of all instances leave behind.
    pub(super) fn bytes(&self, layout: &EmissionLayout) -> u64 {
        u64::from(layout.instances) * self.entries.len() as u64 * OWN
    }

    /// Settings that do not go with it.
    pub(super) fn fits(environment: &Environment) -> Result<(), EmissionError> {
        if environment.bank {
            return Err(EmissionError::environment(
                "bank=on is for tests whose accesses are written here, not by a compiler",
            ));
        }
        Ok(())
    }

    /// A thread; what it leaves behind begins `offset` bytes after the start of the results.
    pub(super) fn body(
        &self,
        test: &Test,
        t: usize,
        layout: &EmissionLayout,
        offset: u64,
    ) -> Result<ThreadBody, EmissionError> {
        let names = cuda_results(test, ThreadId(t as u16));
        if names.len() as u64 * 4 > OWN {
            return Err(EmissionError::test(format!(
                "P{t} assigns {} variables; 16 are the most",
                names.len()
            )));
        }
        let mut registers = Registers::named(t, &names);
        let own = format!("%t{t}_own");
        registers.made.push((own.clone(), true));
        let mut body = ThreadBody::empty(registers);
        body.before = vec![
            format!("add.u32 %a, %n, {};", t as u32 * layout.instances),
            format!("mul.wide.u32 {own}, %a, {OWN};"),
            format!("add.u64 {own}, {own}, %results;"),
            format!("add.u64 {own}, {own}, {offset};"),
        ];
        let entry = &self.entries[t];
        let mut pointers = Vec::new();
        for parameter in &test.threads[t].parameters {
            let location = test.location(&parameter.name);
            let location = location.ok_or_else(|| {
                EmissionError::test(format!("P{t}: there is no location `{}`", parameter.name))
            })?;
            body.locations.push(location);
            pointers.push(format!("%x{location}"));
        }
        pointers.push(own.clone());
        let finish = format!("$RETURN{t}");
        body.lines.push("{".to_owned());
        for line in &entry.lines {
            body.lines.push(entry.placed(line, &pointers, &finish)?);
        }
        body.lines.push("}".to_owned());
        body.lines.push(format!("{finish}:"));
        for (i, name) in names.iter().enumerate() {
            let register = body.registers.current(name);
            body.after.push(format!("ld.global.u32 {register}, [{own}+{}];", 4 * i));
        }
        Ok(body)
    }
}

impl CompiledFunction {
    /// The function of a thread.
    fn read(text: &str, t: usize) -> Result<Self, UnreadProgram> {
        let name = format!("margay_P{t}");
        let start = text.find(&format!(".entry {name}("));
        let rest = &text[start.ok_or(UnreadProgram::NoKernel { thread: t })?..];
        let (header, rest) =
            rest.split_once("\n{").ok_or_else(|| UnreadProgram::NoBody(name.clone()))?;
        let (body, _) = rest.split_once("\n}").ok_or_else(|| UnreadProgram::NoEnd(name.clone()))?;
        let parameter = |line: &str| {
            Some(
                line.trim()
                    .strip_prefix(".param")?
                    .split_whitespace()
                    .last()?
                    .trim_end_matches(',')
                    .to_owned(),
            )
        };
        let parameters = header.lines().filter_map(parameter).collect();
        // Comments, and what is for debuggers alone.
        let code =
            body.lines().map(|l| l.split("//").next().unwrap_or(l).trim().replace('\t', " "));
        let lines = code
            .filter(|l| {
                !l.is_empty() && ![".loc", ".file", ".pragma"].iter().any(|d| l.starts_with(d))
            })
            .collect();
        Ok(Self { parameters, lines })
    }

    /// A line of it in the harness: parameters are registers, and a return leads to its end.
    fn placed(
        &self,
        line: &str,
        pointers: &[String],
        finish: &str,
    ) -> Result<String, EmissionError> {
        if let Some(rest) = line.strip_prefix("ld.param.") {
            let loaded = rest.split_once(char::is_whitespace).and_then(|(ty, rest)| {
                let (to, from) = rest.split_once(',')?;
                let from = from.trim().strip_prefix('[')?.strip_suffix("];")?;
                let at = self.parameters.iter().position(|p| p == from)?;
                matches!(ty, "u64" | "b64")
                    .then(|| format!("mov.b64 {}, {};", to.trim(), pointers[at]))
            });
            return loaded.ok_or_else(|| {
                EmissionError::test(format!(
                    "the program has `{line}`; parameters here are pointers"
                ))
            });
        }
        match line.strip_suffix("ret;") {
            Some(guard) => Ok(format!("{guard}bra {finish};")),
            None if line.contains("_param_") || line.starts_with("call") => {
                Err(EmissionError::test(format!(
                    "the program has `{line}`, which has no place in the harness"
                )))
            }
            None => Ok(line.to_owned()),
        }
    }
}
