//! The control word of a machine instruction: what its warp waits for before it is issued, and what
//! it signals when it is done.
//!
//! NVIDIA documents none of this. Since Volta an instruction has 128 bits, of which bits 105 to 125
//! are the control word: stall (4 bits), yield (1), write scoreboard (3), read scoreboard (3), the
//! scoreboards to wait for (6), reuse of operands (4): Jia, Maggioni, Staiger and Scarpazza,
//! *Dissecting the NVIDIA Volta GPU architecture via microbenchmarking* (arXiv:1804.06826, 2018),
//! chapter 2; the assemblers maxas (its wiki, "Control Codes", for Maxwell) and CuAssembler (up to
//! sm_90), whose notation is used here. Huerta et al., *Analyzing modern NVIDIA GPU cores*
//! (arXiv:2503.20481, 2025) measured how a warp issues: in order, and one that waits for a
//! scoreboard when its counter is 0. `runner/tests/runner/assembled.rs` holds the decoder against
//! what must be so for any code to be correct.

use std::fmt;

/// The control word of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ControlWord {
    /// Cycles until the next instruction of the warp may be issued. 0 is another thing: the next
    /// one also waits for all results that are outstanding (so the notes of basalt, an assembler
    /// for sm_120), which is how ptxas 13 makes correct code at `-O0` without a scoreboard: its
    /// loads name none there, and nothing else makes the uses of their results wait.
    pub stall: u8,
    /// The bit of the yield hint is clear: the scheduler prefers another warp.
    pub yields: bool,
    /// The scoreboard, 0 to 5, that is released when the result is written.
    pub write: Option<u8>,
    /// The scoreboard that is released when the operands have been read.
    pub read: Option<u8>,
    /// The scoreboards that are waited for before this instruction is issued, one bit each.
    pub waits: u8,
    /// Operands that stay in the cache of the register file, one bit each.
    pub reuse: u8,
}

/// Where the control word begins in the second half of an instruction: bit 105 of 128.
const SHIFT: u32 = 105 - 64;

impl ControlWord {
    /// The control word in the second 64 bits of an instruction.
    pub fn of(high: u64) -> Self {
        Self::read(high >> SHIFT)
    }

    /// From its 21 bits, the lowest ones.
    fn read(bits: u64) -> Self {
        let field = |from: u32, width: u32| (bits >> from & ((1 << width) - 1)) as u8;
        // 7 is none: there are six.
        let scoreboard = |n: u8| (n < 6).then_some(n);
        Self {
            stall: field(0, 4),
            yields: field(4, 1) == 0,
            write: scoreboard(field(5, 3)),
            read: scoreboard(field(8, 3)),
            waits: field(11, 6),
            reuse: field(17, 4),
        }
    }

    pub fn waits_for(&self, scoreboard: u8) -> bool {
        self.waits >> scoreboard & 1 == 1
    }

    /// Does the next instruction wait for every result that is outstanding?
    pub fn drains(&self) -> bool {
        self.stall == 0 && self.yields
    }
}

impl fmt::Display for ControlWord {
    /// As CuAssembler writes it: `B--2---:R0:W5:Y:S04`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("B")?;
        for n in 0..6 {
            if self.waits_for(n) { write!(f, "{n}")? } else { f.write_str("-")? }
        }
        let number = |s: Option<u8>| s.map_or("-".to_owned(), |n| n.to_string());
        let yields = if self.yields { "Y" } else { "-" };
        write!(f, ":R{}:W{}:{yields}:S{:02}", number(self.read), number(self.write), self.stall)
    }
}

#[cfg(test)]
mod tests {
    use super::ControlWord;

    /// Words that ptxas 13.5 wrote for sm_90, and what `--explain` says of them.
    #[test]
    fn words_are_decoded() {
        for (high, text) in [
            // LDG.E.STRONG.GPU R6, desc[UR4][R6.64]
            (0x0003_6800_0c1e_f900, "B------:R1:W5:-:S04"),
            // SHF.R.S32.HI R7, RZ, 0x1f, R6
            (0x002f_e400_0001_1406, "B-1----:R-:W-:-:S02"),
            // MEMBAR's NOP: everything is waited for.
            (0x03ff_e200_0000_0000, "B012345:R-:W-:-:S01"),
            // MOV at -O0.
            (0x000f_c000_0000_0f00, "B------:R-:W-:Y:S00"),
        ] {
            let control = ControlWord::of(high);
            assert_eq!(control.to_string(), text, "{high:#018x}");
            assert_eq!(control.drains(), text.ends_with("Y:S00"));
        }
    }

    /// Every field has its own bits, and all 21 are used.
    #[test]
    fn fields_do_not_overlap() {
        let zero = ControlWord::of(0);
        let changed = (0..64).filter(|bit| ControlWord::of(1 << bit) != zero).collect::<Vec<_>>();
        assert_eq!(changed, (41..62).collect::<Vec<_>>());
    }
}
