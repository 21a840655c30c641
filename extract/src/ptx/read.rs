//! The functions of a PTX file, as [`margay_ptx`] reads it, with the names that their text has: a
//! path is followed by names, and so is what other compilers than those of PTX print.

use std::collections::HashSet;

use margay_ptx::{self as resolved, Parameter, RegisterId, StateSpace, VariableId};

use super::{BadPtx, PtxFunction, PtxInstruction, PtxModule, PtxOperand};

/// Reads a PTX file.
///
/// # Errors
/// What is no PTX, with its line.
pub fn read(text: &str) -> Result<PtxModule, BadPtx> {
    let module = resolved::read(text).map_err(|e| BadPtx { line: e.line, message: e.message })?;
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let functions = module.functions.iter().filter_map(|function| {
        let names = RegisterNames::new(function);
        Some(FunctionReader { text, starts: &starts, module: &module, names }.function(function))
            .filter(|_| function.body.is_some())
    });
    let functions = functions.collect();
    Ok(PtxModule {
        version: module.version.clone(),
        target: module.target.first().cloned().unwrap_or_default(),
        functions,
    })
}

/// The name of each register, once: a register of an inner block that is called like one before it
/// has its number behind the name.
struct RegisterNames(Vec<String>);

impl RegisterNames {
    fn new(function: &resolved::Function) -> Self {
        let (mut seen, mut names) = (HashSet::new(), Vec::new());
        for (number, register) in function.registers.iter().enumerate() {
            names.push(match seen.insert(register.name.as_str()) {
                true => register.name.clone(),
                false => format!("{}#{number}", register.name),
            });
        }
        Self(names)
    }

    fn of(&self, register: RegisterId) -> String {
        self.0[register.0 as usize].clone()
    }
}

struct FunctionReader<'a> {
    text: &'a str,
    /// Where each line starts.
    starts: &'a [usize],
    module: &'a resolved::Module,
    names: RegisterNames,
}

impl FunctionReader<'_> {
    fn function(&self, function: &resolved::Function) -> PtxFunction {
        let mut targets = Vec::new();
        let body: Vec<PtxInstruction> = function
            .body
            .iter()
            .flatten()
            .map(|instruction| self.instruction(instruction, &mut targets))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        let locals = function
            .variables
            .iter()
            .filter(|v| self.module.variable(**v).space == StateSpace::Local);
        PtxFunction {
            name: function.name.clone(),
            kernel: function.entry,
            parameters: function.parameters.iter().map(|p| self.parameter(*p)).collect(),
            results: function.results.iter().map(|p| self.parameter(*p)).collect(),
            locals: locals.map(|v| self.variable(*v)).collect(),
            body,
            labels: targets.into_iter().map(|at| (label(at), at)).collect(),
            text: self.text[function.start..function.end].to_owned(),
        }
    }

    fn variable(&self, id: VariableId) -> String {
        self.module.variable(id).name.clone()
    }

    fn parameter(&self, parameter: Parameter) -> String {
        match parameter {
            Parameter::Memory(id) => self.variable(id),
            Parameter::Register(id) => self.names.of(id),
        }
    }

    fn instruction(
        &self,
        instruction: &resolved::Instruction,
        targets: &mut Vec<usize>,
    ) -> PtxInstruction {
        let name =
            std::iter::once(&instruction.opcode).chain(&instruction.qualifiers).cloned().collect();
        PtxInstruction {
            predicate: instruction
                .guard
                .map(|(register, negated)| (self.names.of(register), negated)),
            name,
            operands: instruction.operands.iter().map(|o| self.operand(o, targets)).collect(),
            line: self.starts.partition_point(|&start| start <= instruction.start),
        }
    }

    fn operand(&self, operand: &resolved::Operand, targets: &mut Vec<usize>) -> PtxOperand {
        let mut all = |operands: &[resolved::Operand]| {
            operands.iter().map(|o| self.operand(o, targets)).collect()
        };
        match operand {
            resolved::Operand::Register(id) => PtxOperand::Register(self.names.of(*id)),
            resolved::Operand::Special(name) => PtxOperand::Register(format!("%{name}")),
            resolved::Operand::Integer(n) => PtxOperand::Number(*n),
            resolved::Operand::Float(bits, size) => PtxOperand::Float(*bits, u32::from(*size)),
            resolved::Operand::Variable(id, 0) => PtxOperand::Name(self.variable(*id)),
            resolved::Operand::Variable(id, offset) => {
                PtxOperand::Address(Box::new(PtxOperand::Name(self.variable(*id))), *offset)
            }
            resolved::Operand::Label(at) => {
                targets.push(*at);
                PtxOperand::Name(label(*at))
            }
            resolved::Operand::Name(name) => PtxOperand::Name(name.clone()),
            // Textures have more than one coordinate; the first operand says which texture.
            resolved::Operand::Address(base, offset) => match &**base {
                resolved::Operand::List(parts) => match parts.first() {
                    Some(first) => {
                        PtxOperand::Address(Box::new(self.operand(first, targets)), *offset)
                    }
                    None => PtxOperand::Nothing,
                },
                base => PtxOperand::Address(Box::new(self.operand(base, targets)), *offset),
            },
            resolved::Operand::Vector(parts) => PtxOperand::Vector(all(parts)),
            resolved::Operand::List(parts) => PtxOperand::List(all(parts)),
            resolved::Operand::Not(id) => {
                PtxOperand::Not(Box::new(PtxOperand::Register(self.names.of(*id))))
            }
            resolved::Operand::Pair(first, second) => PtxOperand::Pair(
                Box::new(self.operand(first, targets)),
                Box::new(self.operand(second, targets)),
            ),
            resolved::Operand::Sink => PtxOperand::Nothing,
        }
    }
}

/// The label of an instruction: one for all that a text has there.
fn label(at: usize) -> String {
    format!("@{at}")
}
