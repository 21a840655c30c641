//! The words between the points of an instruction: `.acquire.gpu.global.u32`.

use margay_models::diagnostic::{Diagnostic, Span};
use margay_models::execution::Scope;

use super::cursor::Cursor;
use crate::test::{
    Access, AccessOrder, AtomFunction, CacheOperator, Dialect, Space, Type, TypeKind,
};

/// The name of an instruction and its qualifiers with their places.
pub(super) struct Mnemonic<'a> {
    pub name: &'a str,
    /// The qualifiers that no one has taken yet.
    pub qualifiers: Vec<(&'a str, Span)>,
    /// The whole of it.
    pub span: Span,
}

/// Reads `ld.acquire.gpu`.
pub(super) fn mnemonic<'a>(cursor: &mut Cursor<'a>) -> Result<Mnemonic<'a>, Diagnostic> {
    let (name, start) = cursor.word("an instruction")?;
    let mut qualifiers = Vec::new();
    while cursor.eat('.') {
        match cursor.peek_word() {
            Some(mut word) => {
                let mut span = cursor.span();
                cursor.advance();
                // `.shared::cta`, `.L1::no_allocate`, `.sync_restrict::shared::cluster`,
                // `.cta_group::1`
                while cursor.is_all("::")
                    && (cursor.word_at(2).is_some() || cursor.is_integer_at(2))
                {
                    cursor.eat_all("::");
                    span = span.to(cursor.span());
                    word = cursor.text(span);
                    cursor.advance();
                }
                qualifiers.push((word, span));
            }
            None => return Err(cursor.expected("a qualifier after the point")),
        }
    }
    Ok(Mnemonic { name, qualifiers, span: start.to(cursor.previous()) })
}

impl<'a> Mnemonic<'a> {
    /// Takes the first qualifier of a kind; a second one of the kind is an error.
    pub fn take<T>(
        &mut self,
        cursor: &Cursor<'_>,
        what: &str,
        known: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Diagnostic> {
        let Some(place) = self.qualifiers.iter().position(|(word, _)| known(word).is_some()) else {
            return Ok(None);
        };
        let (word, _) = self.qualifiers.remove(place);
        if let Some((second, span)) = self.qualifiers.iter().find(|(word, _)| known(word).is_some())
        {
            return Err(cursor.error(
                format!("`.{second}` is a second {what}, beside `.{word}`"),
                *span,
                format!("one {what} is enough"),
            ));
        }
        Ok(known(word))
    }

    /// Is there a cache policy behind the operands?
    pub fn has_cache_hint(&self) -> bool {
        self.qualifiers.iter().any(|(word, _)| *word == "L2::cache_hint")
    }

    /// Takes a qualifier of which nothing depends.
    pub fn take_word(&mut self, words: &[&str]) -> Option<&'a str> {
        let place = self.qualifiers.iter().position(|(word, _)| words.contains(word))?;
        Some(self.qualifiers.remove(place).0)
    }

    /// An error if a qualifier is left.
    pub fn finish(&self, cursor: &Cursor<'_>, known: &[&str]) -> Result<(), Diagnostic> {
        match self.qualifiers.first() {
            Some((word, span)) => {
                Err(cursor.unknown("qualifier", word, *span, known.iter().copied()))
            }
            None => Ok(()),
        }
    }

    /// The place of a qualifier, or the whole mnemonic.
    pub fn place_of(&self, word: &str) -> Span {
        self.qualifiers.iter().find(|(w, _)| *w == word).map_or(self.span, |(_, span)| *span)
    }
}

/// What kind of instruction the qualifiers are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessKind {
    Load,
    Store,
    /// `atom`, `red`
    Atomic,
}

/// Qualifiers of PTX that no model here has a meaning for: the word, what it is, and why.
const NOT_MODELLED: [(&str, &str, &str); 6] = [
    (
        "nc",
        "a load through the texture path",
        "the memory consistency model does not apply to `ld.global.nc` (PTX ISA 8.1)",
    ),
    (
        "local",
        "the memory of one thread",
        "no other thread can observe an access to `.local`: use registers",
    ),
    (
        "param",
        "the parameters of a kernel or function",
        "chapter 8 says nothing of `.param` beside other state spaces; `ld.const` goes through the constant proxy",
    ),
    (
        "async",
        "an asynchronous access",
        "it is not part of program order (PTX ISA 8.9.1.1), and completes on an mbarrier, whose phases are not modelled",
    ),
    (
        "bulk",
        "an access of any number of bytes",
        "chapter 8 speaks of accesses of scalars, vectors and packed types (8.2)",
    ),
    (
        "mbarrier::complete_tx::bytes",
        "completes on an mbarrier",
        "phases of mbarriers are not modelled (PTX ISA 8.9.1.1)",
    ),
];

