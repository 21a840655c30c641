//! Calls of functions, and what is passed.

use margay_ptx::effect::Effect;
use margay_ptx::{Operand, Parameter, VariableId};

use super::value::{Key, KnownValue};
use super::{FollowedThread, State, StepEnd};
use crate::layout::{PARAMETER, function_at};
use crate::mark::MarkKind;
use crate::residue::CodePiece;

impl FollowedThread<'_, '_> {
    /// The memory of a parameter of a call.
    pub(super) fn parameter(&self, id: VariableId, depth: usize) -> (u64, u64) {
        (self.layout.address(id, depth), self.prepared.module.variable(id).size.unwrap_or(8))
    }

    /// Copies what is passed to where it is taken.
    pub(super) fn pass(
        &mut self,
        state: &mut State,
        from: &Operand,
        (to, depth): (Parameter, usize),
        from_depth: usize,
    ) -> Option<()> {
        let moved: Vec<(Key, KnownValue, String)> = match (from, to) {
            (Operand::Variable(id, _), Parameter::Memory(other)) => {
                let ((start, size), (target, _)) =
                    (self.parameter(*id, from_depth), self.parameter(other, depth));
                let cells: Vec<(Key, KnownValue)> = state
                    .known
                    .range(Key::Cell(start, 0)..Key::Cell(start + size, 0))
                    .map(|(k, v)| (*k, *v))
                    .collect();
                cells
                    .into_iter()
                    .filter_map(|(key, known)| {
                        let Key::Cell(at, width) = key else { return None };
                        Some((Key::Cell(target + at - start, width), known, self.name(key)))
                    })
                    .collect()
            }
            (operand, to) => {
                let value = match operand {
                    Operand::Register(r) => {
                        self.register(state, Key::Register(from_depth as u16, *r))
                    }
                    other => self.value(state, other)?,
                };
                let key = match to {
                    Parameter::Memory(id) => {
                        let (target, size) = self.parameter(id, depth);
                        Key::Cell(target, size.min(8) as u8)
                    }
                    Parameter::Register(register) => Key::Register(depth as u16, register),
                };
                vec![(key, value.known, value.text)]
            }
        };
        for (key, known, text) in moved {
            state.known.insert(key, known);
            if !matches!(known, KnownValue::Bits(_)) {
                let name = self.name(key);
                self.emit(state, format!("mov {name}, {text}"));
            }
        }
        Some(())
    }

    pub(super) fn call(
        &mut self,
        state: &mut State,
        function: Option<&str>,
        address: Option<&Operand>,
        arguments: &[Operand],
    ) -> Option<StepEnd> {
        let module = self.prepared.module;
        let at = address.and_then(|address| self.value(state, address)?.bits());
        let Some(name) =
            function.or_else(|| function_at(module, at?).map(|function| function.name.as_str()))
        else {
            return Some(self.unknown(state, "a call of a function whose address is not known"));
        };
        let callee = module.function(name).filter(|&f| module.functions[f].body.is_some());
        let Some(callee) = callee else {
            return Some(match name {
                "__assertfail" | "__assert_fail" => {
                    self.stop(state, MarkKind::Trap, "an assertion that fails")
                }
                // What is printed is nothing that threads read.
                "vprintf" => {
                    if let Effect::Call { results, .. } =
                        &self.prepared.effects[state.function][state.at]
                    {
                        for result in *results {
                            if let Operand::Variable(id, _) = result {
                                let (at, size) = self.parameter(*id, state.calls.len());
                                state
                                    .known
                                    .insert(Key::Cell(at, size.min(8) as u8), KnownValue::Bits(0));
                            }
                        }
                    }
                    StepEnd::Next
                }
                other => self.unknown(state, format!("`{other}` is of another module")),
            });
        };
        if callee == state.function || state.calls.iter().any(|(f, _)| *f == callee) {
            return Some(self.unknown(state, format!("`{name}` calls itself")));
        }
        let depth = state.calls.len();
        for (argument, parameter) in arguments.iter().zip(&module.functions[callee].parameters) {
            self.pass(state, argument, (*parameter, depth + 1), depth)?;
        }
        state.known.remove(&Key::Carry);
        state.calls.push((state.function, state.at));
        (state.function, state.at) = (callee, 0);
        Some(StepEnd::Again)
    }

    /// Back to the caller; `false` at the end of the kernel.
    pub(super) fn leave(&mut self, state: &mut State) -> bool {
        let module = self.prepared.module;
        let depth = state.calls.len();
        let Some((function, at)) = state.calls.pop() else {
            self.comes_to_an_end(state);
            self.code.push((CodePiece::End, None));
            return false;
        };
        let callee = &module.functions[state.function];
        (state.function, state.at) = (function, at);
        if let Effect::Call { results, .. } = &self.prepared.effects[function][at] {
            for (result, parameter) in results.iter().zip(&callee.results) {
                self.give_back(state, *parameter, depth, result);
            }
        }
        // What was of the call is gone.
        let range = PARAMETER | (depth as u64) << 44..PARAMETER | (depth as u64 + 1) << 44;
        state.known.retain(|key, _| match key {
            Key::Register(of, _) | Key::Pending(of, _) => usize::from(*of) < depth,
            Key::Cell(at, _) => !range.contains(at),
            // "The condition code register is not preserved across calls" (PTX ISA 9.7.2).
            Key::Carry => false,
            Key::Met(_) | Key::Drawn(_) | Key::Allocated | Key::Settled => true,
            Key::Expected(_) | Key::First(_) | Key::Nth(_) | Key::Told(_) | Key::Early(_) => true,
            Key::Accumulated(_) | Key::Committed(_) => true,
        });
        state.at += 1;
        true
    }

    /// Copies what is returned at a depth to the result of the caller.
    pub(super) fn give_back(
        &mut self,
        state: &mut State,
        from: Parameter,
        depth: usize,
        result: &Operand,
    ) {
        let cells: Vec<(Key, KnownValue)> = match from {
            Parameter::Memory(id) => {
                let (start, size) = self.parameter(id, depth);
                state
                    .known
                    .range(Key::Cell(start, 0)..Key::Cell(start + size, 0))
                    .map(|(k, v)| (*k, *v))
                    .collect()
            }
            Parameter::Register(register) => {
                let key = Key::Register(depth as u16, register);
                state.known.get(&key).map(|&known| (key, known)).into_iter().collect()
            }
        };
        for (key, known) in cells {
            let to = match (result, from, key) {
                (Operand::Variable(id, _), Parameter::Memory(of), Key::Cell(at, width)) => {
                    Key::Cell(
                        self.parameter(*id, depth - 1).0 + at - self.parameter(of, depth).0,
                        width,
                    )
                }
                (Operand::Variable(id, _), ..) => {
                    let (at, size) = self.parameter(*id, depth - 1);
                    Key::Cell(at, size.min(8) as u8)
                }
                (Operand::Register(register), ..) => Key::Register(depth as u16 - 1, *register),
                _ => continue,
            };
            state.known.insert(to, known);
            if !matches!(known, KnownValue::Bits(_)) {
                let (from, to) = (self.name(key), self.name(to));
                self.emit(state, format!("mov {to}, {from}"));
            }
        }
    }
}
