//! A disassembled kernel against its test: number, order, width, strength and scope of accesses and
//! fences, and dependencies.

use std::collections::BTreeSet;

use margay_litmus::test::{AtomFunction, Space, Test, ThreadId};
use margay_models::execution::{Proxy, Scope};

use super::dependency::EffectDependencies;
use super::effect::{ArrivalCount, SassEffect, SassMbarrier, SassStrength};
use super::expect::{ExpectedEffect, expected};
use super::listing::{Listing, SassInstruction};
use super::operands::{registers, writes};
use super::overlap::{self, AccessPair};
use super::{CodeComparison, THREADS, specification};
use crate::emit::GpuTarget;

/// A thread of the test, and what it became.
#[derive(Debug, Clone, Default)]
pub struct ComparedThread {
    /// The machine code between the markers, from its first access to its last one.
    pub code: Vec<SassInstruction>,
    /// For each instruction which of the effects it has, if any.
    pub effects: Vec<Option<usize>>,
    /// What the test wants, effect by effect.
    pub wanted: Vec<ExpectedEffect>,
    /// What is different, one sentence each.
    pub differences: Vec<String>,
    /// Each two accesses, and whether the code lets them overlap. Empty where the code differs or
    /// its control words are not there.
    pub pairs: Vec<AccessPair>,
}

/// Each thread of a test beside its machine code.
pub fn threads(test: &Test, target: GpuTarget, listing: &Listing) -> Vec<ComparedThread> {
    (0..test.threads.len()).map(|t| thread(test, t, target, listing)).collect()
}

fn thread(test: &Test, t: usize, target: GpuTarget, listing: &Listing) -> ComparedThread {
    if test.threads.len() > THREADS {
        let why =
            format!("the test has more than {THREADS} threads: their code cannot be told apart");
        return ComparedThread { differences: vec![why], ..ComparedThread::default() };
    }
    match expected(test, ThreadId(t as u16), target) {
        Ok(wanted) => against(wanted, t, target, listing, KernelAuthor::Here),
        Err(why) => {
            ComparedThread { differences: vec![why.to_string()], ..ComparedThread::default() }
        }
    }
}

/// Who wrote the accesses of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KernelAuthor {
    /// The emitter: with the state space of each, and a specification behind them.
    Here,
    /// A compiler, to whom all pointers are generic.
    ByCompiler,
}

/// The threads of a kernel that a compiler wrote, beside the PTX test whose accesses they should
/// have. Behind them each stores so many results.
pub fn compiled_threads(
    accesses: &Test,
    results: &[usize],
    target: GpuTarget,
    listing: &Listing,
) -> Vec<ComparedThread> {
    let one = |(t, &results): (usize, &usize)| match expected(accesses, ThreadId(t as u16), target)
    {
        Err(why) => {
            ComparedThread { differences: vec![why.to_string()], ..ComparedThread::default() }
        }
        Ok(mut wanted) => {
            let accesses = wanted.len();
            for n in 0..results {
                let effect =
                    SassEffect::Store { space: None, bits: 32, strength: SassStrength::Weak };
                wanted.push(ExpectedEffect::alone(effect, format!("result[{n}]")));
            }
            let mut thread = against(wanted, t, target, listing, KernelAuthor::ByCompiler);
            // What was read is stored when it is there.
            thread.pairs.retain(|p| p.second < accesses);
            thread
        }
    };
    results.iter().enumerate().map(one).collect()
}

fn against(
    wanted: Vec<ExpectedEffect>,
    t: usize,
    target: GpuTarget,
    listing: &Listing,
    written: KernelAuthor,
) -> ComparedThread {
    let differs =
        |why: String| ComparedThread { differences: vec![why], ..ComparedThread::default() };
    let Some(code) = listing.thread(t) else {
        return ComparedThread {
            wanted,
            ..differs("the markers around its code are not there".to_owned())
        };
    };
    let effect_at = |(n, i): (usize, &SassInstruction)| match effect(i) {
        Some(Ok(SassEffect::Meeting)) if i.has("DIV") && !meets_elsewhere(listing, code, n) => {
            Some(Err(()))
        }
        found => found,
    };
    let found = without_surplus(&wanted, code.iter().enumerate().map(effect_at).collect());
    let mut count = 0;
    let effects =
        found.iter().map(|found| found.is_some().then(|| (count, count += 1).0)).collect();
    let known: Vec<Option<SassEffect>> =
        found.iter().map(|found| found.and_then(Result::ok)).collect();
    let pairs = if code.iter().all(|i| i.control.is_some()) {
        overlap::pairs(code, &known, &wanted)
    } else {
        Vec::new()
    };
    let differences =
        differences(&wanted, t, (code, &found, listing.after(t)), &pairs, (target, written));
    let pairs = if differences.is_empty() { pairs } else { Vec::new() };
    ComparedThread { code: code.to_vec(), effects, wanted, differences, pairs }
}

