//! Meetings of the lanes of a warp (PTX ISA 9.7.9, 9.7.13): of the lanes that play one instance.

use margay_litmus::test::WarpMeeting;

use super::Emitter;
use crate::emit::EmissionError;
use crate::emit::meeting::WarpPlace;

impl Emitter<'_> {
    /// A meeting. What the other lanes give goes nowhere but to what is used at the end.
    pub(super) fn meeting(&mut self, meeting: &WarpMeeting) -> Result<(), EmissionError> {
        let mask = self.lanes(meeting.mask);
        let name = meeting.name.as_str();
        if name == "bar.warp.sync" {
            self.line(format!("bar.warp.sync {mask};"));
            return Ok(());
        }
        if let Some(elected) = &meeting.elected {
            let predicate = self.temporary('q');
            self.line(format!("elect.sync _|{predicate}, {mask};"));
            let to = self.body.registers.define(elected, false);
            let bits = if self.body.registers.is_wide(elected) { 64 } else { 32 };
            self.line(format!("selp.b{bits} {to}, 1, 0, {predicate};"));
            return Ok(());
        }
        let is_vote = name.starts_with("vote.");
        let mut operands = Vec::new();
        for operand in meeting.operands.iter().skip(1) {
            let value = match operand.parse::<i64>() {
                Ok(n) => n.to_string(),
                Err(_) if !self.body.registers.knows(operand) => {
                    return Err(EmissionError::test(format!("`{operand}` is no number and no register")));
                }
                Err(_) if self.body.registers.is_wide(operand) => {
                    return Err(EmissionError::test(format!("`{operand}` has 64 bits; kernels here give other lanes 32")));
                }
                Err(_) => self.body.registers.current(operand),
            };
            operands.push(value);
        }
        if is_vote && let [value] = operands.as_mut_slice() {
            let (word, predicate) = (self.temporary('w'), self.temporary('q'));
            self.line(format!("mov.b32 {word}, {value};"));
            self.line(format!("setp.ne.s32 {predicate}, {word}, 0;"));
            *value = predicate;
        }
        let operands = operands.join(", ");
        let brought = self.temporary('w');
        match name {
            _ if name.ends_with(".pred") => {
                let predicate = self.temporary('q');
                self.line(format!("{name} {predicate}, {operands}, {mask};"));
                self.body.after.push(format!("selp.b32 {brought}, 1, 0, {predicate};"));
            }
            // It has a second result, whether all are the same.
            _ if name.starts_with("match.all.") => {
                let predicate = self.temporary('q');
                self.line(format!("{name} {brought}|{predicate}, {operands}, {mask};"));
            }
            _ if name.ends_with(".b64") => {
                return Err(EmissionError::test(format!("`{name}`; kernels here give other lanes 32 bits")));
            }
            _ => self.line(format!("{name} {brought}, {operands}, {mask};")),
        }
        self.body.loaded.push((brought, false));
        Ok(())
    }

    /// A register with the lanes of the instance that a mask names, where they are in the warp.
    fn lanes(&mut self, mask: u32) -> String {
        let place = WarpPlace::of(self.test, self.thread);
        let (first, named) = (self.temporary('w'), self.temporary('w'));
        let (lane, mask) = (place.lane, place.named(mask));
        self.body.before.push(format!("mov.u32 {first}, %laneid;"));
        self.body.before.push(format!("sub.u32 {first}, {first}, {lane};"));
        self.body.before.push(format!("mov.u32 {named}, {mask};"));
        self.body.before.push(format!("shl.b32 {named}, {named}, {first};"));
        named
    }
}
