//! The text of a kernel, taken apart.

use std::collections::BTreeMap;

use super::Memory;

/// An instruction: `@!%p op.mod.mod a, b, [c]`.
#[derive(Debug, Clone)]
pub struct Instruction {
    /// The register of the guard, and whether it is negated.
    pub guard: Option<(usize, bool)>,
    /// `ld`, `volatile`, `global`, `u32`.
    pub words: Vec<String>,
    pub operands: Vec<Operand>,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Register(usize),
    Number(u64),
    /// `[%r+8]`
    Address(Box<Operand>, u64),
    /// `{a, b}`, `a|b`
    Vector(Vec<Operand>),
    /// A parameter, a label, or a special register.
    Name(String),
}

/// A kernel.
pub struct Program {
    pub parameters: Vec<String>,
    /// The ctas of a cluster.
    pub cluster: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    pub instructions: Vec<Instruction>,
    pub labels: BTreeMap<String, usize>,
    pub registers: Vec<String>,
}

impl Program {
    /// Reads a kernel as the emitter writes it: one instruction a line.
    pub fn read(text: &str) -> Self {
        let (header, body) = text.split_once('{').expect("a body");
        let parameters = header.split(".param ").skip(1).map(|p| {
            let name = p.split_whitespace().nth(1).expect("a type and a name");
            name.trim_end_matches([',', ')']).to_owned()
        });
        let mut program = Self {
            parameters: parameters.collect(),
            cluster: header
                .split_once(".reqnctapercluster ")
                .and_then(|(_, rest)| rest.split_whitespace().next())
                .map_or(1, |n| n.parse().expect("a number of ctas")),
            shared: 0,
            instructions: Vec::new(),
            labels: BTreeMap::new(),
            registers: Vec::new(),
        };
        let mut symbols = BTreeMap::new();
        for line in body.lines().map(str::trim) {
            if line.is_empty() || line == "{" || line == "}" || line.starts_with(".reg") {
                continue;
            }
            if let Some(declared) = line.strip_prefix(".shared .align ") {
                let (align, rest) = declared.split_once(" .b8 ").expect("bytes");
                let (name, bytes) = rest.trim_end_matches("];").split_once('[').expect("an array");
                let at = program.shared.next_multiple_of(align.parse().expect("an alignment"));
                symbols.insert(name.to_owned(), Memory::shared() + u64::from(at));
                program.shared = at + bytes.parse::<u32>().expect("a number of bytes");
                continue;
            }
            if let Some(label) = line.strip_suffix(':') {
                assert!(
                    program.labels.insert(label.to_owned(), program.instructions.len()).is_none(),
                    "{label} twice"
                );
                continue;
            }
            let instruction = program.instruction(line.trim_end_matches(';'), &symbols);
            program.instructions.push(instruction);
        }
        program
    }

    fn instruction(&mut self, text: &str, symbols: &BTreeMap<String, u64>) -> Instruction {
        let (guard, rest) = match text.strip_prefix('@') {
            Some(guarded) => {
                let (guard, rest) =
                    guarded.split_once(' ').expect("an instruction behind its guard");
                let name = guard.trim_start_matches('!');
                (Some((self.register(name), guard.starts_with('!'))), rest)
            }
            None => (None, text),
        };
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        let operands = split(operands).into_iter().map(|o| self.operand(o, symbols)).collect();
        Instruction {
            guard,
            words: opcode.split('.').map(str::to_owned).collect(),
            operands,
            text: text.to_owned(),
        }
    }

    fn register(&mut self, name: &str) -> usize {
        self.registers.iter().position(|r| r == name).unwrap_or_else(|| {
            self.registers.push(name.to_owned());
            self.registers.len() - 1
        })
    }

    fn operand(&mut self, text: &str, symbols: &BTreeMap<String, u64>) -> Operand {
        if let Some(inner) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
            let (base, offset) = inner.split_once('+').unwrap_or((inner, "0"));
            return Operand::Address(
                Box::new(self.operand(base, symbols)),
                offset.parse().expect("an offset"),
            );
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            return Operand::Vector(
                split(inner).into_iter().map(|o| self.operand(o, symbols)).collect(),
            );
        }
        if let Some((first, second)) = text.split_once('|') {
            return Operand::Vector([first, second].map(|o| self.operand(o, symbols)).into());
        }
        if ["%tid.x", "%ctaid.x", "%ctaid.y", "%nctaid.x", "%ntid.x", "%laneid", "%clock", "_"]
            .contains(&text)
        {
            return Operand::Name(text.to_owned());
        }
        if text.starts_with('%') {
            return Operand::Register(self.register(text));
        }
        if let Some(hexadecimal) = text.strip_prefix("0x") {
            return Operand::Number(u64::from_str_radix(hexadecimal, 16).expect("a number"));
        }
        match (text.parse::<i128>(), symbols.get(text)) {
            (Ok(n), _) => Operand::Number(n as u64),
            (_, Some(&address)) => Operand::Number(address),
            _ => Operand::Name(text.to_owned()),
        }
    }
}

/// Operands, which are separated by commas outside braces.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}
