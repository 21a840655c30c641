//! Meetings of the lanes of a warp (PTX ISA 9.7.9, 9.7.13): of the lanes that play one instance.

use margay_litmus::test::{TestOperand, WarpMeeting};
use margay_ptx::ScalarKind;
use margay_ptx::exchange::{Exchange, ShuffleMode};

use super::Emitter;
use crate::emit::EmissionError;
use crate::emit::meeting::WarpPlace;

impl Emitter<'_> {
    /// A meeting. What the lanes give each other goes to the register that takes it, or nowhere but
    /// to what is used at the end.
    pub(super) fn meeting(&mut self, meeting: &WarpMeeting) -> Result<(), EmissionError> {
        let (first, mask) = self.lanes(meeting.mask);
        let name = meeting.name.as_str();
        let Some(given) = &meeting.given else {
            self.line(format!("{name} {mask};"));
            return Ok(());
        };
        if given.exchange == Exchange::Elect {
            let predicate = self.temporary('q');
            self.line(format!("elect.sync _|{predicate}, {mask};"));
            if let Some(elected) = &given.to {
                self.take(elected, &format!("selp.b{{bits}} {{to}}, 1, 0, {predicate};"));
            }
            return Ok(());
        }
        let mut operands =
            given.brought.iter().map(|value| self.of_lane(value)).collect::<Result<Vec<_>, _>>()?;
        if let (Exchange::Shuffle(mode), Some(_)) = (given.exchange, &given.to) {
            let [_, TestOperand::Integer(b), TestOperand::Integer(c)] = given.brought.as_slice()
            else {
                return Err(EmissionError::test(format!(
                    "`{name}` of a lane that a register names: kernels here have a number"
                )));
            };
            // The lanes of the instance begin at `first`: so do the lanes that it reads, and the
            // last one.
            let (lane, b, c) =
                (WarpPlace::of(self.test, self.thread).lane, *b as u32 & 31, *c as u32);
            let (clamp, segment) = (c & 31, c >> 8 & 31);
            if mode == ShuffleMode::Index {
                operands[1] = self.above(&first, lane & segment | b & !segment);
            }
            operands[2] = self.above(&first, lane & segment | clamp & !segment);
        }
        if given.exchange.is_vote()
            && let [value] = operands.as_mut_slice()
        {
            let (word, predicate) = (self.temporary('w'), self.temporary('q'));
            self.line(format!("mov.b32 {word}, {value};"));
            self.line(format!("setp.ne.s32 {predicate}, {word}, 0;"));
            *value = predicate;
        }
        let operands = operands.join(", ");
        if given.ty.bits > 32 {
            return Err(EmissionError::test(format!(
                "`{name}`; kernels here give other lanes 32 bits"
            )));
        }
        if matches!(given.exchange, Exchange::All | Exchange::Any | Exchange::Uniform) {
            let predicate = self.temporary('q');
            self.line(format!("{name} {predicate}, {operands}, {mask};"));
            match &given.to {
                Some(to) => self.take(to, &format!("selp.b{{bits}} {{to}}, 1, 0, {predicate};")),
                None => {
                    let brought = self.temporary('w');
                    self.body.after.push(format!("selp.b32 {brought}, 1, 0, {predicate};"));
                    self.body.loaded.push((brought, false));
                }
            }
            return Ok(());
        }
        let brought = self.temporary('w');
        // `match.all` has a second result, whether all are the same.
        let beside = if given.exchange == Exchange::MatchAll {
            format!("|{}", self.temporary('q'))
        } else {
            String::new()
        };
        self.line(format!("{name} {brought}{beside}, {operands}, {mask};"));
        let Some(to) = &given.to else {
            self.body.loaded.push((brought, false));
            return Ok(());
        };
        if matches!(given.exchange, Exchange::Ballot | Exchange::MatchAny | Exchange::MatchAll) {
            self.line(format!("shr.u32 {brought}, {brought}, {first};"));
        }
        let sign = if given.ty.kind == ScalarKind::Signed { 's' } else { 'u' };
        let taken = match self.body.registers.is_wide(to) {
            true => format!("cvt.{sign}64.{sign}32 {{to}}, {brought};"),
            false => format!("mov.b32 {{to}}, {brought};"),
        };
        self.take(to, &taken);
        Ok(())
    }

    /// Lets a register of the test take a result, by a line in which its name and its width are
    /// left open.
    fn take(&mut self, name: &str, line: &str) {
        let bits = if self.body.registers.is_wide(name) { "64" } else { "32" };
        let to = self.body.registers.define(name, false);
        self.line(line.replace("{bits}", bits).replace("{to}", &to));
    }

    /// What a lane brings.
    fn of_lane(&self, value: &TestOperand) -> Result<String, EmissionError> {
        match value {
            TestOperand::Integer(n) => Ok(n.to_string()),
            TestOperand::Register(name) if !self.body.registers.knows(name) => {
                Err(EmissionError::test(format!("`{name}` is no number and no register")))
            }
            TestOperand::Register(name) if self.body.registers.is_wide(name) => {
                Err(EmissionError::test(format!(
                    "`{name}` has 64 bits; kernels here give other lanes 32"
                )))
            }
            TestOperand::Register(name) => Ok(self.body.registers.current(name)),
            TestOperand::AddressOf(name) => Err(EmissionError::test(format!(
                "the address of `{name}` has 64 bits; kernels here give other lanes 32"
            ))),
        }
    }

    /// A register with a lane of the instance, where it is in the warp; the last one of the warp,
    /// if there is none.
    fn above(&mut self, first: &str, lane: u32) -> String {
        let at = self.temporary('w');
        self.body.before.push(format!("add.u32 {at}, {first}, {lane};"));
        self.body.before.push(format!("min.u32 {at}, {at}, 31;"));
        at
    }

    /// Registers with the first lane of the instance, and with the lanes of it that a mask names,
    /// where they are in the warp.
    fn lanes(&mut self, mask: u32) -> (String, String) {
        let place = WarpPlace::of(self.test, self.thread);
        let (first, named) = (self.temporary('w'), self.temporary('w'));
        let (lane, mask) = (place.lane, place.named(mask));
        self.body.before.push(format!("mov.u32 {first}, %laneid;"));
        self.body.before.push(format!("sub.u32 {first}, {first}, {lane};"));
        self.body.before.push(format!("mov.u32 {named}, {mask};"));
        self.body.before.push(format!("shl.b32 {named}, {named}, {first};"));
        (first, named)
    }
}
