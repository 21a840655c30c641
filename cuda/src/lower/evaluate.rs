//! What is computed when the program is compiled. Its code is made like any other, apart from that
//! of the kernel; where it needs nothing but itself one thread of the machine runs it, and what it
//! leaves is the constant.

use std::fmt::Write as _;
use std::rc::Rc;

use margay_machine::{LaunchSize, MachineModule, MemoryKind, Schedule};
use rustc_hash::FxHashSet;

use super::known_bytes::{KnownBytes, number};
use super::{
    CLASSES, KernelLowering, KnownSpace, LoweringResult, LoweringStop, MAX_TRIES, TypedValue,
    ValueForm, ValuePlace,
};
use crate::lex::CudaSpan;
use crate::tree::{CudaExpression, InitialTree};
use crate::types::CudaType;

/// After so many instructions what is computed has no end.
const MAX_STEPS: u64 = 1 << 20;

/// The most instructions of all that is computed for one program.
pub(super) const MAX_STEPS_OF_ALL: u64 = 1 << 24;

/// The most bytes that a constant has.
const MAX_BYTES: u64 = 1 << 16;

/// Code that is made apart from that of the kernel.
pub(super) struct CodeApart {
    body: String,
    variables: String,
    /// Registers up to these are not its own.
    registers: [u32; 6],
}

/// May an instruction be run when the program is compiled? It computes, or accesses memory of its
/// own.
fn is_pure(instruction: &str) -> bool {
    const NAMES: [&str; 34] = [
        "abs", "add", "and", "bfe", "bfi", "bfind", "bra", "brev", "clz", "cnot", "copysign",
        "cvt", "cvta", "div", "fma", "ld", "mad", "max", "min", "mov", "mul", "neg", "not", "or",
        "popc", "prmt", "rem", "selp", "setp", "shf", "shl", "shr", "st", "sub",
    ];
    let name = instruction.split(['.', ' ']).next().unwrap_or_default();
    let is_elsewhere = ["global", "shared", "param", "volatile"]
        .iter()
        .any(|word| instruction.split(['.', ' ']).any(|w| w == *word));
    (NAMES.contains(&name) || name == "xor") && !is_elsewhere
}

impl CodeApart {
    /// Does it need nothing but itself, and do nothing but compute?
    fn is_complete(&self) -> bool {
        let is_own = |word: &str| {
            let split = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let (class, number) = word.split_at(split);
            let known =
                CLASSES.iter().position(|(name, _)| *name == class).zip(number.parse::<u32>().ok());
            known.is_some_and(|(class, number)| number > self.registers[class])
        };
        let lines = self
            .body
            .lines()
            .map(str::trim)
            .filter(|line| !line.starts_with(".loc") && !line.starts_with('$'));
        let mut pieces = lines
            .flat_map(|line| line.split([';', '{', '}']))
            .map(str::trim)
            .filter(|piece| !piece.is_empty());
        pieces.all(|piece| {
            let instruction = match piece.strip_prefix('@') {
                Some(rest) => rest.split_once(' ').map_or("", |(_, rest)| rest.trim()),
                None => piece,
            };
            let registers =
                piece.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '%' | '_' | '$'));
            let are_own = registers.filter(|word| word.starts_with('%')).all(is_own);
            are_own && (instruction.starts_with(".reg") || is_pure(instruction))
        })
    }
}

