//! The text that the disassembler writes, as instructions.

use super::control::ControlWord;

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SassInstruction {
    /// Its place in the kernel, in bytes.
    pub address: u32,
    /// The labels before it, `.L_x_24`.
    pub labels: Vec<String>,
    /// The predicate that it is under, `P0`.
    pub guard: Option<String>,
    /// The name with its qualifiers, split at the points: `LDG`, `E`, `STRONG`, `GPU`.
    pub name: Vec<String>,
    pub operands: Vec<String>,
    /// Its control word, where the text has the bytes (`nvdisasm -hex`).
    pub control: Option<ControlWord>,
    /// As the disassembler writes it.
    text: String,
}

impl SassInstruction {
    /// The name without qualifiers.
    pub fn base(&self) -> &str {
        self.name.first().map_or("", String::as_str)
    }

    pub fn has(&self, qualifier: &str) -> bool {
        self.name.iter().skip(1).any(|q| q == qualifier)
    }

    /// The label among its operands: where it may jump to, or where a `BSSY` says that jumps come
    /// together.
    pub fn label(&self) -> Option<&str> {
        self.operands.last()?.strip_prefix("`(")?.strip_suffix(')')
    }

    /// The label that it may jump to.
    pub fn target(&self) -> Option<&str> {
        self.label().filter(|_| self.base() == "BRA")
    }

    /// As the disassembler writes it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `        /*0320*/   @!P0 LDG.E.64 R6, desc[UR4][R6.64];   /* 0x0000000406067981 */`
    pub(super) fn read(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("/*")?;
        let (address, rest) = rest.split_once("*/")?;
        let address = u32::from_str_radix(address, 16).ok()?;
        let text = rest.split(';').next()?.trim();
        // What follows the last instruction of a line is its bytes; a line of bytes alone has no
        // name.
        let text = text.split("/*").next()?.trim();
        let (guard, rest) = match text.strip_prefix('@') {
            Some(guarded) => {
                let (guard, rest) = guarded.split_once(' ')?;
                (Some(guard.trim_start_matches('!').to_owned()), rest.trim())
            }
            None => (None, text),
        };
        let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        if name.is_empty() {
            return None;
        }
        Some(Self {
            address,
            labels: Vec::new(),
            guard,
            name: name.split('.').map(str::to_owned).collect(),
            operands: operands
                .split(',')
                .map(|o| o.trim().to_owned())
                .filter(|o| !o.is_empty())
                .collect(),
            control: None,
            text: text.to_owned(),
        })
    }
}

/// The second 64 bits of an instruction stand alone on the line behind it:
/// `/* 0x000fc00000000f00 */`.
fn high(line: &str) -> Option<u64> {
    let digits = line.trim().strip_prefix("/*")?.strip_suffix("*/")?.trim().strip_prefix("0x")?;
    (digits.len() == 16).then(|| u64::from_str_radix(digits, 16).ok())?
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The name of the kernel in the machine code.
    pub name: String,
    /// Its instructions, in the order of their addresses.
    pub instructions: Vec<SassInstruction>,
}

impl Listing {
    /// Reads what `nvdisasm -c`, with or without `-hex`, writes; lines that are no instructions are
    /// passed over.
    pub fn read(text: &str) -> Vec<Self> {
        let mut listings: Vec<Self> = Vec::new();
        let mut labels = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix(".text.").and_then(|l| l.strip_suffix(':')) {
                listings.push(Self { name: name.to_owned(), instructions: Vec::new() });
                labels.clear();
            } else if let Some(label) = line.strip_suffix(':').filter(|l| l.starts_with(".L")) {
                labels.push(label.to_owned());
            } else if let Some(high) = high(line) {
                let last = listings.last_mut().and_then(|l| l.instructions.last_mut());
                if let Some(last) = last.filter(|i| i.control.is_none()) {
                    last.control = Some(ControlWord::of(high));
                }
            } else if let (Some(listing), Some(instruction)) =
                (listings.last_mut(), SassInstruction::read(line))
            {
                listing
                    .instructions
                    .push(SassInstruction { labels: std::mem::take(&mut labels), ..instruction });
            }
        }
        listings
    }

    /// The instructions between the markers of a thread; `None` if they are not there.
    pub fn thread(&self, thread: usize) -> Option<&[SassInstruction]> {
        let (start, end) = (self.marker(2 * thread)? + 1, self.marker(2 * thread + 1)?);
        self.instructions.get(start..end)
    }

    /// The instructions behind the last marker of a thread, up to the next marker.
    pub fn after(&self, thread: usize) -> &[SassInstruction] {
        let start = self.marker(2 * thread + 1).map_or(self.instructions.len(), |m| m + 1);
        let rest = &self.instructions[start..];
        &rest[..rest.iter().position(|i| i.base() == "PMTRIG").unwrap_or(rest.len())]
    }

    fn marker(&self, event: usize) -> Option<usize> {
        let mask = format!("{:#x}", 1u32 << event);
        self.instructions
            .iter()
            .position(|i| i.base() == "PMTRIG" && i.operands.first() == Some(&mask))
    }
}

#[cfg(test)]
mod tests {
    use super::Listing;

    #[test]
    fn with_and_without_bytes() {
        let hex = ".text.k:\n        /*0060*/               @!P0 EXIT ;      /* 0x000000000000094d */\n\
            \t\t\t\t\t/* 0x000fea0003800000 */\n.L_x_1:\n        /*0070*/   LDC.64 R4, c[0x0][0x218] ;   /* 0x00008600ff047b82 */\n\
            \t\t/* 0x000e240000000a00 */\n        /*0080*/   BRA `(.L_x_1);   /* 0xfffffffc00fc7947 */\n\t/* 0x000fc0000383ffff */\n";
        let with = Listing::read(hex).remove(0).instructions;
        assert_eq!(
            with.iter().map(|i| i.text()).collect::<Vec<_>>(),
            ["@!P0 EXIT", "LDC.64 R4, c[0x0][0x218]", "BRA `(.L_x_1)"]
        );
        assert_eq!(with.iter().map(|i| i.address).collect::<Vec<_>>(), [0x60, 0x70, 0x80]);
        assert_eq!(
            (with[1].labels.as_slice(), with[2].target()),
            ([".L_x_1".to_owned()].as_slice(), Some(".L_x_1"))
        );
        assert_eq!(with[1].control.expect("the bytes are there").write, Some(0));
        assert!(with.iter().all(|i| i.control.is_some()));
        let bytes = |l: &&str| l.trim().starts_with("/* 0x");
        let plain: Vec<&str> = hex
            .lines()
            .filter(|l| !bytes(l))
            .map(|l| l.split(" /* 0x").next().unwrap_or(l))
            .collect();
        let without = Listing::read(&plain.join("\n")).remove(0).instructions;
        assert_eq!(without.len(), 3);
        assert!(without.iter().all(|i| i.control.is_none()));
    }
}
