//! Which values the registers of machine code are computed from, followed through the code as it stands, and along jumps forward.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::Instruction;

type Sources = BTreeMap<String, BTreeSet<usize>>;

/// For each register and predicate, by name, the effects (by position) whose values it may be computed from. More than is there
/// may be found, never less: so a dependency that is missed here is missing.
#[derive(Debug, Clone, Default)]
pub(super) struct Dependencies {
    of: Sources,
    /// What was known at the jumps to a label that has not come yet.
    jumps: BTreeMap<String, Sources>,
    /// Those of the branches so far.
    pub control: BTreeSet<usize>,
}

impl Dependencies {
    /// What operands are computed from. Each register stands for so many in a row.
    pub fn sources<'o>(&self, operands: impl Iterator<Item = &'o String>, registers: u32) -> BTreeSet<usize> {
        let names = operands.flat_map(|o| names(o, registers));
        names.filter_map(|n| self.of.get(&n)).flatten().copied().collect()
    }

    /// What the guard of an instruction is computed from.
    pub fn guard(&self, i: &Instruction) -> BTreeSet<usize> {
        i.guard.as_ref().and_then(|g| self.of.get(g)).cloned().unwrap_or_default()
    }

    /// Comes to an instruction: from the one before it, or by a jump to its label.
    pub fn arrive(&mut self, i: &Instruction) {
        for jumped in i.labels.iter().filter_map(|label| self.jumps.remove(label)).collect::<Vec<_>>() {
            merge(&mut self.of, jumped);
        }
    }

    /// Goes over an instruction whose result is that of an effect (`effect`), or computed from its operands.
    pub fn step(&mut self, i: &Instruction, effect: Option<usize>) {
        if matches!(i.base(), "BRA" | "EXIT" | "BRX" | "JMP") {
            self.control.extend(self.guard(i));
            if let Some(label) = i.target() {
                merge(self.jumps.entry(label.to_owned()).or_default(), self.of.clone());
            }
            return;
        }
        let registers = if i.has("WIDE") { 2 } else { registers(i) };
        let results = results(i);
        let mut from = match effect {
            Some(effect) => BTreeSet::from([effect]),
            None => self.sources(i.operands.iter().skip(results), registers),
        };
        from.extend(self.guard(i));
        for operand in &i.operands[..results.min(i.operands.len())] {
            for name in names(operand, registers) {
                let mut new = from.clone();
                if i.guard.is_some() {
                    new.extend(self.of.get(&name).into_iter().flatten());
                }
                self.of.insert(name, new);
            }
        }
    }
}

fn merge(into: &mut Sources, other: Sources) {
    for (name, sources) in other {
        into.entry(name).or_default().extend(sources);
    }
}

/// How many registers in a row an operand of an instruction is.
pub(super) fn registers(i: &Instruction) -> u32 {
    match () {
        () if i.has("128") => 4,
        () if i.has("64") => 2,
        () => 1,
    }
}

/// How many operands are results: the first, and the predicates that follow it; for atoms a predicate and a register.
fn results(i: &Instruction) -> usize {
    let predicate = |o: &String| !o.starts_with('!') && (o.starts_with('P') || o.starts_with("UP"));
    match i.base() {
        "ST" | "STG" | "STS" | "STL" | "SUST" | "RED" | "REDG" | "MEMBAR" | "BAR" | "CCTL" | "BSYNC" | "NOP" | "ERRBAR"
        | "CGAERRBAR" => 0,
        "ATOM" | "ATOMG" | "TLD" | "TEX" => 2,
        // `PLOP3.LUT P0, PT, P0, ..`, `ISETP.NE.AND P0, PT, R4, ..`: two results, of which one may be thrown away.
        _ if i.operands.first().is_some_and(predicate) => 2,
        _ => 1 + i.operands.iter().skip(1).take(2).take_while(|o| predicate(o)).count(),
    }
}

/// The registers in an operand: `desc[UR4][R2.64]` has UR4, UR5, R2 and R3.
fn names(operand: &str, registers: u32) -> Vec<String> {
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
        let pair = operand[at..].starts_with(".64") || letters == "UR";
        if letters.ends_with('R') {
            found.extend((1..registers.max(if pair { 2 } else { 1 })).map(|n| format!("{letters}{}", number + n)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::listing::Listing;
    use super::{Dependencies, Instruction, names, results};

    #[test]
    fn results_of_instructions() {
        let instruction = |text: &str| {
            let (name, operands) = text.split_once(' ').unwrap();
            Instruction {
                labels: Vec::new(),
                guard: None,
                name: name.split('.').map(str::to_owned).collect(),
                operands: operands.split(',').map(|o| o.trim().to_owned()).collect(),
            }
        };
        assert_eq!(results(&instruction("PLOP3.LUT P0, PT, P0, PT, PT, 0x8, 0x0")), 2);
        assert_eq!(results(&instruction("ISETP.NE.AND P0, PT, R4, RZ, PT")), 2);
        assert_eq!(results(&instruction("IADD3 R2, P0, R2, R4, RZ")), 2);
        assert_eq!(results(&instruction("IADD3.X R3, R3, R5, RZ, P0, !PT")), 1);
        assert_eq!(results(&instruction("STG.E [R2.64], R4")), 0);
        assert_eq!(results(&instruction("TLD.LZ RZ, R4, R8, UR4, 0x0, 1D, 0x3")), 2);
        assert_eq!(results(&instruction("SUST.D.BA.1D.STRONG.SM.TRAP [R9], R3, UR4, 0x0")), 0);
        assert_eq!(results(&instruction("SULD.D.BA.1D.STRONG.SM.TRAP R3, [R9], UR4, 0x0")), 1);
        assert_eq!(results(&instruction("ATOMG.E.CAS.STRONG.GPU PT, R14, [R14], R16, R17")), 2);
    }

    /// What sm_70 makes of a loop: behind the jump out of it stands code that uses the registers for something else.
    #[test]
    fn what_stands_between_a_jump_and_its_label_is_not_on_the_way() {
        let text = ".text.k:\n/*00*/ LDG.E.SYS R4, [R2] ;\n/*10*/ @!P0 BRA `(.L_x_1) ;\n/*20*/ VOTE.ANY R4, PT, PT ;\n\
            .L_x_1:\n/*30*/ STG.E.SYS [R6], R4 ;\n";
        let listing = Listing::read(text).remove(0);
        let mut known = Dependencies::default();
        for (n, i) in listing.instructions.iter().enumerate() {
            known.arrive(i);
            let stored = known.sources(i.operands.iter().skip(1), 1);
            match n {
                3 => assert_eq!(stored, BTreeSet::from([0])),
                _ => known.step(i, (n == 0).then_some(0)),
            }
        }
        assert_eq!(listing.instructions[3].labels, [".L_x_1"]);
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