/// Does a `BRA.DIV` lead to code that lets lanes meet, accesses nothing, and comes back before the
/// next effect? Lanes that have code of their own always take it, so accesses there would be
/// executed in place of those that are compared.
fn meets_elsewhere(listing: &Listing, code: &[SassInstruction], n: usize) -> bool {
    let all = &listing.instructions;
    let at = |label: &str| all.iter().position(|i| i.labels.iter().any(|l| l == label));
    let Some(start) = code[n].target().and_then(at) else { return false };
    let mut meets = false;
    for i in &all[start..] {
        match effect(i) {
            Some(Ok(SassEffect::Meeting)) => meets = true,
            Some(_) => return false,
            // Before sm_90 the vendor's functions do it: `__cuda_sm70_votesync_any`.
            None if i.base() == "CALL"
                && i.operands.iter().any(|o| o.contains("__cuda_sm70_") && o.contains("sync")) =>
            {
                meets = true
            }
            None if i.base() == "CALL" => return false,
            None => {}
        }
        if i.base() == "BRA" && i.guard.is_none() {
            // Behind the last access is where the marker stands.
            let first = all.iter().position(|i| i.address == code[0].address).unwrap_or(all.len());
            let back = i
                .target()
                .and_then(at)
                .and_then(|back| back.checked_sub(first))
                .filter(|back| (n + 1..=code.len()).contains(back));
            return meets
                && back.is_some_and(|back| code[n + 1..back].iter().all(|c| effect(c).is_none()));
        }
        if i.base() == "EXIT" {
            return false;
        }
    }
    false
}

/// The effects of instructions without those that add nothing to what the test wants where they
/// stand: a `MEMBAR.ALL.CTA` directly before a wider one, waiting for copies, and lanes that meet.
/// Whatever the test wants is still looked for.
fn without_surplus(
    wanted: &[ExpectedEffect],
    mut found: Vec<Option<Result<SassEffect, ()>>>,
) -> Vec<Option<Result<SassEffect, ()>>> {
    let mut next = 0;
    for n in 0..found.len() {
        let Some(Ok(effect)) = found[n] else {
            next += usize::from(found[n].is_some());
            continue;
        };
        let following = found[n + 1..].iter().flatten().next();
        let adds_nothing = match effect {
            SassEffect::Membar { sc: false, scope: Scope::Cta } => {
                matches!(
                    following,
                    Some(Ok(SassEffect::Membar { sc: false, scope: Scope::Gpu | Scope::Sys }))
                )
            }
            SassEffect::GroupWait { .. } | SassEffect::Meeting => true,
            _ => false,
        };
        if adds_nothing && !wanted.get(next).is_some_and(|w| w.effect.is(&effect)) {
            found[n] = None;
        } else {
            next += 1;
        }
    }
    found
}

pub fn compare(test: &Test, target: GpuTarget, listing: &Listing) -> CodeComparison {
    answer(&threads(test, target, listing))
}

/// Compares a kernel that a compiler wrote with the PTX test whose accesses it should have.
pub fn compare_compiled(
    accesses: &Test,
    results: &[usize],
    target: GpuTarget,
    listing: &Listing,
) -> CodeComparison {
    answer(&compiled_threads(accesses, results, target, listing))
}

fn answer(threads: &[ComparedThread]) -> CodeComparison {
    let mut said = threads
        .iter()
        .enumerate()
        .flat_map(|(t, thread)| thread.differences.iter().map(move |d| (t, d)))
        .peekable();
    if said.peek().is_some() {
        return CodeComparison::Differs(said.map(|(t, why)| format!("P{t}: {why}")).collect());
    }
    let narrowed = threads.iter().enumerate().flat_map(|(t, thread)| {
        let text = |n: usize| thread.wanted[n].text.clone();
        let narrowed = thread.pairs.iter().filter(|p| p.narrowed());
        narrowed.map(move |p| {
            format!("P{t}: `{}` waits for `{}`: {}", text(p.second), text(p.first), p.why)
        })
    });
    CodeComparison::Same {
        compared: threads.iter().map(|t| t.wanted.len()).sum(),
        narrowed: narrowed.collect(),
    }
}

