//! One trial of a function: its instructions are carried out on numbers. What a text gives no
//! meaning stays unknown, and so does all that is computed from it.

use std::collections::BTreeMap;

use margay_litmus::test::{
    Access, AccessOrder, Address, AtomFunction, AtomInstruction, Base, FenceOrder, LocalFunction,
    Operation, TestOperand,
};
use margay_models::signature::architecture::StatusDependency;
use margay_models::signature::{self, Construct, Tags};

use super::course::{Course, Deed, DeedKind, TrialSetting};
use super::function::{AssemblyFunction, END, NEXT};
use super::word::{Word, computed, mask, signed};

/// The most instructions of one trial.
const MAX_STEPS: usize = 4_000;
/// Other threads change the object, and store-conditionals fail, at most so often in one trial.
const MAX_DISTURBANCES: usize = 2;

/// Where what the parameters point to lies: the object may begin some bytes later.
pub(super) const OBJECT: u64 = 0x10000;
pub(super) const RESULT: u64 = 0x20000;
pub(super) const FLAG: u64 = 0x30000;
const STACK: u64 = 0x70000;
/// Where a function returns to.
const RETURN: u64 = 0x40000;
/// Where the number lies that the guard of a stack is compared with (`-fstack-protector`), and what
/// it is. It is written before any thread begins, so that reading it is no access of a row.
const GUARDED: u64 = 0x50000;
const GUARD_NUMBER: u64 = 0x69d2_3b47_5e80_1f00;
/// What depends on it is marked as a read that no object has: the first of an object is 1.
const OF_GUARD: u32 = 1;
/// The register by which a text says where it lies.
const GUARD: &str = "%guard";
/// So much further on all of them lie where registers have 64 bits: half of an address is no
/// address of them.
const FAR: u64 = 0x51e7_0000_0000;
/// So many parameters are pointers: to the object, to the result, to whether it succeeded.
const POINTERS: usize = 3;
/// How much of the stack a function may use.
const STACK_BYTES: u64 = 0x1000;
/// The register by which a text says that an instruction gives up what was reserved (`clrex`).
const RESERVED: &str = "%reserved";
/// The register by which a text says that bits may be anything.
const ANY: &str = "%any";
/// In which bits what stands above a part of a register, of which nothing else is known, differs
/// from what stands above parameters.
const BESIDE_PART: u64 = 0x3c69_963c_693c_6996;
/// What the first of the caller's registers holds; each further one holds one more, so that no two
/// are taken for each other, and what is open differs in trials.
const OF_CALLER: u64 = 0x7a69_5b4c;
/// What lies around the object.
const BESIDE: u8 = 0x15;

struct TrialMachine<'a> {
    code: &'a AssemblyFunction,
    setting: TrialSetting,
    wanted: &'a [u8],
    registers: BTreeMap<String, Word>,
    memory: BTreeMap<u64, Word>,
    reserved: Option<u64>,
    reserved_by: u32,
    disturbances: usize,
    reads: u32,
    at: usize,
    /// What is added to the addresses above.
    far: u64,
    course: Course,
}

/// Tries a function out. What happens beside it is chosen as `wanted` says, and not at all behind
/// its end.
pub(super) fn tried(code: &AssemblyFunction, setting: TrialSetting, wanted: &[u8]) -> Course {
    let far = if code.word == 8 { FAR } else { 0 };
    let mut machine = TrialMachine {
        code,
        setting: TrialSetting { object: setting.object + far, ..setting },
        wanted,
        registers: BTreeMap::new(),
        memory: BTreeMap::new(),
        reserved: None,
        reserved_by: 0,
        disturbances: 0,
        reads: 0,
        at: 0,
        far,
        course: Course {
            deeds: Vec::new(),
            result: None,
            flag: None,
            harms: false,
            choices: Vec::new(),
            branches: Vec::new(),
            steps: 0,
            trouble: None,
        },
    };
    machine.begin();
    if let Err(why) = machine.run() {
        machine.course.trouble = Some(why);
    }
    machine.end()
}