impl KernelLowering {
    /// Does something whose code is put apart. What turns out to need memory has it the next time.
    pub(super) fn apart<T>(
        &mut self,
        mut act: impl FnMut(&mut Self) -> LoweringResult<T>,
    ) -> LoweringResult<(CodeApart, T)> {
        let (depth, frames, instructions) = (self.depth, self.frames.len(), self.instructions);
        let made = self.frames.last().map_or(0, |frame| frame.temporaries.len());
        for _ in 0..MAX_TRIES {
            let (body, variables) =
                (std::mem::take(&mut self.body), std::mem::take(&mut self.variables));
            let (line, registers) = (std::mem::take(&mut self.line), self.registers);
            let known = self.in_memory.len() + self.changed.len();
            let done = act(self);
            // What is put nowhere makes nothing.
            if let Some(frame) = self.frames.get_mut(frames.wrapping_sub(1)) {
                frame.temporaries.truncate(made);
            }
            let body = std::mem::replace(&mut self.body, body);
            let variables = std::mem::replace(&mut self.variables, variables);
            // Memory that threads share is there whether the code is put anywhere or not.
            for shared in variables.lines().filter(|line| line.contains(".shared")) {
                let _ = writeln!(self.variables, "{shared}");
            }
            let variables = variables
                .lines()
                .filter(|line| !line.contains(".shared"))
                .fold(String::new(), |all, l| all + l + "\n");
            self.line = line;
            match done {
                Ok(value) => return Ok((CodeApart { body, variables, registers }, value)),
                Err(LoweringStop::Again) if self.in_memory.len() + self.changed.len() > known => {
                    self.frames.truncate(frames);
                    (self.depth, self.instructions) = (depth, instructions);
                }
                Err(stop) => return Err(stop),
            }
        }
        Err(LoweringStop::Again)
    }

    /// Code that was made apart after all as code of the kernel.
    pub(super) fn put_here(&mut self, code: &CodeApart) {
        self.body.push_str(&code.body);
        self.variables.push_str(&code.variables);
        self.line = (0, 0);
    }