/// Every qualifier of a memory access, for the nearest one to a wrong one.
const KNOWN: [&str; 28] = [
    "weak", "relaxed", "acquire", "release", "acq_rel", "volatile", "mmio", "cta", "cluster",
    "gpu", "sys", "global", "shared", "exch", "cas", "add", "and", "or", "xor", "inc", "dec",
    "min", "max", "u32", "s32", "b32", "u64", "b64",
];

/// Reads the qualifiers of a memory access; for `atom` and `red` also the function.
pub(super) fn access(
    cursor: &Cursor<'_>,
    m: &mut Mnemonic<'_>,
    kind: AccessKind,
    dialect: Dialect,
) -> Result<(Access, Option<AtomFunction>), Diagnostic> {
    not_read(cursor, m)?;
    // Hints to caches change no value.
    m.qualifiers.retain(|(w, _)| {
        !w.starts_with("L1::") && !w.starts_with("L2::") && !matches!(*w, "unified" | "noftz")
    });
    let whole = m.span;
    let mmio = m.take_word(&["mmio"]).is_some();
    let order_place = m
        .qualifiers
        .iter()
        .find(|(w, _)| order_from_name(w).is_some())
        .map_or(whole, |(_, span)| *span);
    let order = m.take(cursor, "memory order", order_from_name)?;
    let scope_place = m
        .qualifiers
        .iter()
        .find(|(w, _)| scope_from_name(w).is_some())
        .map_or(whole, |(_, span)| *span);
    let scope = m.take(cursor, "scope", scope_from_name)?;
    let space = m.take(cursor, "state space", space_from_name)?;
    let cache = if kind == AccessKind::Atomic {
        None
    } else {
        m.take(cursor, "cache operator", cache_from_name)?
    };
    let function = if kind == AccessKind::Atomic {
        m.take(cursor, "function", function_from_name)?
    } else {
        None
    };
    let type_place = m
        .qualifiers
        .iter()
        .find(|(w, _)| Type::from_name(w).is_some())
        .map_or(whole, |(_, span)| *span);
    let ty =
        m.take(cursor, "type", |w| Type::from_name(w).filter(|ty| ty.kind != TypeKind::Predicate))?;
    m.finish(cursor, &KNOWN)?;
    atomic_type(cursor, m.name, function, ty, type_place)?;
    let name = m.name;
    let error = |message: String, span: Span, label: &str| Err(cursor.error(message, span, label));
    let order = match (order, mmio) {
        (Some(AccessOrder::Relaxed) | None, true) if kind != AccessKind::Atomic => {
            Some(AccessOrder::Mmio)
        }
        (_, true) => {
            return error(
                format!("`{name}.mmio` goes with `.relaxed` only"),
                order_place,
                "not this order",
            );
        }
        (order, false) => order,
    };
    if dialect == Dialect::Generic {
        return match (order, scope) {
            (None, None) => Ok((Access { space, cache, ty, ..Access::default() }, function)),
            (Some(_), _) => error(
                "tests of the generic kind have no memory orders".to_string(),
                order_place,
                "an order",
            ),
            (None, Some(_)) => error(
                "tests of the generic kind have no scopes".to_string(),
                scope_place,
                "a scope",
            ),
        };
    }
    use AccessKind::{Atomic, Load, Store};
    use AccessOrder::{AcqRel, Acquire, Mmio, Relaxed, Release, Volatile, Weak};
    match (order, kind) {
        (Some(Release | AcqRel), Load) => {
            return error(
                format!("a load cannot be `.{}`", order.map_or("", AccessOrder::name)),
                order_place,
                "an order of stores",
            );
        }
        (Some(Acquire | AcqRel), Store) => {
            return error(
                format!("a store cannot be `.{}`", order.map_or("", AccessOrder::name)),
                order_place,
                "an order of loads",
            );
        }
        (Some(Weak | Volatile | Mmio), Atomic) => {
            return error(
                format!("`{name}` cannot be `.{}`", order.map_or("", AccessOrder::name)),
                order_place,
                "not an order of atomic operations",
            );
        }
        _ => {}
    }
    match (order, scope) {
        (None | Some(Weak), Some(_)) if kind != Atomic => {
            return error("a weak access has no scope".to_string(), scope_place, "a scope");
        }
        (Some(Volatile), Some(_)) => {
            return error(
                "a volatile access has no scope: it is of system scope".to_string(),
                scope_place,
                "a scope",
            );
        }
        (Some(Relaxed | Acquire | Release), None) if kind != Atomic => {
            let order = order.map_or("", AccessOrder::name);
            let error = cursor.error(format!("`{name}.{order}` needs a scope"), whole, "no scope");
            return Err(error.help(format!(
                "PTX has no default here: write `{name}.{order}.cta`, `.cluster`, `.gpu` or `.sys`"
            )));
        }
        _ => {}
    }
    if cache.is_some() && !matches!(order, None | Some(Weak)) {
        return error(
            "only weak accesses have a cache operator".to_string(),
            whole,
            "order and cache operator exclude each other",
        );
    }
    let scope = if order == Some(Mmio) { Some(scope.unwrap_or(Scope::Sys)) } else { scope };
    Ok((Access { order, scope, space, cache, ty, ..Access::default() }, function))
}

