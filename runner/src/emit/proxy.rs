//! Memory with names through a surface, a texture or as constants: what kernels need for them.
//!
//! A surface and a texture lie over the memory of all instances, their handles are parameters (PTX
//! ISA 9.7.10, 9.7.11), and a place in them counts from its start: in bytes for a surface, in
//! texels of 32 bits for a texture. Where a test has constants, its memory is `.const` memory,
//! which has 64 KiB (PTX ISA 5.1.3).

use std::fmt::Write as _;

use margay_models::execution::Proxy;

use super::address::LocationOffset;
use super::{Count, EmissionError, EmissionPlan, Environment};

/// The bytes of `.const` memory.
const CONSTANTS: u64 = 64 * 1024;

/// What the other names of locations go through, but for second generic addresses, each once.
pub(super) fn of(locations: &[LocationOffset]) -> Vec<Proxy> {
    let all = [Proxy::Surface, Proxy::Texture, Proxy::Constant];
    all.into_iter().filter(|p| locations.iter().any(|l| l.alias == Some(*p))).collect()
}

/// Settings that do not go with them.
pub(super) fn fits(proxies: &[Proxy], environment: &Environment) -> Result<(), EmissionError> {
    if environment.bank && !proxies.is_empty() {
        return Err(EmissionError::environment(
            "bank=on is for tests without textures, surfaces and constants",
        ));
    }
    Ok(())
}

/// An environment with fewer groups, if the memory is too large and their number is free.
pub(super) fn smaller(plan: &EmissionPlan<'_>) -> Result<Option<Environment>, EmissionError> {
    let (most, what) = match plan.proxies {
        [] => return Ok(None),
        proxies if proxies.contains(&Proxy::Constant) => (CONSTANTS, "constant memory has"),
        // Coordinates are signed words.
        _ => (i32::MAX as u64, "a surface or texture has at most"),
    };
    let bytes = plan.memory_bytes();
    match plan.environment.groups {
        _ if bytes <= most => Ok(None),
        Count::Auto { or } if or > 1 => {
            Ok(Some(Environment { groups: Count::Auto { or: or / 2 }, ..plan.environment.clone() }))
        }
        _ => {
            let message = format!(
                "the locations of all instances take {bytes} bytes, {what} {most}; make groups, warps or stride smaller"
            );
            Err(EmissionError::environment(message))
        }
    }
}

/// `.const` memory, if there are names for it.
pub(super) fn memory(proxies: &[Proxy]) -> &'static str {
    if proxies.contains(&Proxy::Constant) {
        ".const .align 8 .b8 margay_constants[65536];\n\n"
    } else {
        ""
    }
}

/// The parameters of `margay_test` that follow the others: handles.
pub(super) fn parameters(proxies: &[Proxy], text: &mut String) {
    for name in proxies.iter().filter_map(|p| handle(*p)) {
        let _ = write!(text, ", .param .u64 {name}");
    }
}

/// The name of the handle, where there is one.
fn handle(proxy: Proxy) -> Option<&'static str> {
    match proxy {
        Proxy::Surface => Some("surface"),
        Proxy::Texture => Some("texture"),
        Proxy::Constant | Proxy::Generic | Proxy::Alias | Proxy::Async | Proxy::Tensormap => None,
    }
}

/// Handles and the start of constant memory in registers, and registers for coordinates.
pub(super) fn handles(plan: &EmissionPlan<'_>, text: &mut String) {
    for proxy in plan.proxies {
        let _ = match handle(*proxy) {
            Some(name) => {
                writeln!(text, "    .reg .b64 %{name};\n    ld.param.u64 %{name}, [{name}];")
            }
            None => writeln!(
                text,
                "    .reg .b64 %constants;\n    mov.u64 %constants, margay_constants;"
            ),
        };
    }
    for (l, _) in plan
        .locations
        .iter()
        .enumerate()
        .filter(|(_, l)| l.alias.is_some_and(|p| handle(p).is_some()))
    {
        let _ = writeln!(text, "    .reg .b32 %c{l};");
    }
}

/// `%c{l}`: the place of a location in its surface or texture, from the bytes in `%x{l}`.
pub(super) fn coordinate(plan: &EmissionPlan<'_>, location: usize, text: &mut String) {
    let proxy = plan.locations[location].alias;
    if proxy.is_some_and(|p| handle(p).is_some()) {
        let _ = writeln!(text, "    cvt.u32.u64 %c{location}, %x{location};");
    }
    if proxy == Some(Proxy::Texture) {
        let _ = writeln!(text, "    shr.u32 %c{location}, %c{location}, 2;");
    }
}
