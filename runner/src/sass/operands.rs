//! The registers that machine instructions write and read.

use super::listing::SassInstruction;

/// How many operands are results: the first, and the predicates that follow it; for atoms a
/// predicate and a register.
pub(super) fn results(i: &SassInstruction) -> usize {
    let predicate = |o: &String| !o.starts_with('!') && (o.starts_with('P') || o.starts_with("UP"));
    match i.base() {
        "ST" | "STG" | "STS" | "STL" | "SUST" | "RED" | "REDG" | "MEMBAR" | "BAR" | "CCTL"
        | "BSYNC" | "NOP" | "ERRBAR" | "CGAERRBAR" | "BRA" | "EXIT" | "BSSY" | "BREAK"
        | "WARPSYNC" | "CALL" | "RET" | "YIELD" | "PMTRIG" | "DEPBAR" | "ENDCOLLECTIVE"
        | "NANOSLEEP" | "UCGABAR_ARV" | "UCGABAR_WAIT" | "LDGSTS" | "LDGDEPBAR" | "ARRIVES"
        | "UBLKCP" | "UBLKRED" | "UTMACMDFLUSH" | "UMEMSETS" | "STAS" | "REDAS" | "FENCE" => 0,
        "SYNCS" if i.has("CCTL") => 0,
        "SYNCS" => 1,
        "ATOM" | "ATOMG" | "TLD" | "TEX" => 2,
        // `PLOP3.LUT P0, PT, P0, ..`, `ISETP.NE.AND P0, PT, R4, ..`: two results, of which one may
        // be thrown away.
        _ if i.operands.first().is_some_and(predicate) => 2,
        _ => 1 + i.operands.iter().skip(1).take(2).take_while(|o| predicate(o)).count(),
    }
}

/// How many registers in a row an operand of an instruction is.
pub(super) fn registers(i: &SassInstruction) -> u32 {
    match () {
        () if i.has("128") => 4,
        () if i.has("64") => 2,
        () => 1,
    }
}

/// How many registers in a row one of the operands is, as an instruction writes or reads it.
fn width(i: &SassInstruction, operand: usize) -> u32 {
    match i.base() {
        _ if i.operands[operand].contains('[') => 1,
        // a * b + c, where c and the result are pairs.
        "IMAD" | "UIMAD" if i.has("WIDE") => {
            let last = i.operands.iter().rposition(|o| !o.contains('P')).unwrap_or(0);
            if operand == 0 || operand == last { 2 } else { 1 }
        }
        // Two single registers shifted as one, or the halves of one taken: `U64` says how to look
        // at them.
        "SHF" | "USHF" => 1,
        // The state of an mbarrier is a pair; what is added to it, or a phase, a single register.
        "SYNCS" => {
            if operand == 0 && i.has("ARRIVE") || i.has("EXCH") {
                2
            } else {
                1
            }
        }
        _ => registers(i),
    }
}

/// The registers and predicates that it writes.
pub(super) fn writes(i: &SassInstruction) -> Vec<String> {
    i.operands
        .iter()
        .enumerate()
        .take(results(i))
        .flat_map(|(n, o)| names(o, width(i, n)))
        .collect()
}

/// Those that it reads, its guard among them.
pub(super) fn reads(i: &SassInstruction) -> Vec<String> {
    let operands =
        i.operands.iter().enumerate().skip(results(i)).flat_map(|(n, o)| names(o, width(i, n)));
    i.guard.iter().cloned().chain(operands).collect()
}

