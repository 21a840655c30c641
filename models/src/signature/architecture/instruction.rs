//! Instructions: the lines `read`, `write`, `rmw` and `fence` of an architecture's text.

use super::architecture_instruction::ArchitectureInstruction;
use super::leaked::leaked;
use super::scopes::SCOPED;
use super::text::{ArchitectureReader, after};
use super::{MAX_INSTRUCTIONS, StatusDependency};
use crate::diagnostic::{Diagnostic, Span};
use crate::signature::Operation;

/// The words of mapping rows and those that end the table of a litmus test, and the instructions of
/// tests that access no memory.
const RESERVED: [&str; 43] = [
    "or",
    "nothing",
    "absent",
    "other",
    "addr",
    "data",
    "ctrl",
    "mov",
    "cvt",
    "add",
    "sub",
    "mul",
    "div",
    "rem",
    "and",
    "xor",
    "not",
    "neg",
    "shl",
    "shr",
    "min",
    "max",
    "setp",
    "goto",
    "bra",
    "beq",
    "bne",
    "blt",
    "ble",
    "bgt",
    "bge",
    "exit",
    "ret",
    "mad",
    "selp",
    "pick",
    "bar",
    "barrier",
    "exists",
    "forall",
    "filter",
    "locations",
    "ScopeTree",
];

/// Is it an instruction of the table form that accesses no memory?
pub(super) fn is_local(word: &str) -> bool {
    let name = word.split('.').next().unwrap_or_default();
    let elsewhere = [
        "nothing",
        "absent",
        "other",
        "addr",
        "data",
        "ctrl",
        "exists",
        "forall",
        "filter",
        "locations",
        "ScopeTree",
    ];
    RESERVED.contains(&name) && !elsewhere.contains(&name)
}

/// Can it be the mnemonic of an instruction?
fn is_mnemonic(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !RESERVED.contains(&word)
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
        && !word.ends_with('.')
}

/// What stands behind a mnemonic.
struct InstructionWords<'w> {
    tags: &'w [(&'w str, Span)],
    status: StatusDependency,
    /// Is it half of a pair of load-reserved and store-conditional?
    half: bool,
    test_only: bool,
    scoped: bool,
}

