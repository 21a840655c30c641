//! Is one lowering at least as strong as another? Read from their texts in a mapping:
//! `fence.sc.s ; ld.acquire.s or ld.volatile`. What cannot be compared step by step is not said to
//! be as strong.

struct OrderingInstruction<'a> {
    operation: &'a str,
    /// Acquire, release, a place in the order of fences: one bit each.
    order: u8,
    /// The scope, from the smallest on.
    scope: u8,
    /// The width, where it is said.
    width: &'a str,
}

const RELAXED: u8 = 1;
const ACQUIRE: u8 = 2 | RELAXED;
const RELEASE: u8 = 4 | RELAXED;
const SC: u8 = 8 | ACQUIRE | RELEASE;

impl<'a> OrderingInstruction<'a> {
    /// Reads `atom.acquire.s.b32`; `s` is the scope of the row.
    fn read(text: &'a str, s: &'a str) -> Option<Self> {
        let mut words = text.trim().split('.');
        let operation = words.next().filter(|o| ["ld", "st", "atom", "fence"].contains(o))?;
        // Without qualifiers an `atom` is relaxed and of device scope (PTX ISA 9.7.13), and any
        // other access weak.
        let mut out = OrderingInstruction {
            operation,
            order: u8::from(operation == "atom"),
            scope: u8::from(operation == "atom") * 3,
            width: "",
        };
        for word in words {
            match if word == "s" { s } else { word } {
                "weak" => out.order = 0,
                "relaxed" => out.order = RELAXED,
                // A volatile access is a relaxed one of system scope (PTX ISA 8.4).
                "volatile" => (out.order, out.scope) = (RELAXED, 4),
                "acquire" => out.order = ACQUIRE,
                "release" => out.order = RELEASE,
                "acq_rel" => out.order = ACQUIRE | RELEASE,
                "sc" => out.order = SC,
                "cta" => out.scope = 1,
                "cluster" => out.scope = 2,
                "gpu" => out.scope = 3,
                "sys" => out.scope = 4,
                width if width.starts_with('b') => out.width = width,
                _ => return None,
            }
        }
        Some(out)
    }

    fn at_least(&self, other: &OrderingInstruction<'_>) -> bool {
        self.operation == other.operation
            && self.width == other.width
            && self.order & other.order == other.order
            && self.scope >= other.scope
    }
}

/// The instructions of each alternative.
fn alternatives<'a>(text: &'a str, scope: &'a str) -> Option<Vec<Vec<OrderingInstruction<'a>>>> {
    let steps = |one: &'a str| match one.trim() {
        "nothing" => Some(Vec::new()),
        one => one.split(" ; ").map(|step| OrderingInstruction::read(step, scope)).collect(),
    };
    text.split(" or ").map(steps).collect()
}

/// Does whatever the first lowering may be have all instructions of one of the second, in order,
/// each as strong or stronger? `scope` is that of the row, for which `s` stands.
pub fn at_least(lowering: &str, other: &str, scope: &str) -> bool {
    let (Some(these), Some(others)) = (alternatives(lowering, scope), alternatives(other, scope))
    else {
        return false;
    };
    let covers = |one: &[OrderingInstruction<'_>], other: &[OrderingInstruction<'_>]| {
        let mut rest = one.iter();
        other.iter().all(|step| rest.any(|s| s.at_least(step)))
    };
    these.iter().all(|one| others.iter().any(|other| covers(one, other)))
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn what_is_at_least_as_strong() {
        for (one, other) in [
            ("atom.acquire.gpu", "atom.relaxed.gpu"),
            ("atom.acquire", "atom"),
            ("atom.relaxed.sys", "atom"),
            ("atom", "atom.relaxed.gpu"),
            ("fence.sc.sys ; atom.acquire.s", "atom"),
            ("fence.sc.s ; ld.acquire.s", "fence.acq_rel.s ; ld.relaxed.s"),
            ("atom.relaxed.s.b32 ; fence.acq_rel.s", "atom.relaxed.s.b32 ; fence.acquire.s"),
            ("ld.relaxed.s", "ld.weak"),
            ("ld.volatile", "ld.relaxed.sys"),
            ("fence.sc.s", "nothing"),
            ("ld.acquire.s", "ld.relaxed.s or ld.weak"),
        ] {
            assert!(at_least(one, other, "sys"), "{one} and {other}");
        }
        for (one, other) in [
            ("atom.relaxed.gpu", "atom.acquire.gpu"),
            ("atom.acquire.gpu", "atom.release.gpu"),
            ("atom.acquire", "atom.relaxed.s"),
            ("ld.relaxed.s.b32 or ld.acquire.s", "ld.acquire.s"),
            ("ld.acquire.s ; fence.sc.s", "fence.sc.s ; ld.acquire.s"),
            ("atom.relaxed.s ; fence.acquire.s", "atom.acquire.s"),
            ("atom.acquire.s", "atom.acquire.s.b32"),
            ("nothing", "fence.acq_rel.cta"),
            ("absent", "ld.weak"),
            ("ld.weak", "ld.quick"),
        ] {
            assert!(!at_least(one, other, "sys"), "{one} and {other}");
        }
        assert!(
            at_least("atom.relaxed.gpu", "atom.relaxed.s", "cta")
                && !at_least("atom.relaxed.cta", "atom.relaxed.s", "gpu")
        );
    }
}
