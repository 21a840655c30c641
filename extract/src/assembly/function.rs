//! A function of assembly as a trial carries it out: the meaning of each instruction, and where its
//! labels are.

use std::collections::BTreeMap;

use margay_litmus::test::Operation;
use margay_models::signature::Architecture;
use margay_models::signature::architecture::RegisterName;

use super::listing::{ListingStatement, code};
use super::{AssemblyReader, UnreadStatement};

/// The most instructions of a function; what compilers print for an operation has less than a
/// hundred.
const MAX_INSTRUCTIONS: usize = 2_000;

/// The label by which a text says that a branch leads to the instruction behind it, wherever it
/// goes.
pub(super) const NEXT: &str = "%next";

/// What a text calls the end of a function, for returns under a condition.
pub(super) const END: &str = "%end";

/// A function, read: its instructions in the order of the text, and what they mean.
pub(super) struct AssemblyFunction {
    pub(super) steps: Vec<TrialStep>,
    pub(super) labels: BTreeMap<String, usize>,
    /// The registers that do not have all the bits of a number.
    pub(super) narrow: BTreeMap<&'static str, RegisterName>,
    pub(super) registers: Vec<&'static str>,
    pub(super) stack: Option<&'static str>,
    /// The register with the address that the function returns to, or that of the stack, where it
    /// lies.
    pub(super) returns: Option<&'static str>,
    /// The registers of the caller.
    pub(super) kept: &'static [&'static str],
    /// Is what stands above a narrow parameter not known?
    pub(super) open: bool,
    /// Does a parameter of two registers begin with an even one?
    pub(super) even: bool,
    /// The bytes of a register.
    pub(super) word: u64,
    pub(super) architecture: Architecture,
}

pub(super) struct TrialStep {
    text: String,
    pub(super) operations: Result<Vec<Operation>, String>,
}

impl AssemblyFunction {
    /// Reads the code of a function.
    pub(super) fn new(reader: &mut AssemblyReader, text: &str) -> Self {
        let (mut steps, mut labels) = (Vec::new(), BTreeMap::new());
        let statements = code(text);
        let count =
            statements.iter().filter(|s| matches!(s, ListingStatement::Instruction(_))).count();
        if count > MAX_INSTRUCTIONS {
            let why = format!(
                "it has {count} instructions, and no more than {MAX_INSTRUCTIONS} are read"
            );
            steps
                .push(TrialStep { text: "its first instruction".to_owned(), operations: Err(why) });
        }
        for statement in statements.into_iter().filter(|_| count <= MAX_INSTRUCTIONS) {
            match statement {
                ListingStatement::Label(name) => {
                    labels.insert(name.trim_start_matches('.').to_owned(), steps.len());
                }
                ListingStatement::Unread(text) => {
                    let why = UnreadStatement(text.clone()).to_string();
                    steps.push(TrialStep { text, operations: Err(why) });
                }
                ListingStatement::Instruction(text) => {
                    let of_bytes =
                        |_| format!("`{text}` makes bytes, or lies elsewhere, and is not read");
                    let operations = reader.read(&text);
                    let operations = if text.starts_with('.') {
                        operations.map_err(of_bytes)
                    } else {
                        operations
                    };
                    steps.push(TrialStep { text, operations });
                }
            }
        }
        let assembly = reader.architecture.assembly();
        let registers = assembly.map_or(Vec::new(), |a| a.parameters.clone());
        let bits = registers.first().and_then(|r| assembly?.register(r)).map_or(64, |r| r.bits);
        Self {
            steps,
            labels,
            narrow: assembly
                .into_iter()
                .flat_map(|a| a.narrow_registers())
                .map(|r| (r.name, r))
                .collect(),
            registers,
            stack: assembly.and_then(|a| a.stack),
            returns: assembly.and_then(|a| a.returns),
            kept: assembly.map_or(&[], |a| &a.kept),
            open: assembly.is_some_and(|a| a.open),
            even: assembly.is_some_and(|a| a.even),
            word: u64::from(bits / 8),
            architecture: reader.architecture,
        }
    }

    /// Why a call is not followed, if the function has one: it says more than the stack frame that
    /// is made for it. Behind a guard of the stack is one that no trial comes to.
    pub(super) fn call(&self) -> Option<String> {
        let mut whys = self.steps.iter().filter_map(|step| step.operations.as_ref().err());
        whys.find(|why| why.contains(": a call") && !why.contains("__stack_chk_fail")).cloned()
    }

    /// The text of an instruction.
    pub(super) fn text(&self, at: usize) -> &str {
        &self.steps[at].text
    }
}