    /// The bytes of a local variable when code has run; nothing where it needs more than itself,
    /// goes wrong, or does not end.
    fn run(&mut self, code: &CodeApart, symbol: &str, bytes: u64) -> Option<Vec<u8>> {
        if bytes > MAX_BYTES || self.steps_left == 0 || !code.is_complete() {
            return None;
        }
        let mut text = String::from(".version 8.7\n.target sm_90\n.address_size 64\n");
        // Constants that it reads. What is `__constant__` the host may change.
        let names: FxHashSet<&str> = code
            .body
            .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '$'))
            .collect();
        let mut read: Vec<_> =
            self.constants.iter().filter(|(_, symbol)| names.contains(&***symbol)).collect();
        read.sort_by_key(|(_, symbol)| (*symbol).clone());
        for (known, symbol) in read {
            let _ = writeln!(text, "{}", known.declared(symbol));
        }
        text.push_str(
            ".visible .entry value(.param .u64 out)\n{\n.reg .b64 %to;\n.reg .b32 %byte;\n",
        );
        for ((prefix, ty), count) in CLASSES.iter().zip(&self.registers) {
            let _ = writeln!(text, ".reg {ty} {prefix}<{}>;", count + 1);
        }
        text.push_str(&code.variables);
        // What is not initialised is zero, as variables of the program are; memory that nobody
        // wrote holds anything.
        text.push_str("mov.b32 %byte, 0;\n");
        for n in 0..bytes {
            let _ = writeln!(text, "st.local.u8 [{symbol}+{n}], %byte;");
        }
        for line in code.body.lines().filter(|line| !line.trim().starts_with(".loc")) {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("ld.param.u64 %to, [out];\n");
        for n in 0..bytes {
            let _ = writeln!(
                text,
                "ld.local.u8 %byte, [{symbol}+{n}];\nst.global.u8 [%to+{n}], %byte;"
            );
        }
        text.push_str("ret;\n}\n");
        let mut module = MachineModule::read(&text).ok()?;
        let address = module.memory.allocate("the value", bytes).ok()?;
        let launch = LaunchSize { blocks: [1; 3], threads: [1; 3], dynamic_shared: 0 };
        let steps = self.steps_left.min(MAX_STEPS + 3 * bytes);
        let schedule =
            Schedule { seed: 0, memory: MemoryKind::SequentiallyConsistent, places: 1, steps };
        let done = module.launch("value", launch, &[address.to_le_bytes().to_vec()], &schedule);
        self.steps_left -= done.as_ref().map_or(steps, |done| done.steps.min(steps));
        done.ok()?;
        Some(module.memory.read(address, bytes).ok()?.to_vec())
    }

    /// The bytes of a value that is made at a place; nothing where they are not known when the
    /// program is compiled.
    pub(super) fn evaluated(
        &mut self,
        ty: &CudaType,
        at: CudaSpan,
        mut make: impl FnMut(&mut Self, &ValuePlace) -> LoweringResult<()>,
    ) -> LoweringResult<Option<Vec<u8>>> {
        let (bytes, align) = self.size_of(ty, at)?;
        if bytes > MAX_BYTES {
            return Ok(None);
        }
        let instructions = self.instructions;
        let (code, place) = self.apart(|this| {
            let place = this.local("value", bytes, align, at)?;
            this.for_value(|this| make(this, &place))?;
            Ok(place)
        })?;
        self.instructions = instructions;
        let ValuePlace::Memory { base, .. } = place else { return Ok(None) };
        Ok(self.run(&code, &base, bytes))
    }

    /// What a declaration makes of a type, if that is known when the program is compiled.
    pub(super) fn evaluated_initial(
        &mut self,
        ty: &CudaType,
        initial: &InitialTree,
        at: CudaSpan,
    ) -> LoweringResult<Option<Vec<u8>>> {
        self.evaluated(ty, at, |this, place| this.initialise(place, ty, initial, at))
    }

    /// The value of an expression, which is a constant where it can be computed when the program is
    /// compiled.
    pub(super) fn value_or_constant(&mut self, e: &CudaExpression) -> LoweringResult<TypedValue> {
        let instructions = self.instructions;
        let (code, value) = self.apart(|this| {
            let value = this.for_value(|this| this.lower(e))?;
            this.rvalue(value)
        })?;
        if let Some(constant) = self.number_of(&code, &value)? {
            self.instructions = instructions;
            return Ok(constant);
        }
        self.put_here(&code);
        Ok(value)
    }

    /// A number that code computes, if that needs nothing but the code.
    pub(super) fn number_of(
        &mut self,
        code: &CodeApart,
        value: &TypedValue,
    ) -> LoweringResult<Option<TypedValue>> {
        if code.body.is_empty() && value.known().is_some() {
            return Ok(Some(value.clone()));
        }
        let ty = value.ty.value();
        if !ty.is_arithmetic() || !code.is_complete() {
            return Ok(None);
        }
        let (stored, place) = self.apart(|this| {
            let place = this.local("value", ty.bytes(), ty.bytes(), this.position)?;
            this.store(&place, &ty, value.clone())?;
            Ok(place)
        })?;
        let whole = CodeApart {
            body: code.body.clone() + &stored.body,
            variables: code.variables.clone() + &stored.variables,
            registers: code.registers,
        };
        let ValuePlace::Memory { base, .. } = place else { return Ok(None) };
        let bytes = self.run(&whole, &base, ty.bytes());
        Ok(bytes.map(|bytes| {
            let bits = number(&bytes);
            let form = ValueForm::Constant(if ty.is_real() { bits } else { ty.cut(bits) });
            TypedValue { ty, form }
        }))
    }

    /// A constant of a type that is no number, as a place.
    pub(super) fn known_place(
        &mut self,
        name: &Rc<str>,
        ty: CudaType,
        bytes: Vec<u8>,
        at: CudaSpan,
    ) -> LoweringResult<TypedValue> {
        let align = self.size_of(&ty, at)?.1;
        let known = Rc::new(KnownBytes { name: name.clone(), bytes, align });
        Ok(TypedValue::place(ty, ValuePlace::Known(known, 0)))
    }

    /// The place in memory of a constant, which is put there when its address is needed.
    pub(super) fn place_of_known(&mut self, known: &Rc<KnownBytes>, offset: i64) -> ValuePlace {
        let symbol = match self.constants.get(known) {
            Some(symbol) => symbol.clone(),
            None => {
                let symbol = self.symbol(&known.name);
                self.declarations.push_str(&(known.declared(&symbol) + "\n"));
                self.constants.insert(known.clone(), symbol.clone());
                symbol
            }
        };
        ValuePlace::Memory { base: symbol, offset, space: KnownSpace::Constant }
    }
}