impl ArchitectureReader<'_> {
    pub(super) fn instruction(
        &mut self,
        operation: Operation,
        keyword: Span,
        rest: &[(&str, Span)],
    ) -> Result<(), Diagnostic> {
        let word = match operation {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Rmw => "rmw",
            Operation::Fence => "fence",
        };
        let [(mnemonic, span), tags @ ..] = rest else {
            return Err(self.error(
                after(keyword),
                "expected a mnemonic",
                "expected a mnemonic",
                Self::shape(word),
            ));
        };
        if !is_mnemonic(mnemonic) {
            let help = "a mnemonic is a word of ASCII letters, digits, `_` and `.` that begins with a letter, and none of the words \
                        that mapping rows and litmus tests have for other things (or, nothing, ctrl, mov, add, exists, ...)";
            return Err(self.error(
                *span,
                format!("`{mnemonic}` is no mnemonic"),
                "not a mnemonic",
                help,
            ));
        }
        let InstructionWords { tags, status, half, test_only, scoped } =
            self.words_behind(operation, tags)?;
        let bits = self.bits_of_tags(operation, word, tags)?;
        let same = |i: &ArchitectureInstruction| {
            i.mnemonic == *mnemonic || (i.operation == operation && i.bits == bits)
        };
        if let Some(first) = self.description.instructions.iter().position(same) {
            let message = match self.description.instructions[first].mnemonic == *mnemonic {
                true => format!("two instructions `{mnemonic}`"),
                false => {
                    format!("`{mnemonic}` has the operation and the tags of another instruction")
                }
            };
            let help = "models tell instructions apart by operation and tags, people by mnemonics: drop one, or give it a tag or name of its own";
            let error = self.error(*span, message, "the second one", help);
            return Err(error.at(self.file, self.places[first], "the first one"));
        }
        if self.description.instructions.len() == MAX_INSTRUCTIONS {
            let help = "leave out those that no mapping needs";
            return Err(self.error(
                *span,
                format!("more than {MAX_INSTRUCTIONS} instructions"),
                "one too many",
                help,
            ));
        }
        let names = self.names_of_tags(operation, bits);
        self.description.instructions.push(ArchitectureInstruction {
            mnemonic: leaked(mnemonic),
            operation,
            bits,
            scoped,
            half,
            status,
            test_only,
            names,
        });
        self.places.push(*span);
        Ok(())
    }

    /// What the words behind a mnemonic say, from the last one on; the tags come before them.
    fn words_behind<'w>(
        &self,
        operation: Operation,
        words: &'w [(&'w str, Span)],
    ) -> Result<InstructionWords<'w>, Diagnostic> {
        let (mut test_only, words) = match words {
            [words @ .., ("test-only", _)] => (true, words),
            _ => (false, words),
        };
        let (status, words) = match (words, operation) {
            ([words @ .., ("carries", place), (what, of)], Operation::Write)
                if matches!(words, [.., ("conditional", _)]) =>
            {
                let status = match *what {
                    "pair" => StatusDependency::Pair,
                    "store" => StatusDependency::Store,
                    _ => {
                        let help = "`carries pair`: what depends on the result depends on the load-reserved and on the registers that the \
                                    instruction reads; `carries store`: if it stores, on the store and those registers";
                        let message = format!("`{what}` is nothing that a result carries");
                        return Err(self.error(place.to(*of), message, "not known", help));
                    }
                };
                (status, words)
            }
            _ => (StatusDependency::Nothing, words),
        };
        let (half, words) = match (words, operation) {
            ([words @ .., ("reserve", _)], Operation::Read)
            | ([words @ .., ("conditional", _)], Operation::Write) => (true, words),
            _ => (false, words),
        };
        // The halves of a pair are in tests only: searches and mappings have the pair.
        test_only |= half;
        let (scoped, tags) = match words {
            [tags @ .., (SCOPED, place)] => (Some(*place), tags),
            _ => (None, words),
        };
        if let Some(place) = scoped.filter(|_| self.description.scopes.is_empty()) {
            let help = "say above which there are, narrowest first: scopes wg < agent < system";
            return Err(self.error(place, "the architecture has no scopes", "takes a scope", help));
        }
        Ok(InstructionWords { tags, status, half, test_only, scoped: scoped.is_some() })
    }

    /// The tags by their numbers; each must be one that the events of the operation carry.
    fn bits_of_tags(
        &self,
        operation: Operation,
        word: &str,
        tags: &[(&str, Span)],
    ) -> Result<u32, Diagnostic> {
        let mut bits = 0;
        for (name, place) in tags {
            let index = self.known_tag(name, *place)?;
            let tag = &self.description.tags[index];
            let on = tag.on;
            let carries = match operation {
                Operation::Read => on.read,
                Operation::Write => on.write,
                Operation::Rmw => tag.halves(index) != [0; 2],
                Operation::Fence => on.fence,
            };
            if !carries {
                let message = format!("the events of a {word} do not carry the tag `{name}`");
                let help = "the line of the tag says `on` which events it is: R, W, F";
                return Err(self.error(*place, message, "not of this operation", help));
            }
            bits |= 1 << index;
        }
        Ok(bits)
    }

    /// The names of an instruction's tags, and of those of its halves.
    fn names_of_tags(&self, operation: Operation, bits: u32) -> [(u32, &'static str); 3] {
        let tags = &self.description.tags;
        let named = |bits: u32| {
            let kept = (0..tags.len()).filter(|&i| bits & (1 << i) != 0);
            (bits, leaked(&kept.map(|i| tags[i].names[0]).collect::<Vec<_>>().join(".")))
        };
        let own = (0..tags.len()).filter(|&i| bits & (1 << i) != 0);
        let halves = own
            .map(|i| tags[i].halves(i))
            .fold([0; 2], |all, half| [all[0] | half[0], all[1] | half[1]]);
        if operation == Operation::Rmw {
            [bits, halves[0], halves[1]].map(named)
        } else {
            [named(bits); 3]
        }
    }
}