/// The registers in an operand: `desc[UR4][R2.64]` has UR4, UR5, R2 and R3.
pub(super) fn names(operand: &str, registers: u32) -> Vec<String> {
    let mut found = Vec::new();
    let bytes = operand.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_alphanumeric() {
            at += 1;
        }
        let word = &operand[start..at];
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let Ok(number) = word[letters.len()..].parse::<u32>() else { continue };
        if !matches!(letters, "R" | "UR" | "P" | "UP") {
            continue;
        }
        found.push(word.to_owned());
        // Descriptors and addresses with `.64` are pairs whatever is loaded from them.
        let own = if operand[..start].ends_with("desc[") || operand[at..].starts_with(".64") {
            2
        } else {
            1
        };
        if letters.ends_with('R') {
            found.extend((1..registers.max(own)).map(|n| format!("{letters}{}", number + n)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::listing::SassInstruction;
    use super::{names, reads, results, writes};

    fn instruction(text: &str) -> SassInstruction {
        SassInstruction::read(&format!("/*0000*/ {text} ;")).expect("an instruction")
    }

    #[test]
    fn results_of_instructions() {
        for (text, n) in [
            ("PLOP3.LUT P0, PT, P0, PT, PT, 0x8, 0x0", 2),
            ("ISETP.NE.AND P0, PT, R4, RZ, PT", 2),
            ("IADD3 R2, P0, R2, R4, RZ", 2),
            ("IADD3.X R3, R3, R5, RZ, P0, !PT", 1),
            ("STG.E [R2.64], R4", 0),
            ("TLD.LZ RZ, R4, R8, UR4, 0x0, 1D, 0x3", 2),
            ("SUST.D.BA.1D.STRONG.SM.TRAP [R9], R3, UR4, 0x0", 0),
            ("SULD.D.BA.1D.STRONG.SM.TRAP R3, [R9], UR4, 0x0", 1),
            ("ATOMG.E.CAS.STRONG.GPU PT, R14, [R14], R16, R17", 2),
            ("SYNCS.PHASECHK.TRANS64 P0, [R3+URZ], R5", 1),
            ("SYNCS.CCTL.IV [R5+URZ]", 0),
            ("UBLKCP.S.G [UR8], [UR6], UR4", 0),
        ] {
            assert_eq!(results(&instruction(text)), n, "{text}");
        }
    }

    #[test]
    fn registers_of_instructions() {
        let cases: [(&str, &[&str], &[&str]); 12] = [
            ("LDG.E.64 R6, desc[UR4][R2.64+0x4]", &["R6", "R7"], &["UR4", "UR5", "R2", "R3"]),
            ("LDG.E.128 R8, [R2.64]", &["R8", "R9", "R10", "R11"], &["R2", "R3"]),
            ("STG.E desc[UR4][R2.64], R7", &[], &["UR4", "UR5", "R2", "R3", "R7"]),
            ("IMAD.WIDE.U32 R4, R5, 0x8, R12", &["R4", "R5"], &["R5", "R12", "R13"]),
            ("SHF.R.U64 R4, R5, 0x1, R6", &["R4"], &["R5", "R6"]),
            ("@!P0 STG.E [R2.64], R7", &[], &["P0", "R2", "R3", "R7"]),
            (
                "ATOMG.E.CAS.STRONG.GPU PT, R3, [R6.64], R10, R11",
                &["R3"],
                &["R6", "R7", "R10", "R11"],
            ),
            ("ULDC.64 UR4, c[0x0][0x208]", &["UR4", "UR5"], &[]),
            ("R2UR UR4, R12", &["UR4"], &["R12"]),
            ("SYNCS.ARRIVE.TRANS64.A1T0 R4, [R3+URZ], RZ", &["R4", "R5"], &["R3"]),
            ("SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R3+URZ], R5", &["P0"], &["R3", "R5"]),
            ("STAS [R4.64], R0", &[], &["R4", "R5", "R0"]),
        ];
        for (text, written, read) in cases {
            let i = instruction(text);
            assert_eq!(
                (writes(&i), reads(&i)),
                (
                    written.iter().map(|s| (*s).to_owned()).collect(),
                    read.iter().map(|s| (*s).to_owned()).collect()
                ),
                "{text}"
            );
        }
    }

    #[test]
    fn registers_of_operands() {
        assert_eq!(names("desc[UR4][R2.64]", 1), ["UR4", "UR5", "R2", "R3"]);
        assert_eq!(names("!P0", 1), ["P0"]);
        assert_eq!(names("RZ", 1), [""; 0]);
        assert_eq!(names("-R12.reuse", 1), ["R12"]);
        assert_eq!(names("c[0x0][0x160]", 1), [""; 0]);
        assert_eq!(names("R6", 2), ["R6", "R7"]);
        assert_eq!(names("R8", 4), ["R8", "R9", "R10", "R11"]);
    }
}
