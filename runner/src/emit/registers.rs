//! The registers of a thread of the test: which are 64 bits wide, and the names that they get in
//! the kernel.

use std::collections::BTreeMap;

use margay_litmus::test::{
    AsyncAction, AsyncOperation, AtomInstruction, AwaitedPhase, Base, InitialValue, LocalFunction,
    MbarrierAction, MbarrierOperation, Operation, Test, TestInstruction, TestOperand, ThreadId,
};

/// The registers of one thread, by name.
#[derive(Debug, Clone, Default)]
pub(super) struct Registers {
    wide: BTreeMap<String, bool>,
    /// How often each was renamed.
    version: BTreeMap<String, u32>,
    /// Is each definition a register of its own? Not where a jump may come between.
    renames: bool,
    prefix: String,
    /// Every register of the kernel that was made, with its width.
    pub made: Vec<(String, bool)>,
}

impl Registers {
    /// Of a thread. Registers are 32 bits wide, but for those that hold addresses or take part in
    /// 64-bit operations: a conversion right after a load would wait for it, and with it every
    /// access that follows.
    pub(super) fn new(test: &Test, thread: ThreadId, instructions: &[TestInstruction]) -> Self {
        let mut registers = Self {
            renames: !instructions.iter().any(|i| matches!(i.operation, Operation::Label(_))),
            prefix: format!("%t{}_", thread.0),
            ..Self::default()
        };
        for r in test.registers.iter().filter(|r| r.thread == thread) {
            let wide = matches!(r.value, Some(InitialValue::AddressOf(_)))
                || r.ty.is_some_and(|t| t.bits == 64);
            registers.wide.insert(r.name.clone(), wide);
        }
        loop {
            let before = registers.wide.values().filter(|w| **w).count();
            for i in instructions {
                registers.widths(i);
            }
            if registers.wide.values().filter(|w| **w).count() == before {
                break;
            }
        }
        let names: Vec<String> = registers.wide.keys().cloned().collect();
        for name in names {
            registers.make(&name, 0);
        }
        registers
    }

    /// Of a thread whose accesses a compiler wrote: words for what it leaves behind.
    pub(super) fn named(thread: usize, names: &[String]) -> Self {
        let mut registers = Self { prefix: format!("%t{thread}_"), ..Self::default() };
        for name in names {
            registers.widen(name, false);
            registers.make(name, 0);
        }
        registers
    }

    fn widen(&mut self, name: &str, wide: bool) {
        *self.wide.entry(name.to_owned()).or_insert(false) |= wide;
    }

    fn widen_operand(&mut self, operand: &TestOperand, wide: bool) {
        if let TestOperand::Register(name) = operand {
            self.widen(name, wide);
        }
    }

    fn widen_address(&mut self, address: &margay_litmus::test::Address) {
        if let Base::Register(name) = &address.base {
            self.widen(name, true);
        }
        if let Some(offset) = &address.offset {
            self.widen_operand(offset, false);
        }
    }

    fn widths(&mut self, i: &TestInstruction) {
        if let Some(guard) = &i.guard {
            self.widen(&guard.register, false);
        }
        let of_access =
            |access: &margay_litmus::test::Access| access.ty.is_some_and(|t| t.bits == 64);
        match &i.operation {
            Operation::Load { access, destination, address } => {
                self.widen_address(address);
                self.widen(destination, of_access(access));
            }
            Operation::Store { address, value, .. } => {
                self.widen_address(address);
                self.widen_operand(value, false);
            }
            Operation::VectorLoad { access, destinations, address } => {
                self.widen_address(address);
                for destination in destinations {
                    self.widen(destination, of_access(access));
                }
            }
            Operation::VectorStore { address, values, .. } => {
                self.widen_address(address);
                values.iter().for_each(|value| self.widen_operand(value, false));
            }
            Operation::Atom(AtomInstruction {
                access,
                destination,
                address,
                operand,
                replacement,
                ..
            }) => {
                self.widen_address(address);
                [Some(operand), replacement.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|v| self.widen_operand(v, false));
                if let Some(d) = destination {
                    self.widen(d, of_access(access));
                }
            }
            Operation::Local { function, ty, destination, operands } => {
                let wide = operands.iter().any(|o| match o {
                    TestOperand::Register(name) => self.wide.get(name).copied().unwrap_or(false),
                    TestOperand::AddressOf(_) => true,
                    TestOperand::Integer(_) => false,
                });
                operands.iter().for_each(|operand| self.widen_operand(operand, false));
                let product = matches!(
                    function,
                    LocalFunction::MultiplyWide | LocalFunction::MultiplyAddWide
                );
                self.widen(
                    destination,
                    product
                        || wide && ty.is_none_or(|t| t.bits != 32)
                        || ty.is_some_and(|t| t.bits == 64),
                );
            }
            Operation::Mbarrier(MbarrierOperation {
                action: MbarrierAction::Arrive { token: Some(token), .. },
                ..
            }) => {
                self.widen(token, true);
            }
            Operation::Mbarrier(MbarrierOperation {
                action: MbarrierAction::Wait { destination, phase, .. },
                ..
            }) => {
                self.widen(destination, false);
                match phase {
                    AwaitedPhase::Token(token) => self.widen_operand(token, true),
                    AwaitedPhase::Parity(parity) => self.widen_operand(parity, false),
                }
            }
            Operation::Warp(meeting) => {
                meeting.destination().into_iter().for_each(|name| self.widen(name, false));
                meeting.brought().iter().for_each(|value| self.widen_operand(value, false));
            }
            Operation::PendingCount { destination, token } => {
                self.widen(destination, false);
                self.widen_operand(token, true);
            }
            Operation::Async(AsyncOperation { action, .. }) => {
                let (values, ty) = match action {
                    AsyncAction::Store { values, ty, .. } => (values.as_slice(), ty),
                    AsyncAction::Reduce { value, ty, .. } => (std::slice::from_ref(value), ty),
                    _ => (&[][..], &None),
                };
                let is_wide = ty.is_some_and(|t| t.bits == 64);
                values.iter().for_each(|value| self.widen_operand(value, is_wide));
            }
            Operation::BranchIf { left, right, .. } => {
                self.widen_operand(left, false);
                self.widen_operand(right, false);
            }
            _ => {}
        }
    }

    fn make(&mut self, name: &str, version: u32) -> String {
        let register = format!(
            "{}{}_{version}",
            self.prefix,
            name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        );
        self.version.insert(name.to_owned(), version);
        self.made.push((register.clone(), self.is_wide(name)));
        register
    }

    /// Is it 64 bits wide?
    pub(super) fn is_wide(&self, name: &str) -> bool {
        self.wide.get(name).copied().unwrap_or(false)
    }

    /// The register that holds the current value.
    pub(super) fn current(&self, name: &str) -> String {
        let version = self.version.get(name).copied().unwrap_or(0);
        format!(
            "{}{}_{version}",
            self.prefix,
            name.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
        )
    }

    /// The register for a new value: another one, so that the old value can still be used at the
    /// end. Under a guard the old value may stay.
    pub(super) fn define(&mut self, name: &str, guarded: bool) -> String {
        if guarded || !self.renames {
            return self.current(name);
        }
        let version = self.version.get(name).copied().unwrap_or(0) + 1;
        self.make(name, version)
    }

    /// Is it a register of the thread?
    pub(super) fn knows(&self, name: &str) -> bool {
        self.wide.contains_key(name)
    }

    /// Is each definition a register of its own?
    pub(super) fn renames(&self) -> bool {
        self.renames
    }

    /// The names of all registers of the thread.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.wide.keys()
    }
}