/// What an access cannot be here: a vector, sequentially consistent, or of a form that is not
/// modelled.
fn not_read(cursor: &Cursor<'_>, m: &Mnemonic<'_>) -> Result<(), Diagnostic> {
    if let Some((word, span)) = m.qualifiers.iter().find(|(w, _)| matches!(*w, "v2" | "v4" | "v8"))
    {
        let error = cursor.error(format!("`.{word}` is not read here"), *span, "a vector");
        return Err(error.help(
            "`ld` and `st` may be `.v2`, `.v4` or `.v8`; a vector is a set of scalar accesses (PTX ISA 8.2.4), so write one for each \
             element (PTX has vectors of `atom` in floating point only)",
        ));
    }
    if let Some((word, span)) = m.qualifiers.iter().find(|(w, _)| *w == "sc") {
        return Err(cursor
            .error(
                format!("`{}` has no `.{word}`", m.name),
                *span,
                "only fences are sequentially consistent",
            )
            .help("put a `fence.sc` before it"));
    }
    if let Some((error, help)) = m.qualifiers.iter().find_map(|(word, span)| {
        let (_, label, help) = NOT_MODELLED.iter().find(|(known, ..)| known == word)?;
        Some((cursor.error(format!("`{}.{word}` is not modelled", m.name), *span, *label), *help))
    }) {
        return Err(error.help(help));
    }
    Ok(())
}

pub(super) fn order_from_name(word: &str) -> Option<AccessOrder> {
    Some(match word {
        "weak" => AccessOrder::Weak,
        "relaxed" => AccessOrder::Relaxed,
        "acquire" => AccessOrder::Acquire,
        "release" => AccessOrder::Release,
        "acq_rel" => AccessOrder::AcqRel,
        "volatile" => AccessOrder::Volatile,
        _ => return None,
    })
}

/// `cta`, `cluster`, `gpu`, `sys`
pub(super) fn scope_from_name(word: &str) -> Option<Scope> {
    Scope::ALL.into_iter().find(|s| s.name() == word)
}

fn cache_from_name(word: &str) -> Option<CacheOperator> {
    CacheOperator::ALL.into_iter().find(|c| c.name() == word)
}

pub(super) fn function_from_name(word: &str) -> Option<AtomFunction> {
    // Dartagnan's tests have `plus` for `add`.
    let word = if word == "plus" { "add" } else { word };
    AtomFunction::ALL.into_iter().find(|f| f.name() == word)
}

/// `global`, `shared`
pub(super) fn space_from_name(word: &str) -> Option<Space> {
    // A window of the cta or cluster: which locations it holds is for the test to say.
    let word = if matches!(word, "shared::cta" | "shared::cluster") { "shared" } else { word };
    [Space::Global, Space::Shared].into_iter().find(|s| s.name() == word)
}

/// What an `atom` or `red` cannot compute with.
fn atomic_type(
    cursor: &Cursor<'_>,
    name: &str,
    function: Option<AtomFunction>,
    ty: Option<Type>,
    place: Span,
) -> Result<(), Diagnostic> {
    let (Some(function), Some(ty)) = (function, ty) else { return Ok(()) };
    let moves = matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
    if ty.kind.is_float() && !moves {
        let error = cursor.error(
            format!("`{name}.{}.{ty}` is not modelled", function.name()),
            place,
            "floating-point numbers",
        );
        return Err(error.help("values are integers: take an integer type, or `.exch` and `.cas`, which only move bits"));
    }
    if ty.packed {
        let error = cursor.error(
            format!("`{name}.{}.{ty}` does not exist", function.name()),
            place,
            "a packed type",
        );
        return Err(error.help(
            "PTX has packed atomics in floating point only (9.7.13.5), and these are not modelled",
        ));
    }
    if ty.bits == 128 && !moves {
        return Err(cursor.error(
            format!("`{name}.{}.b128` does not exist", function.name()),
            place,
            "only `.exch` and `.cas`",
        ));
    }
    Ok(())
}