impl TrialMachine<'_> {
    fn begin(&mut self) {
        let known = |n: u64| Word { number: Some(n), from: 0 };
        for at in (self.setting.object & !15) - 16..(self.setting.object & !15) + 32 {
            self.memory.insert(at, known(u64::from(BESIDE)));
        }
        self.write_bytes(self.setting.object, self.setting.bits, known(self.setting.old));
        // What stands above the one is not above the other, or is its sign: the types of front ends
        // have one.
        let (bits, word) = (self.setting.bits, self.code.word as u32 * 8);
        let is_pair = self.code.even && bits > word;
        let whole = if is_pair { mask(bits) } else { mask(word) };
        let given = |number: u64, open: u64| match self.code.open {
            true => number | open & !mask(bits),
            false => signed(number, bits) as u64 & whole,
        };
        let (value, expected) = (
            given(self.setting.value, self.setting.open),
            given(self.setting.expected, !self.setting.open),
        );
        let [result, flag, stack, back] = [RESULT, FLAG, STACK, RETURN].map(|at| at + self.far);
        let given = [self.setting.object, result, flag, value, expected];
        let mut spilled = stack;
        match self.code.returns {
            Some(register) if self.code.stack == Some(register) => {
                self.write_bytes(stack, self.code.word as u32 * 8, known(back));
                spilled += self.code.word;
            }
            Some(register) => drop(self.registers.insert(register.to_owned(), known(back))),
            None => {}
        }
        self.registers.insert(ANY.to_owned(), known(self.setting.open));
        let guarded = GUARDED + self.far;
        self.registers.insert(GUARD.to_owned(), known(guarded));
        let own = self.code.word as u32 * 8;
        self.write_bytes(guarded, own, known(GUARD_NUMBER & mask(own)));
        let mut next = 0_usize;
        for (i, &n) in given.iter().enumerate() {
            // Pointers come first, and have one register.
            let parts: u32 = if is_pair && i >= POINTERS { 2 } else { 1 };
            next = next.next_multiple_of(parts as usize);
            match self.code.registers.get(next..next + parts as usize) {
                Some(names) => {
                    next += names.len();
                    let halves = names.iter().zip(0_u32..).map(|(name, half)| {
                        ((*name).to_owned(), known(n >> (word * half) & mask(word)))
                    });
                    self.registers.extend(halves);
                }
                None => {
                    next = self.code.registers.len();
                    spilled = spilled.next_multiple_of(u64::from(parts) * self.code.word);
                    self.write_bytes(spilled, word * parts, known(n));
                    spilled += u64::from(parts) * self.code.word;
                }
            }
        }
        if let Some(register) = self.code.stack {
            self.registers.insert(register.to_owned(), known(stack));
        }
        for (register, number) in self.kept() {
            self.registers.insert(register.to_owned(), known(number));
        }
    }

    /// The registers of the caller, and what each holds.
    fn kept(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let (far, open) = (self.far, self.setting.open & mask(self.code.word as u32 * 8));
        self.code
            .kept
            .iter()
            .zip(OF_CALLER..)
            .map(move |(&register, number)| (register, (number + far) ^ open))
    }

    fn run(&mut self) -> Result<(), String> {
        for _ in 0..MAX_STEPS {
            let at = self.at;
            let Some(step) = self.code.steps.get(at) else {
                return Err("it runs off its end".to_owned());
            };
            self.at += 1;
            self.course.steps += 1;
            for operation in step.operations.as_ref().map_err(String::clone)? {
                match self.step(operation, at)? {
                    TrialNext::Go => {}
                    TrialNext::Jump(to) => {
                        self.at = to;
                        break;
                    }
                    TrialNext::End => return self.back(at),
                }
            }
        }
        Err(format!("it does not end within {MAX_STEPS} instructions"))
    }

    fn end(mut self) -> Course {
        self.course.result = self.read_bytes(RESULT + self.far, self.setting.bits).number;
        self.course.flag = self.read_bytes(FLAG + self.far, 8).number;
        let own = self.setting.object..self.setting.object + u64::from(self.setting.bits / 8);
        let mut around = (self.setting.object & !15) - 16..(self.setting.object & !15) + 32;
        let is_kept =
            |at: u64| self.memory.get(&at).is_some_and(|b| b.number == Some(u64::from(BESIDE)));
        self.course.harms = around.any(|at| !own.contains(&at) && !is_kept(at));
        self.course
    }

    /// A return must lead to where the function was called, with the stack and the caller's
    /// registers as they were.
    fn back(&self, at: usize) -> Result<(), String> {
        if !self.is_back() {
            return Err(format!(
                "`{}` does not lead back to where the function was called",
                self.code.text(at)
            ));
        }
        // A narrow register may be held as a number with a sign.
        let own = mask(self.code.word as u32 * 8);
        let held = |register: &str| {
            self.registers.get(register).and_then(|word| word.number).map(|number| number & own)
        };
        match self.kept().find(|&(register, number)| held(register) != Some(number)) {
            Some((register, _)) => {
                Err(format!("it does not give `{register}` back as it was, which is the caller's"))
            }
            None => Ok(()),
        }
    }

    /// Does a return lead to where the function was called, with the stack as it was?
    fn is_back(&self) -> bool {
        let number = |register: &str| self.registers.get(register).and_then(|word| word.number);
        let top = self.code.stack.map(number);
        let [stack, back] = [STACK, RETURN].map(|at| Some(at + self.far));
        match self.code.returns {
            None => true,
            Some(_) if top.is_some_and(|top| top != stack) => false,
            Some(register) if self.code.stack == Some(register) => {
                self.read_bytes(STACK + self.far, self.code.word as u32 * 8).number == back
            }
            Some(register) => number(register) == back,
        }
    }

    /// One of so many; 0 is the usual one.
    fn choose(&mut self, among: u8) -> u8 {
        let chosen =
            self.wanted.get(self.course.choices.len()).copied().unwrap_or(0).min(among - 1);
        self.course.choices.push((chosen, among));
        chosen
    }

    fn read_bytes(&self, at: u64, bits: u32) -> Word {
        let mut out = Word { number: Some(0), from: 0 };
        for i in (0..u64::from(bits / 8)).rev() {
            let byte = self.memory.get(&(at + i)).copied().unwrap_or_default();
            out.number = out.number.zip(byte.number).map(|(n, b)| n << 8 | b);
            out.from |= byte.from;
        }
        out
    }

    fn write_bytes(&mut self, at: u64, bits: u32, value: Word) {
        for i in 0..u64::from(bits / 8) {
            let byte = value.number.map(|n| n >> (8 * i) & 0xff);
            self.memory.insert(at + i, Word { number: byte, from: value.from });
        }
    }

    fn value(&self, value: &TestOperand) -> Result<Word, String> {
        Ok(match value {
            TestOperand::Register(name) => self.get(name),
            TestOperand::Integer(n) => Word { number: Some(*n as u64), from: 0 },
            TestOperand::AddressOf(_) => Word::default(),
        })
    }

    /// What a register holds: of one that is a part of another one, that part.
    fn get(&self, register: &str) -> Word {
        let Some(narrow) = self.code.narrow.get(register) else {
            return self.registers.get(register).copied().unwrap_or_default();
        };
        let whole = self.registers.get(narrow.whole).copied().unwrap_or_default();
        Word { number: whole.number.map(|n| n & mask(narrow.bits.into())), ..whole }
    }

    fn set(&mut self, register: &str, word: Word) {
        if register == RESERVED {
            self.reserved = None;
        }
        let Some(narrow) = self.code.narrow.get(register) else {
            self.registers.insert(register.to_owned(), word);
            return;
        };
        let own = mask(narrow.bits.into());
        let rest = match narrow.part {
            true => self.registers.get(narrow.whole).copied().unwrap_or_default(),
            false => Word { number: Some(0), from: 0 },
        };
        // What was never written may be anything, and something else than what stands above
        // parameters.
        let beside = rest.number.unwrap_or(self.setting.open ^ BESIDE_PART);
        let number = word.number.map(|n| n & own | beside & !own);
        self.registers
            .insert(narrow.whole.to_owned(), Word { number, from: word.from | rest.from });
    }

    fn address(&self, address: &Address, text: &str) -> Result<u64, String> {
        let Base::Register(base) = &address.base else {
            return Err(format!("`{text}` accesses a variable of the program"));
        };
        let base = self.get(base).number;
        let offset = match &address.offset {
            Some(offset) => self.value(offset)?.number,
            None => Some(0),
        };
        match base.zip(offset) {
            Some((base, offset)) => Ok(base.wrapping_add(offset)),
            None => Err(format!("`{text}` accesses an address that cannot be followed")),
        }
    }

    /// What an access is of: the object (`true`), or the function's own memory.
    fn is_object(&self, at: u64, bits: u32, text: &str) -> Result<bool, String> {
        let Some(end) = at.checked_add(u64::from(bits / 8)) else {
            return Err(format!("`{text}` accesses an address that cannot be followed"));
        };
        let object = self.setting.object..self.setting.object + u64::from(self.setting.bits / 8);
        if at < object.end && end > object.start {
            return Ok(true);
        }
        let [result, flag, stack] = [RESULT, FLAG, STACK].map(|at| at + self.far);
        let own = [result..result + 16, flag..flag + 16, stack - STACK_BYTES..stack + STACK_BYTES];
        if own.iter().any(|range| range.contains(&at) && end <= range.end) {
            return Ok(false);
        }
        Err(format!("`{text}` accesses an address that cannot be followed"))
    }

    /// Is a whole access of the number that the guard of the stack is compared with?
    fn is_guard(&self, at: u64, bits: u32) -> bool {
        at == GUARDED + self.far && u64::from(bits) == self.code.word * 8
    }

    /// Another thread may change the object, if the function looked at it before: only then does it
    /// matter.
    fn disturb(&mut self) {
        if self.reads == 0 || self.disturbances >= MAX_DISTURBANCES {
            return;
        }
        let chosen = self.choose(3);
        if chosen > 0 {
            self.disturbances += 1;
            let value =
                Word { number: Some(self.setting.others[usize::from(chosen) - 1]), from: 0 };
            self.write_bytes(self.setting.object, self.setting.bits, value);
            self.reserved = None;
        }
    }

    /// What the object holds.
    fn object(&self) -> Option<u64> {
        self.read_bytes(self.setting.object, self.setting.bits).number
    }

    /// A new read of the object.
    fn next_read(&mut self) -> u32 {
        self.reads = (self.reads + 1).min(31);
        self.reads
    }

    fn deed(&mut self, kind: DeedKind, at: usize) {
        self.course.deeds.push(Deed { kind, at });
    }

    fn step(&mut self, operation: &Operation, at: usize) -> Result<TrialNext, String> {
        let code = self.code;
        let text = code.text(at);
        match operation {
            Operation::Load { access, destination, address } => {
                let (tags, bits, place) =
                    (tags(access, text)?, bits(access, text)?, self.address(address, text)?);
                let construct =
                    Construct { operation: signature::Operation::Read, order: tags.order() };
                let is_half = code.architecture.is_half(construct);
                let mut word = Word::default();
                if self.is_guard(place, bits) {
                    word = Word { from: OF_GUARD, ..self.read_bytes(place, bits) };
                } else if self.is_object(place, bits, text)? {
                    self.disturb();
                    let number = self.next_read();
                    word = self.read_bytes(place, bits);
                    word.from |= 1 << number;
                    let read = self.object();
                    if is_half {
                        (self.reserved, self.reserved_by) = (Some(place), 1 << number);
                        self.deed(DeedKind::Reserve { tags, bits, number, read }, at);
                    } else {
                        self.deed(DeedKind::Read { tags, bits, number, read }, at);
                    }
                } else if is_half {
                    return Err(format!("`{text}` is not of the object"));
                } else {
                    let known = self.read_bytes(place, bits);
                    (word.number, word.from) = (known.number, known.from);
                }
                self.set(destination, word);
            }
            Operation::Store { access, address, value } => {
                let (tags, bits, place) =
                    (tags(access, text)?, bits(access, text)?, self.address(address, text)?);
                let value = self.value(value)?;
                let is_object = self.is_object(place, bits, text)?;
                self.write_bytes(place, bits, value);
                if is_object {
                    let written = self.object();
                    self.deed(DeedKind::Write { tags, bits, written }, at);
                }
            }
            Operation::StoreConditional { access, status, address, value } => {
                let (tags, bits, place) =
                    (tags(access, text)?, bits(access, text)?, self.address(address, text)?);
                if !self.is_object(place, bits, text)? {
                    return Err(format!("`{text}` is not of the object"));
                }
                let value = self.value(value)?;
                let may = self.reserved.take() == Some(place);
                let fails = !may || self.disturbances < MAX_DISTURBANCES && self.choose(2) == 1;
                if fails {
                    self.disturbances += 1;
                    self.deed(DeedKind::Conditional { tags, bits, written: None }, at);
                } else {
                    self.write_bytes(place, bits, value);
                    let written = self.object();
                    self.deed(DeedKind::Conditional { tags, bits, written: Some(written) }, at);
                }
                let construct =
                    Construct { operation: signature::Operation::Write, order: tags.order() };
                let from = match code.architecture.status_dependency(construct) {
                    StatusDependency::Pair => self.reserved_by,
                    StatusDependency::Nothing | StatusDependency::Store => 0,
                };
                self.set(status, Word { number: Some(u64::from(fails)), from });
            }
            Operation::Atom(atom) => self.atom(atom, at)?,
            Operation::Fence { order: Some(FenceOrder::Text(tags)), .. } => {
                self.deed(DeedKind::Fence(*tags), at)
            }
            Operation::Local { function, ty, destination, operands } => {
                let same = operands.len() == 2
                    && operands[0] == operands[1]
                    && matches!(operands[0], TestOperand::Register(_));
                let words =
                    operands.iter().map(|o| self.value(o)).collect::<Result<Vec<_>, _>>()?;
                let mut word = computed(*function, *ty, &words);
                if same && matches!(function, LocalFunction::Xor | LocalFunction::Subtract) {
                    word.number = Some(0);
                }
                self.set(destination, word);
            }
            Operation::BranchIf { comparison, left, right, target } => {
                let [a, b] = [self.value(left)?, self.value(right)?];
                let from = a.from | b.from;
                let is_guard = from == OF_GUARD;
                if from != 0 && !is_guard {
                    self.deed(DeedKind::Branch { from }, at);
                }
                let is_taken = match a.number.zip(b.number) {
                    Some((a, b)) => comparison.holds(a as i64, b as i64),
                    None => self.choose(2) == 1,
                };
                // Where both ways go to the next instruction, one of them is enough: `bne- 7,$+4`
                // of Power is there for its dependency.
                let is_next = target == NEXT
                    || self.code.labels.get(target.trim_start_matches('.')) == Some(&(at + 1));
                // A guard that is as it was goes one way. That it is another one no trial shows.
                if left != right && !is_next && !is_guard {
                    self.course.branches.push((at, is_taken));
                }
                if is_taken {
                    return self.jump(target, text);
                }
            }
            Operation::Goto(target) => return self.jump(target, text),
            Operation::Exit => return Ok(TrialNext::End),
            _ => return Err(format!("`{text}`: what it does is not known here")),
        }
        Ok(TrialNext::Go)
    }

    fn jump(&self, target: &str, text: &str) -> Result<TrialNext, String> {
        if target == END {
            return Ok(TrialNext::End);
        }
        if target == NEXT {
            return Ok(TrialNext::Jump(self.at));
        }
        match self.code.labels.get(target.trim_start_matches('.')) {
            Some(&at) => Ok(TrialNext::Jump(at)),
            None => Err(format!("`{text}` goes to what is not in the function")),
        }
    }

    fn atom(&mut self, atom: &AtomInstruction, at: usize) -> Result<(), String> {
        let code = self.code;
        let text = code.text(at);
        let (tags, bits, place) = (
            tags(&atom.access, text)?,
            bits(&atom.access, text)?,
            self.address(&atom.address, text)?,
        );
        if !self.is_object(place, bits, text)? {
            return Err(format!("`{text}` is not of the object"));
        }
        self.disturb();
        let number = self.next_read();
        let read = self.object();
        let mut old = self.read_bytes(place, bits);
        old.from |= 1 << number;
        let operand = self.value(&atom.operand)?;
        let both = old.number.zip(operand.number).map(|(a, b)| (a & mask(bits), b & mask(bits)));
        let new = match atom.function {
            AtomFunction::Exchange => Some(operand),
            AtomFunction::CompareAndSwap => {
                let Some((a, b)) = both else {
                    return Err(format!("what `{text}` compares cannot be followed"));
                };
                let replacement = atom.replacement.as_ref().map(|r| self.value(r)).transpose()?;
                replacement.filter(|_| a == b)
            }
            function => {
                let signed = |n: u64| {
                    if atom.access.ty.is_some() {
                        i128::from(n)
                    } else {
                        i128::from(signed(n, bits))
                    }
                };
                let compute = |(a, b): (u64, u64)| {
                    Some(match function {
                        AtomFunction::Add => a.wrapping_add(b),
                        AtomFunction::Subtract => a.wrapping_sub(b),
                        AtomFunction::And => a & b,
                        AtomFunction::Or => a | b,
                        AtomFunction::Xor => a ^ b,
                        AtomFunction::Min => signed(a).min(signed(b)) as u64,
                        AtomFunction::Max => signed(a).max(signed(b)) as u64,
                        _ => return None,
                    })
                };
                Some(Word { number: both.and_then(compute), from: operand.from })
            }
        };
        let written = new.map(|new| {
            self.write_bytes(place, bits, new);
            self.object()
        });
        self.deed(DeedKind::Rmw { tags, bits, number, read, written }, at);
        if let Some(destination) = &atom.destination {
            self.set(destination, old);
        }
        Ok(())
    }
}

enum TrialNext {
    Go,
    Jump(usize),
    End,
}

fn tags(access: &Access, text: &str) -> Result<Tags, String> {
    match access.order {
        Some(AccessOrder::Text(tags)) => Ok(tags),
        _ => Err(format!("`{text}`: what it does is not known here")),
    }
}

fn bits(access: &Access, text: &str) -> Result<u32, String> {
    let bits = access.width.0.map(u32::from).filter(|b| [8, 16, 32, 64].contains(b));
    bits.ok_or_else(|| format!("how many bits `{text}` accesses is not known"))
}
