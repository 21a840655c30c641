//! Instructions of PTX that are refused by name, each with what it is and why no model here answers
//! for it.

use margay_models::diagnostic::Diagnostic;

use super::cursor::Cursor;
use super::qualifier::Mnemonic;

const WARP: &str = "which lanes are active is not known here: name those that meet, e.g. by `bar.warp.sync 0xffffffff`";
const HINT: &str = "it changes no value and orders nothing: leave it out";
const SPACES: &str = "an address here is the name of a location, in whatever state space it is";

/// The instruction, what it is, and why it is refused.
const NOT_MODELLED: &[(&str, &str, &str)] = &[
    ("ldu", "a load of read-only data", "it need not see what the kernel writes ; write `ld`"),
    ("prefetch", "a hint to caches", HINT),
    ("prefetchu", "a hint to caches", HINT),
    ("applypriority", "a hint to caches", HINT),
    ("createpolicy", "a hint to caches", HINT),
    ("nanosleep", "a delay", HINT),
    ("setmaxnreg", "a number of registers", HINT),
    ("pmevent", "an event for profilers", HINT),
    ("discard", "the end of what memory holds", "what is read after it is unspecified"),
    ("activemask", "an exchange within a warp", WARP),
    ("call", "a call", "write the instructions of the function"),
    ("brx", "a jump to one of several labels", "write branches"),
    ("trap", "the end of the kernel", "write `exit`, which ends the thread"),
    ("brkpt", "a stop for a debugger", "leave it out"),
    ("cvta", "a conversion of an address", SPACES),
    ("isspacep", "a question about an address", SPACES),
    ("mapa", "an address in another cta", SPACES),
    ("getctarank", "a question about an address", SPACES),
    ("istypep", "a question about a type", SPACES),
    ("tld4", "a gather from a texture", "write `tex` for each element that it reads"),
    ("txq", "a question about a texture", "it reads no location"),
    ("suq", "a question about a surface", "it reads no location"),
    ("mma", "a matrix operation", "it computes in registers of a warp"),
    (
        "wmma",
        "a matrix operation",
        "its loads and stores are those of a warp together, not of a thread",
    ),
];

/// Qualifiers of `fence` that no model here has a meaning for.
const FENCES: [(&str, &str, &str); 1] =
    [("fabric", "the proxy of `fabric` operations", "they are not modelled")];

/// The error of a fence that is known and not modelled. A qualifier may have its state space or
/// proxies behind it, `async::generic`.
pub(super) fn fence(cursor: &Cursor<'_>, m: &Mnemonic<'_>) -> Option<Diagnostic> {
    m.qualifiers.iter().find_map(|(word, span)| {
        let (_, what, why) = FENCES
            .iter()
            .find(|(name, ..)| word == name || word.split("::").any(|part| part == *name))?;
        Some(
            cursor
                .error(format!("a `{}` with `.{word}` is not modelled", m.name), *span, *what)
                .help(*why),
        )
    })
}

/// The error of an instruction that is known and not modelled.
pub(super) fn instruction(cursor: &Cursor<'_>, m: &Mnemonic<'_>) -> Option<Diagnostic> {
    let (name, what, why) = NOT_MODELLED.iter().find(|(name, ..)| *name == m.name)?;
    Some(cursor.error(format!("`{name}` is not modelled"), m.span, *what).help(*why))
}