type ComparedCode<'a> =
    (&'a [SassInstruction], &'a [Option<Result<SassEffect, ()>>], &'a [SassInstruction]);

/// What a thread's code does differently; `after` is the code behind its last access.
fn differences(
    wanted: &[ExpectedEffect],
    thread: usize,
    (code, found, after): ComparedCode<'_>,
    pairs: &[AccessPair],
    (target, written): (GpuTarget, KernelAuthor),
) -> Vec<String> {
    let is = |expected: &SassEffect, found: &SassEffect| match written {
        KernelAuthor::Here => expected.is(found),
        KernelAuthor::ByCompiler => expected.generic().is(&found.generic()),
    };
    let mut out = Vec::new();
    let mut effects = Vec::new();
    let mut known = EffectDependencies::default();
    let mut next = 0;
    for (i, found) in code.iter().zip(found) {
        known.arrive(i);
        let Some(found) = found else {
            known.step(i, None);
            continue;
        };
        let Some(expected) = wanted.get(next) else {
            out.push(format!("`{}` is one too many", i.text()));
            return out;
        };
        match found {
            Ok(found) if is(&expected.effect, found) => {}
            Ok(found) => {
                out.push(format!(
                    "`{}` on {target}: expected {}, found {found}: `{}`",
                    expected.text,
                    expected.effect,
                    i.text()
                ));
                return out;
            }
            Err(()) => {
                out.push(format!(
                    "`{}` on {target}: expected {}, found `{}`",
                    expected.text,
                    expected.effect,
                    i.text()
                ));
                return out;
            }
        }
        effects.extend(found);
        // What waits for a value is issued after it is known: a jump that leads to the next
        // instruction anyway is no more than that.
        let waits =
            pairs.iter().filter(|p| p.second == next && p.after_value).map(|p| p.first).collect();
        out.extend(lost(expected, wanted, i, &known, &waits));
        known.step(i, Some(next));
        next += 1;
    }
    if let Some(missing) = wanted.get(next) {
        out.push(format!(
            "`{}` on {target}: expected {}, found nothing",
            missing.text, missing.effect
        ));
    }
    if written == KernelAuthor::Here {
        out.extend(specification::differences(thread, &effects, after, &mut known));
    }
    out
}

/// The dependencies of the test that the code has not.
fn lost(
    expected: &ExpectedEffect,
    wanted: &[ExpectedEffect],
    i: &SassInstruction,
    known: &EffectDependencies,
    waits: &BTreeSet<usize>,
) -> Vec<String> {
    let (address, rest): (Vec<&String>, Vec<&String>) = if TEXTURE_LOADS.contains(&i.base()) {
        // Two results, then coordinates and handle, none of them in brackets.
        (i.operands.iter().skip(2).collect(), Vec::new())
    } else {
        i.operands.iter().partition(|o| o.contains('['))
    };
    let mut control = known.control.clone();
    control.extend(known.guard(i));
    let mut out = Vec::new();
    let mut need = |kind: &str, needed: BTreeSet<usize>, has: BTreeSet<usize>| {
        for from in needed.difference(&has).copied() {
            out.push(format!(
                "the {kind} dependency of `{}` on `{}` is lost: `{}`",
                expected.text,
                wanted[from].text,
                i.text()
            ));
        }
    };
    need("address", expected.address.clone(), known.sources(address.into_iter(), 2));
    need("data", expected.data.clone(), known.sources(rest.into_iter(), registers(i)));
    need("control", expected.conditional.clone(), control.clone());
    // What is executed either way keeps its place by waiting as well.
    control.extend(waits);
    need(
        "control",
        expected.control.difference(&expected.conditional).copied().collect::<BTreeSet<_>>(),
        control,
    );
    out
}

/// Loads through a texture.
const TEXTURE_LOADS: [&str; 2] = ["TLD", "TEX"];

/// The bank in which the machine has `.const` memory; those below hold parameters and what the
/// assembler puts there.
const CONSTANT_BANK: &str = "c[0x3]";

/// The effect of an instruction on memory: `None` if it has none, an error if it has one that no
/// test makes.
fn effect(i: &SassInstruction) -> Option<Result<SassEffect, ()>> {
    // Never executed: loads of nothing that stand before fences and copies.
    if i.text().starts_with("@!PT ") {
        return None;
    }
    let space = match i.base() {
        "LDG" | "STG" | "ATOMG" | "REDG" => Some(Space::Global),
        "LDS" | "STS" | "ATOMS" => Some(Space::Shared),
        _ => None,
    };
    let bits = || match () {
        () if i.has("64") => 64,
        () if i.has("U8") || i.has("S8") => 8,
        () if i.has("U16") || i.has("S16") => 16,
        () if i.has("128") => 128,
        () => 32,
    };
    Some(match i.base() {
        "LDG" | "LDS" | "LD" => {
            strength(i).map(|strength| SassEffect::Load { space, bits: bits(), strength })
        }
        "STG" | "STS" | "ST" => {
            strength(i).map(|strength| SassEffect::Store { space, bits: bits(), strength })
        }
        // RED is that of global memory up to sm_80; a generic one is not told apart there.
        name @ ("ATOMG" | "ATOMS" | "ATOM" | "REDG" | "RED") => match (function(i), strength(i)) {
            (Some(function), Ok(strength)) => {
                // One in the shared memory of another cta has no instruction of its own: it is an
                // atom without a result. An exchange without one is no reduction.
                let is_thrown_away = name == "ATOM"
                    && writes(i).is_empty()
                    && !matches!(function, AtomFunction::Exchange | AtomFunction::CompareAndSwap);
                let reduction = name.starts_with("RED") || is_thrown_away;
                let space = if name == "RED" { Some(Space::Global) } else { space };
                Ok(SassEffect::Atom { space, function, bits: bits(), strength, reduction })
            }
            _ => Err(()),
        },
        "MEMBAR" => {
            let scope =
                [("CTA", Scope::Cta), ("SM", Scope::Cta), ("GPU", Scope::Gpu), ("SYS", Scope::Sys)];
            match scope.iter().find(|(name, _)| i.has(name)) {
                Some((_, scope)) if i.has("SC") != i.has("ALL") => {
                    Ok(SassEffect::Membar { sc: i.has("SC"), scope: *scope })
                }
                _ => Err(()),
            }
        }
        "CCTL" if i.has("IVALL") => Ok(SassEffect::Invalidate),
        "CCTL" => Err(()),
        "UCGABAR_ARV" => Ok(SassEffect::ClusterBarrier { arrive: true }),
        "UCGABAR_WAIT" => Ok(SassEffect::ClusterBarrier { arrive: false }),
        "BAR" if i.has("ARV") => Ok(SassEffect::Barrier { arrive: true }),
        "BAR" if i.has("SYNC") || i.has("RED") => Ok(SassEffect::Barrier { arrive: false }),
        "BAR" => Err(()),
        name @ ("SULD" | "SUST") => match strength(i) {
            // Through the first-level cache, which is what no cache operator means.
            Ok(SassStrength::Cta) if i.has("1D") && bits() == 32 => Ok(if name == "SULD" {
                SassEffect::ProxyLoad(Proxy::Surface)
            } else {
                SassEffect::SurfaceStore
            }),
            _ => Err(()),
        },
        name if TEXTURE_LOADS.contains(&name) => Ok(SassEffect::ProxyLoad(Proxy::Texture)),
        "LDC" if i.operands.iter().any(|o| o.starts_with(CONSTANT_BANK)) => {
            if bits() == 32 {
                Ok(SassEffect::ProxyLoad(Proxy::Constant))
            } else {
                Err(())
            }
        }
        "WARPSYNC" => Ok(SassEffect::Meeting),
        "BRA" if i.has("DIV") || i.has("CONV") => Ok(SassEffect::Meeting),
        "SYNCS" => mbarrier(i).map(SassEffect::Mbarrier).ok_or(()),
        "FENCE" if i.has("ASYNC") => match () {
            () if i.has("S") => Ok(SassEffect::ViewFence(Space::Shared)),
            () if i.has("G") => Ok(SassEffect::ViewFence(Space::Global)),
            () => Err(()),
        },
        "FENCE" => Err(()),
        // Through the first-level cache; `BYPASS` would be a copy that leaves it out.
        "LDGSTS" if !i.has("BYPASS") => Ok(SassEffect::CopyToShared { bits: bits() }),
        "LDGDEPBAR" => Ok(SassEffect::GroupEnd { bulk: false }),
        "UTMACMDFLUSH" => Ok(SassEffect::GroupEnd { bulk: true }),
        "DEPBAR" if i.operands.first().is_some_and(|o| o == GROUPS) => {
            let left =
                i.operands.get(1).and_then(|o| u32::from_str_radix(o.strip_prefix("0x")?, 16).ok());
            left.map(|left| SassEffect::GroupWait { left }).ok_or(())
        }
        "ARRIVES" if i.has("LDGSTSBAR") && i.has("ARVCNT") != i.has("TRANSCNT") => {
            Ok(SassEffect::CopyArrival { counted: i.has("ARVCNT") })
        }
        name @ ("UBLKCP" | "UBLKRED") => {
            let space = |n: usize| match i.name.get(n).map(String::as_str) {
                Some("S") => Some(Space::Shared),
                Some("G") => Some(Space::Global),
                _ => None,
            };
            let function = function(i);
            match (space(1), space(2)) {
                (Some(to), Some(from)) if (name == "UBLKRED") == function.is_some() => {
                    Ok(SassEffect::BulkCopy { to, from, multicast: i.has("MULTICAST"), function })
                }
                _ => Err(()),
            }
        }
        "UMEMSETS" => Ok(SassEffect::BulkStore),
        "STAS" => Ok(SassEffect::AsyncStore { bits: bits(), function: None }),
        "REDAS" => function(i)
            .map(|f| SassEffect::AsyncStore { bits: bits(), function: Some(f) })
            .ok_or(()),
        // Memory of other kinds: spilled registers, and other copies.
        "LDL" | "STL" | "LDGSTS" | "SUATOM" | "SURED" | "ARRIVES" | "UTMALDG" | "UTMASTG"
        | "UTMAREDG" | "UBLKPF" => Err(()),
        _ => return None,
    })
}

/// The scoreboard that counts groups of asynchronous copies.
const GROUPS: &str = "SB0";

/// The operation of a `SYNCS`; `None` if it is one that no test makes.
fn mbarrier(i: &SassInstruction) -> Option<SassMbarrier> {
    let is = |name: &str| i.name.get(1).is_some_and(|n| n == name);
    match () {
        () if is("EXCH") => Some(SassMbarrier::Initialise),
        () if is("CCTL") && i.has("IVALL") => Some(SassMbarrier::InvalidateAll),
        () if is("CCTL") && i.has("IV") => Some(SassMbarrier::Invalidate),
        () if is("PHASECHK") => Some(SassMbarrier::Wait { suspends: i.has("TRYWAIT") }),
        // Lanes that arrive together.
        () if i.has("TMASK") => None,
        () if is("ARRIVE") => {
            let remote = i.has("RED");
            let counts = [
                ("A1T0", ArrivalCount::One),
                ("ART0", ArrivalCount::Register),
                ("A0T1", ArrivalCount::OneMore),
            ];
            let count = counts.into_iter().find(|(name, _)| i.has(name)).map(|(_, count)| count);
            match () {
                () if i.has("A0TR") => Some(SassMbarrier::Expect),
                () if i.has("A0TX") => Some(SassMbarrier::Transfer),
                () => Some(SassMbarrier::Arrive {
                    count: count.unwrap_or(ArrivalCount::Expecting),
                    drops: i.has("OPTOUT"),
                    remote,
                }),
            }
        }
        () => None,
    }
}

fn strength(i: &SassInstruction) -> Result<SassStrength, ()> {
    if i.has("MMIO") {
        return Ok(SassStrength::Mmio);
    }
    if i.has("EF") {
        return Ok(SassStrength::EvictFirst);
    }
    if !i.has("STRONG") {
        // sm_70 and sm_75 write `.SYS` on weak accesses too.
        return Ok(SassStrength::Weak);
    }
    match () {
        () if i.has("SM") || i.has("CTA") => Ok(SassStrength::Cta),
        () if i.has("GPU") => Ok(SassStrength::Gpu),
        () if i.has("SYS") => Ok(SassStrength::Sys),
        () => Err(()),
    }
}

fn function(i: &SassInstruction) -> Option<AtomFunction> {
    let names = [
        ("EXCH", AtomFunction::Exchange),
        ("CAS", AtomFunction::CompareAndSwap),
        ("ADD", AtomFunction::Add),
        ("AND", AtomFunction::And),
        ("OR", AtomFunction::Or),
        ("XOR", AtomFunction::Xor),
        ("INC", AtomFunction::Increment),
        ("DEC", AtomFunction::Decrement),
        ("MIN", AtomFunction::Min),
        ("MAX", AtomFunction::Max),
    ];
    names.into_iter().find(|(name, _)| i.has(name)).map(|(_, f)| f)
}
