//! Local variables whose address nobody takes become registers, member by member, as every compiler
//! does it: what a loop no longer reads is then no part of its state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::CLASSES;

/// A load or a store of a local variable at a known place.
struct LocalAccess<'t> {
    is_load: bool,
    /// The type, as `u32`.
    ty: &'t str,
    symbol: &'t str,
    offset: i64,
    /// The register that is loaded, or what is stored.
    operand: &'t str,
}

fn access(line: &str) -> Option<LocalAccess<'_>> {
    let line = line.trim().strip_suffix(';')?;
    let (is_load, rest) = match (line.strip_prefix("ld.local."), line.strip_prefix("st.local.")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let (ty, rest) = rest.split_once(' ')?;
    let (first, second) = rest.split_once(", ")?;
    let (operand, address) = if is_load { (first, second) } else { (second, first) };
    let address = address.strip_prefix('[')?.strip_suffix(']')?;
    if address.starts_with('%') {
        return None;
    }
    let split = address.find(['+', '-']).unwrap_or(address.len());
    let (symbol, offset) = address.split_at(split);
    let offset = match offset.strip_prefix('+').unwrap_or(offset) {
        "" => 0,
        number => number.parse().ok()?,
    };
    Some(LocalAccess { is_load, ty, symbol, offset, operand })
}

fn bytes(ty: &str) -> i64 {
    match ty {
        "u8" => 1,
        "u16" => 2,
        "u64" | "f64" => 8,
        _ => 4,
    }
}

/// The class of registers of a type.
fn class(ty: &str) -> usize {
    match ty {
        "f32" => 4,
        "f64" => 5,
        "u64" => 3,
        _ => 2,
    }
}

/// A local variable and what is known of its accesses.
#[derive(Default)]
struct LocalUse {
    /// The types at each place.
    places: BTreeMap<i64, BTreeSet<String>>,
    is_taken: bool,
}

/// Is a place the upper half of a word of 64 bits, and nothing else?
fn is_half(
    places: &BTreeMap<i64, BTreeSet<String>>,
    offset: i64,
    types: &BTreeSet<String>,
) -> bool {
    types.iter().all(|ty| ty == "u32")
        && places.get(&(offset - 4)).is_some_and(|below| below.contains("u64"))
}

/// The declarations and the body of a kernel with registers in place of such variables.
pub(super) fn promoted(variables: &str, body: &str, registers: &mut [u32; 6]) -> (String, String) {
    let names = variables.lines().filter_map(|line| {
        line.trim().strip_prefix(".local")?.split_whitespace().nth(3)?.split('[').next()
    });
    let mut uses: FxHashMap<&str, LocalUse> =
        names.map(|name| (name, LocalUse::default())).collect();
    if uses.is_empty() {
        return (variables.to_owned(), body.to_owned());
    }
    for line in body.lines() {
        match access(line) {
            Some(found) => {
                if let Some(of) = uses.get_mut(found.symbol) {
                    of.places.entry(found.offset).or_default().insert(found.ty.to_owned());
                }
            }
            None => {
                let words = line.split(|c: char| {
                    !c.is_ascii_alphanumeric() && c != '_' && c != '$' && c != '%'
                });
                for word in words {
                    if let Some(of) = uses.get_mut(word) {
                        of.is_taken = true;
                    }
                }
            }
        }
    }
    for of in uses.values_mut() {
        let mut end = i64::MIN;
        for (&offset, types) in &of.places {
            let is_half = is_half(&of.places, offset, types);
            let is_word =
                types.len() == 1 || types.iter().all(|ty| matches!(ty.as_str(), "u64" | "u32"));
            of.is_taken |= !is_word || offset < end && !is_half;
            end = end.max(types.iter().map(|ty| offset + bytes(ty)).max().unwrap_or(end));
        }
    }
    let mut found: FxHashMap<(&str, i64), String> = FxHashMap::default();
    let mut out = String::with_capacity(body.len());
    for line in body.lines() {
        let local = access(line).filter(|a| uses.get(a.symbol).is_some_and(|of| !of.is_taken));
        let Some(LocalAccess { is_load, ty, symbol, offset, operand }) = local else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let places = uses.get(symbol).map(|of| &of.places);
        // A word of 64 bits that is looked at in halves is kept as these.
        let has_half =
            |at: i64| places.and_then(|p| p.get(&at)).is_some_and(|types| types.contains("u32"));
        if ty == "u64" && (has_half(offset) || has_half(offset + 4)) {
            let mut half = |at: i64| {
                let made = || {
                    registers[2] += 1;
                    format!("{}{}", CLASSES[2].0, registers[2])
                };
                found.entry((symbol, at)).or_insert_with(made).clone()
            };
            let (low, high) = (half(offset), half(offset + 4));
            let _ = match (is_load, operand.parse::<u64>()) {
                (true, _) => writeln!(out, "\tmov.b64 {operand}, {{{low}, {high}}};"),
                (false, Ok(number)) => writeln!(
                    out,
                    "\tmov.u32 {low}, {};\n\tmov.u32 {high}, {};",
                    number as u32,
                    number >> 32
                ),
                (false, Err(_)) => writeln!(out, "\tmov.b64 {{{low}, {high}}}, {operand};"),
            };
            continue;
        }
        let class = class(ty);
        let register = found.entry((symbol, offset)).or_insert_with(|| {
            registers[class] += 1;
            format!("{}{}", CLASSES[class].0, registers[class])
        });
        let _ = match (is_load, ty) {
            (true, _) => writeln!(
                out,
                "\tmov.{} {operand}, {register};",
                if class == 2 { "u32" } else { ty }
            ),
            // A small one keeps as many bits as it has.
            (false, "u8" | "u16") if operand.starts_with('%') => {
                writeln!(out, "\tcvt.u32.{ty} {register}, {operand};")
            }
            (false, "u8" | "u16") => {
                let value: i64 = operand.parse().unwrap_or(0);
                let kept = if ty == "u8" { value & 0xff } else { value & 0xffff };
                writeln!(out, "\tmov.u32 {register}, {kept};")
            }
            (false, _) => writeln!(out, "\tmov.{ty} {register}, {operand};"),
        };
    }
    let kept = variables.lines().filter(|line| {
        let name = line
            .trim()
            .strip_prefix(".local")
            .and_then(|l| l.split_whitespace().nth(3))
            .and_then(|n| n.split('[').next());
        name.is_none_or(|name| uses.get(name).is_none_or(|of| of.is_taken))
    });
    (kept.map(|line| format!("{line}\n")).collect(), out)
}
