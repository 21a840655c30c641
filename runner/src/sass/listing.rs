//! The text that the disassembler writes, as instructions.

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The labels before it, `.L_x_24`.
    pub labels: Vec<String>,
    /// The predicate that it is under, `P0`.
    pub guard: Option<String>,
    /// The name with its qualifiers, split at the points: `LDG`, `E`, `STRONG`, `GPU`.
    pub name: Vec<String>,
    /// The operands.
    pub operands: Vec<String>,
}

impl Instruction {
    /// The name without qualifiers.
    pub fn base(&self) -> &str {
        self.name.first().map_or("", String::as_str)
    }

    /// Has it a qualifier?
    pub fn has(&self, qualifier: &str) -> bool {
        self.name.iter().skip(1).any(|q| q == qualifier)
    }

    /// The label that it may jump to.
    pub fn target(&self) -> Option<&str> {
        let operand = self.operands.last().filter(|_| self.base() == "BRA")?;
        operand.strip_prefix("`(")?.strip_suffix(')')
    }

    /// As the disassembler writes it.
    pub fn text(&self) -> String {
        let guard = self.guard.as_ref().map_or_else(String::new, |g| format!("@{g} "));
        format!("{guard}{} {}", self.name.join("."), self.operands.join(", ")).trim_end().to_owned()
    }

    /// `        /*0320*/   @!P0 LDG.E.64 R6, desc[UR4][R6.64];`
    fn read(line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("/*")?;
        let (_, rest) = rest.split_once("*/")?;
        let rest = rest.trim().split(';').next()?.trim();
        let (guard, rest) = match rest.strip_prefix('@') {
            Some(guarded) => {
                let (guard, rest) = guarded.split_once(' ')?;
                (Some(guard.trim_start_matches('!').to_owned()), rest.trim())
            }
            None => (None, rest),
        };
        let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        if name.is_empty() {
            return None;
        }
        Some(Self {
            labels: Vec::new(),
            guard,
            name: name.split('.').map(str::to_owned).collect(),
            operands: operands.split(',').map(|o| o.trim().to_owned()).filter(|o| !o.is_empty()).collect(),
        })
    }
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Its name.
    pub name: String,
    /// Its instructions, in the order of their addresses.
    pub instructions: Vec<Instruction>,
}

impl Listing {
    /// Reads what `nvdisasm -c` writes; lines that are no instructions are passed over.
    pub fn read(text: &str) -> Vec<Self> {
        let mut listings: Vec<Self> = Vec::new();
        let mut labels = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix(".text.").and_then(|l| l.strip_suffix(':')) {
                listings.push(Self { name: name.to_owned(), instructions: Vec::new() });
                labels.clear();
            } else if let Some(label) = line.strip_suffix(':').filter(|l| l.starts_with(".L")) {
                labels.push(label.to_owned());
            } else if let (Some(listing), Some(instruction)) = (listings.last_mut(), Instruction::read(line)) {
                listing.instructions.push(Instruction { labels: std::mem::take(&mut labels), ..instruction });
            }
        }
        listings
    }

    /// The instructions between the markers of a thread; `None` if they are not there.
    pub fn thread(&self, thread: usize) -> Option<&[Instruction]> {
        let (start, end) = (self.marker(2 * thread)? + 1, self.marker(2 * thread + 1)?);
        self.instructions.get(start..end)
    }

    /// The instructions behind the last marker of a thread, up to the next marker.
    pub fn after(&self, thread: usize) -> &[Instruction] {
        let start = self.marker(2 * thread + 1).map_or(self.instructions.len(), |m| m + 1);
        let rest = &self.instructions[start..];
        &rest[..rest.iter().position(|i| i.base() == "PMTRIG").unwrap_or(rest.len())]
    }

    fn marker(&self, event: usize) -> Option<usize> {
        let mask = format!("{:#x}", 1u32 << event);
        self.instructions.iter().position(|i| i.base() == "PMTRIG" && i.operands.first() == Some(&mask))
    }
}
