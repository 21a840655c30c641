//! The assembly beside the source: each thread's kernel has its loads, stores and
//! read-modify-writes in order, then the stores of its results, and what orders them. Dependencies
//! are not looked for.

use std::collections::BTreeMap;

use margay_litmus::test::Space;

use super::{OpenClSource, OpenClTarget, SourceAccessKind, SourceOrder, SourceScope, SourceThread};

/// What a plain access has in the place of order and scope.
const PLAIN: &str = "no atomic operation";

/// The bits of a memory semantics that name the memory of OpenCL: of a work-group, and global
/// (SPIR-V 3.25).
const ORDERED_MEMORY: u64 = 0x100 | 0x200;

#[derive(Debug, Clone, PartialEq)]
enum CodeEvent {
    Access {
        kind: SourceAccessKind,
        /// `None`: the instruction does not say.
        space: Option<Space>,
        /// Order and scope, where instructions have them, or what there is in their place.
        atomic: Result<(SourceOrder, SourceScope), &'static str>,
        /// Is it one of vectors (AMD)?
        vectors: bool,
        text: String,
    },
    /// Earlier accesses are done (AMD): those of vectors, and those of scalars and of shared
    /// memory.
    Wait { vectors: bool, others: bool },
    /// Later loads read no older lines of the cache (AMD).
    Invalidate,
}

/// How many accesses and fences were found again, or what differs, in sentences.
///
/// # Errors
/// The text has no kernel of a thread.
pub fn compare(
    source: &OpenClSource,
    target: &OpenClTarget,
    assembly: &str,
) -> Result<usize, Vec<String>> {
    let mut differences = Vec::new();
    for thread in &source.threads {
        let events = match target {
            OpenClTarget::Amd(_) => amd(assembly, &thread.name),
            OpenClTarget::SpirV | OpenClTarget::SpirVBuiltIn => spir_v(assembly, &thread.name),
        };
        let found = match events {
            None => vec!["the assembly has no such kernel".to_owned()],
            Some(events) => match target {
                OpenClTarget::Amd(_) => {
                    let found = accesses(thread, &events, false);
                    if found.is_empty() { ordered(thread, &events) } else { found }
                }
                OpenClTarget::SpirV | OpenClTarget::SpirVBuiltIn => accesses(thread, &events, true),
            },
        };
        differences.extend(found.into_iter().map(|what| format!("{}: {what}", thread.name)));
    }
    if differences.is_empty() {
        Ok(source.threads.iter().map(|thread| thread.accesses.len()).sum())
    } else {
        Err(differences)
    }
}

fn kind_name(kind: SourceAccessKind) -> &'static str {
    match kind {
        SourceAccessKind::Load => "a load",
        SourceAccessKind::Store => "a store",
        SourceAccessKind::Rmw => "a read-modify-write",
        SourceAccessKind::Fence => "a fence",
        SourceAccessKind::Barrier => "a barrier",
    }
}

/// The accesses one by one; where instructions say orders (`tagged`), fences and these, too.
fn accesses(thread: &SourceThread, events: &[CodeEvent], tagged: bool) -> Vec<String> {
    let expected =
        thread.accesses.iter().filter(|access| tagged || access.kind != SourceAccessKind::Fence);
    let mut found = events.iter().filter(|event| matches!(event, CodeEvent::Access { .. }));
    for access in expected {
        let Some(CodeEvent::Access { kind, space, atomic, text, .. }) = found.next() else {
            return vec![format!("nothing is left of `{}`", access.text)];
        };
        let of_all = matches!(access.kind, SourceAccessKind::Fence | SourceAccessKind::Barrier);
        let same_space = of_all || space.is_none_or(|space| space == access.space);
        if *kind != access.kind || !same_space {
            return vec![format!(
                "where `{}` stands the code has {}: `{text}`",
                access.text,
                kind_name(*kind)
            )];
        }
        if tagged && *atomic != access.atomic.ok_or(PLAIN) {
            let said = match atomic {
                Err(what) => (*what).to_owned(),
                Ok((order, scope)) => format!("{} and {}", order.name(), scope.name()),
            };
            return vec![format!("`{}` becomes {said}: `{text}`", access.text)];
        }
    }
    let stored = |event: &&CodeEvent| {
        matches!(event, CodeEvent::Access { kind: SourceAccessKind::Store, .. })
    };
    let results: Vec<&CodeEvent> = found.collect();
    match results.iter().find(|event| !stored(event)).or_else(|| results.get(thread.results)) {
        Some(CodeEvent::Access { text, .. }) => {
            vec![format!("the code has one access more than the test: `{text}`")]
        }
        _ if results.len() < thread.results => vec!["a result is not stored".to_owned()],
        _ => Vec::new(),
    }
}

/// AMD's instructions have no orders: what acquires is followed by an invalidation of the cache
/// before the next access, and what releases comes after a wait for the accesses before it (LLVM,
/// User Guide for AMDGPU, memory model of gfx90a). Within a work-group the caches are one, and
/// nothing is looked for.
fn ordered(thread: &SourceThread, events: &[CodeEvent]) -> Vec<String> {
    let position: Vec<usize> =
        (0..events.len()).filter(|&i| matches!(events[i], CodeEvent::Access { .. })).collect();
    let at = |access: usize| position.get(access).copied().unwrap_or(events.len());
    let mut differences = Vec::new();
    // The number of accesses before.
    let mut before = 0;
    for access in &thread.accesses {
        let next = before + usize::from(access.kind != SourceAccessKind::Fence);
        let wide = access.atomic.filter(|(_, scope)| *scope != SourceScope::WorkGroup);
        let is = |property: fn(SourceOrder) -> bool| wide.is_some_and(|(order, _)| property(order));
        if is(SourceOrder::releases) && is_under_way(&events[..at(before)]) {
            differences.push(format!("`{}` does not wait for the accesses before it", access.text));
        }
        let from = next.checked_sub(1).map_or(0, |last| at(last) + 1);
        if is(SourceOrder::acquires)
            && next < position.len()
            && !events[from..at(next)].contains(&CodeEvent::Invalidate)
        {
            differences.push(format!("behind `{}` the cache keeps what is older", access.text));
        }
        before = next;
    }
    differences
}

/// May an access of these still be under way behind them?
fn is_under_way(events: &[CodeEvent]) -> bool {
    let (mut of_vectors, mut of_others) = (false, false);
    for event in events {
        match event {
            CodeEvent::Access { kind: SourceAccessKind::Barrier, .. } => {}
            CodeEvent::Access { vectors: true, .. } => of_vectors = true,
            CodeEvent::Access { .. } => of_others = true,
            CodeEvent::Wait { vectors, others } => {
                (of_vectors, of_others) = (of_vectors && !vectors, of_others && !others)
            }
            CodeEvent::Invalidate => {}
        }
    }
    of_vectors || of_others
}

/// The scalar registers that an operand names: `s[4:5]` or `s7`.
fn scalars(operand: &str) -> Option<std::ops::RangeInclusive<u32>> {
    let name = operand.trim().trim_end_matches(',').strip_prefix('s')?;
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(range) => {
            range.split_once(':').and_then(|(from, to)| Some(from.parse().ok()?..=to.parse().ok()?))
        }
        None => name.parse().ok().map(|n| n..=n),
    }
}

/// The instructions of a kernel in AMD's assembly.
fn amd(assembly: &str, name: &str) -> Option<Vec<CodeEvent>> {
    let mut lines = assembly
        .lines()
        .skip_while(|line| line.split(';').next().unwrap_or_default().trim() != format!("{name}:"));
    lines.next()?;
    let mut events = Vec::new();
    // Parameters of the kernel are loaded through the pointer that the first scalar load has, until
    // something else is in its registers.
    let mut parameters: Option<std::ops::RangeInclusive<u32>> = None;
    let mut overwritten = false;
    for line in lines.take_while(|line| !line.starts_with(".Lfunc_end")) {
        let line = line.split(';').next().unwrap_or_default().trim();
        let (mnemonic, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let access = |kind, space, vectors| {
            let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
            CodeEvent::Access { kind, space, atomic: Err(PLAIN), vectors, text }
        };
        let mut operand = operands.split(',');
        let destination = operand.next().and_then(scalars);
        if mnemonic.starts_with("s_load_") {
            let base = operand.next().and_then(scalars);
            if parameters.is_none() {
                parameters.clone_from(&base);
            }
            if overwritten || base != parameters {
                events.push(access(SourceAccessKind::Load, Some(Space::Global), false));
            }
        }
        // Comparisons read their first operand.
        let of_scalars = mnemonic.starts_with("s_") && !mnemonic.starts_with("s_cmp");
        let writes = of_scalars
            || ["v_readfirstlane", "v_readlane", "v_cmp"]
                .iter()
                .any(|name| mnemonic.starts_with(name));
        if let (true, Some(written), Some(of)) = (writes, destination, &parameters) {
            overwritten |= written.start() <= of.end() && of.start() <= written.end();
        }
        if mnemonic == "s_waitcnt" {
            events.push(CodeEvent::Wait {
                vectors: operands.contains("vmcnt(0)"),
                others: operands.contains("lgkmcnt(0)"),
            });
        }
        if mnemonic == "s_barrier" {
            events.push(access(SourceAccessKind::Barrier, None, false));
        }
        if mnemonic.starts_with("buffer_wbinvl1") || mnemonic.starts_with("buffer_inv") {
            events.push(CodeEvent::Invalidate);
        }
        let (space, operation) = match mnemonic.split_once('_') {
            Some(("global", operation)) => (Some(Space::Global), operation),
            Some(("flat", operation)) => (None, operation),
            Some(("ds", operation)) => (Some(Space::Shared), operation),
            _ => continue,
        };
        let kind = match operation {
            load if load.starts_with("load") || load.starts_with("read") => SourceAccessKind::Load,
            store if store.starts_with("store") || store.starts_with("write") => {
                SourceAccessKind::Store
            }
            _ => SourceAccessKind::Rmw,
        };
        events.push(access(kind, space, space != Some(Space::Shared)));
    }
    Some(events)
}

/// What SPIR-V's assembly says of its names.
#[derive(Default)]
struct SpirVNames<'a> {
    numbers: BTreeMap<&'a str, u64>,
    /// The storage class of a type of pointers.
    classes: BTreeMap<&'a str, &'a str>,
    of_type: BTreeMap<&'a str, &'a str>,
    /// What a pointer was before it was cast to one of any class.
    before: BTreeMap<&'a str, &'a str>,
}

impl<'a> SpirVNames<'a> {
    fn learn(&mut self, result: &'a str, operation: &str, operands: &[&'a str]) {
        match (operation, operands) {
            ("OpConstant", [_, value, ..]) => {
                self.numbers.extend(value.parse().ok().map(|value| (result, value)))
            }
            ("OpConstantNull", _) => _ = self.numbers.insert(result, 0),
            ("OpTypePointer", [class, ..]) => _ = self.classes.insert(result, class),
            ("OpPtrCastToGeneric" | "OpBitcast", [_, from, ..]) => {
                _ = self.before.insert(result, from)
            }
            _ => {}
        }
        if let Some(ty) = operands.first() {
            self.of_type.insert(result, ty);
        }
    }

    /// The storage class of what a pointer points to.
    fn class(&self, mut pointer: &'a str) -> Option<&'a str> {
        // Each name is defined once, so that this ends.
        while let Some(before) = self.before.get(pointer) {
            pointer = before;
        }
        self.classes.get(self.of_type.get(pointer)?).copied()
    }
}

/// The instructions of a kernel in SPIR-V's assembly.
fn spir_v(assembly: &str, name: &str) -> Option<Vec<CodeEvent>> {
    let mut names = SpirVNames::default();
    let mut id = None;
    let mut inside = false;
    let mut events = Vec::new();
    for line in assembly.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (result, words) = match words.as_slice() {
            [result, "=", rest @ ..] => (Some(*result), rest),
            all => (None, all),
        };
        let Some((&operation, operands)) = words.split_first() else { continue };
        match (operation, operands) {
            ("OpName", [of, called, ..]) if *called == format!("\"{name}\"") => id = Some(*of),
            ("OpFunction", _) => inside = result.is_some() && result == id,
            ("OpFunctionEnd", _) if inside => return Some(events),
            _ => {}
        }
        if let Some(result) = result {
            names.learn(result, operation, operands);
        }
        if !inside {
            continue;
        }
        let number = |at: usize| operands.get(at).and_then(|id| names.numbers.get(id).copied());
        let tags = |scope: usize, order: usize| {
            let read = || Some((spir_v_order(number(order)?)?, spir_v_scope(number(scope)?)?));
            read().ok_or("an order or a scope that OpenCL does not have")
        };
        // By the letter a fence orders the memory that it names. Of atomic operations that name
        // none, Khronos has not said yet what they order.
        let fence = |scope: usize, order: usize| match number(order) {
            Some(semantics) if semantics & ORDERED_MEMORY == 0 => {
                Err("one that names no memory, and orders none")
            }
            _ => tags(scope, order),
        };
        let (kind, pointer, atomic) = match operation {
            "OpLoad" => (SourceAccessKind::Load, 1, Err(PLAIN)),
            "OpStore" => (SourceAccessKind::Store, 0, Err(PLAIN)),
            "OpAtomicLoad" => (SourceAccessKind::Load, 1, tags(2, 3)),
            "OpAtomicStore" => (SourceAccessKind::Store, 0, tags(1, 2)),
            "OpMemoryBarrier" => (SourceAccessKind::Fence, usize::MAX, fence(0, 1)),
            "OpControlBarrier" => (SourceAccessKind::Barrier, usize::MAX, fence(1, 2)),
            atomic if atomic.starts_with("OpAtomic") => (SourceAccessKind::Rmw, 1, tags(2, 3)),
            _ => continue,
        };
        let space = match operands.get(pointer).and_then(|pointer| names.class(pointer)) {
            Some("CrossWorkgroup") => Some(Space::Global),
            Some("Workgroup") => Some(Space::Shared),
            // The thread's own: what a compare-exchange expects.
            Some("Function") => continue,
            _ => None,
        };
        let text = line.split_whitespace().collect::<Vec<_>>().join(" ");
        events.push(CodeEvent::Access { kind, space, atomic, vectors: false, text });
    }
    None
}

/// The order of a memory semantics (SPIR-V 3.25).
fn spir_v_order(semantics: u64) -> Option<SourceOrder> {
    match semantics & 0x1e {
        0 => Some(SourceOrder::Relaxed),
        0x2 => Some(SourceOrder::Acquire),
        0x4 => Some(SourceOrder::Release),
        0x8 => Some(SourceOrder::AcqRel),
        0x10 => Some(SourceOrder::SeqCst),
        _ => None,
    }
}

/// A scope (SPIR-V 3.27).
fn spir_v_scope(scope: u64) -> Option<SourceScope> {
    match scope {
        0 => Some(SourceScope::AllDevices),
        1 => Some(SourceScope::Device),
        2 => Some(SourceScope::WorkGroup),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use margay_litmus::read;
    use margay_models::diagnostic::SourceFile;

    use super::super::{OpenClSource, OpenClTarget, source};
    use super::compare;

    fn of(name: &str, text: &str) -> OpenClSource {
        let text = format!("PTX {name}\n{text}");
        source(
            &read::test(&SourceFile::new(name, &text)).unwrap_or_else(|e| panic!("{}", e[0])).test,
        )
        .unwrap_or_else(|e| panic!("{e}"))
    }

    fn mp() -> OpenClSource {
        let text = "{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | ld.acquire.gpu r0, y ;\n \
                    st.release.gpu y, 1 | ld.relaxed.gpu r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
        of("MP", text)
    }

    const AMD: &str = "\
margay_P0:                              ; @margay_P0
\ts_load_dwordx4 s[0:3], s[4:5], 0x0
\tv_mov_b32_e32 v0, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_store_dword v0, v1, s[0:1]
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v0, v1, s[2:3]
\ts_endpgm
.Lfunc_end0:
margay_P1:                              ; @margay_P1
\ts_load_dwordx4 s[0:3], s[4:5], 0x0
\tglobal_load_dword v2, v0, s[2:3] glc
\ts_waitcnt vmcnt(0)
\tbuffer_wbinvl1_vol
\tglobal_load_dword v3, v0, s[0:1] glc
\ts_load_dwordx2 s[6:7], s[4:5], 0x10
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tglobal_store_dword v0, v2, s[6:7]
\tglobal_store_dword v0, v3, s[6:7] offset:4
\ts_endpgm
.Lfunc_end1:
";

    /// The code as it is, and with one line changed.
    #[test]
    fn amds_code_is_the_source_or_the_difference_is_said() {
        let target = OpenClTarget::Amd("gfx90a".to_owned());
        let said = |from: &str, to: &str| {
            let code = AMD.replacen(from, to, 1);
            assert!(from.is_empty() || code != AMD, "{from}");
            compare(&mp(), &target, &code).map_err(|all| all.join("; "))
        };
        assert_eq!(said("", ""), Ok(4));
        let wrong = |from: &str, to: &str| said(from, to).expect_err("it differs");
        assert!(
            wrong("\ts_waitcnt vmcnt(0)\n\tglobal_store", "\tglobal_store")
                .contains("does not wait for the accesses before it")
        );
        assert!(wrong("\tbuffer_wbinvl1_vol\n", "").contains("the cache keeps what is older"));
        assert!(wrong("\tglobal_load_dword v3, v0, s[0:1] glc\n", "").contains("where `reg_r1 = "));
        assert!(
            wrong("\tglobal_store_dword v0, v1, s[2:3]\n", "")
                .contains("nothing is left of `atomic_store_explicit(loc_y")
        );
        assert!(
            wrong("\tglobal_store_dword v0, v3, s[6:7] offset:4\n", "")
                .contains("a result is not stored")
        );
        // A scalar load is an access, but for those of parameters: also through registers that had
        // their address before.
        for load in
            ["s_load_dword s8, s[0:1], 0x0", "s_mov_b32 s5, s1\n\ts_load_dword s8, s[4:5], 0x0"]
        {
            let more =
                wrong("\ts_endpgm\n.Lfunc_end0", &format!("\t{load}\n\ts_endpgm\n.Lfunc_end0"));
            assert!(more.contains("one access more than the test"), "{load}: {more}");
        }
        // A wait for others is none for vectors.
        let other =
            wrong("\ts_waitcnt vmcnt(0)\n\tglobal_store", "\ts_waitcnt lgkmcnt(0)\n\tglobal_store");
        assert!(other.contains("does not wait for the accesses before it"), "{other}");
        assert!(wrong("margay_P1:", "other:").contains("the assembly has no such kernel"));
    }

    const SPIR_V: &str = "\
\tOpName %18 \"margay_P0\"
\tOpName %19 \"margay_P1\"
\t%2 = OpTypeInt 32 0
\t%3 = OpTypePointer CrossWorkgroup %2
\t%7 = OpTypePointer Function %2
\t%8 = OpTypePointer Generic %2
\t%9 = OpConstant %2 7
\t%10 = OpConstant %2 1
\t%11 = OpConstantNull %2
\t%12 = OpConstant %2 4
\t%13 = OpConstant %2 2
\t%18 = OpFunction %4 None %5
\t%15 = OpFunctionParameter %3
\t%16 = OpFunctionParameter %3
\tOpAtomicStore %15 %10 %11 %10
\tOpAtomicStore %16 %10 %12 %10
\tOpFunctionEnd
\t%19 = OpFunction %4 None %5
\t%25 = OpFunctionParameter %3
\t%26 = OpFunctionParameter %3
\t%27 = OpFunctionParameter %3
\t%30 = OpAtomicLoad %2 %26 %10 %13
\t%31 = OpAtomicLoad %2 %25 %10 %11
\tOpStore %27 %30 Volatile|Aligned 4
\tOpStore %28 %31 Volatile|Aligned 4
\tOpFunctionEnd
";

    #[test]
    fn spir_v_is_the_source_or_the_difference_is_said() {
        let said = |from: &str, to: &str| {
            let code = SPIR_V.replacen(from, to, 1);
            assert!(from.is_empty() || code != SPIR_V, "{from}");
            compare(&mp(), &OpenClTarget::SpirV, &code).map_err(|all| all.join("; "))
        };
        assert_eq!(said("", ""), Ok(4));
        let plain =
            said("OpAtomicLoad %2 %26 %10 %13", "OpLoad %2 %26 Aligned 4").expect_err("it differs");
        assert!(plain.contains("becomes no atomic operation: `%30 = OpLoad"), "{plain}");
        let relaxed = said("OpAtomicStore %16 %10 %12 %10", "OpAtomicStore %16 %10 %11 %10")
            .expect_err("it differs");
        assert!(
            relaxed.contains("becomes memory_order_relaxed and memory_scope_device"),
            "{relaxed}"
        );
        let wide =
            said("OpAtomicStore %15 %10 %11", "OpAtomicStore %15 %13 %11").expect_err("it differs");
        assert!(wide.contains("memory_scope_work_group"), "{wide}");
        // What SPIR-V has no word for is neither an order nor a plain access.
        let other =
            said("OpAtomicStore %16 %10 %12", "OpAtomicStore %16 %9 %12").expect_err("it differs");
        assert!(other.contains("a scope that OpenCL does not have"), "{other}");
        // A pointer of any class points to where it did before, and what is the thread's own is no
        // access.
        let cast = "\t%40 = OpPtrCastToGeneric %8 %26\n\t%30 = OpAtomicLoad %2 %40 %10 %13\n\t%41 = OpVariable %7 Function\n\t\
                    %42 = OpPtrCastToGeneric %8 %41\n\tOpStore %42 %10 Aligned 4";
        assert_eq!(said("\t%30 = OpAtomicLoad %2 %26 %10 %13", cast), Ok(4));
        let local = said("OpTypePointer CrossWorkgroup", "OpTypePointer Workgroup")
            .expect_err("it differs");
        assert!(local.contains("the code has a store"), "{local}");
    }

    /// A fence is of an order, a scope and a memory; so is a barrier.
    #[test]
    fn fences_of_spir_v_name_the_memory() {
        let source = of(
            "bar",
            "{ x=0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n fence.acquire.gpu ;\n bar.cta.sync 0 ;\nexists (x == 1)\n",
        );
        let said = |fence: &str, barrier: &str| {
            let code = format!(
                "\tOpName %18 \"margay_P0\"\n\t%2 = OpTypeInt 32 0\n\t%3 = OpTypePointer CrossWorkgroup %2\n\t%10 = OpConstant %2 1\n\t\
                 %11 = OpConstant %2 2\n\t%12 = OpConstant %2 514\n\t%13 = OpConstant %2 528\n\t%14 = OpConstant %2 16\n\t\
                 %18 = OpFunction %4 None %5\n\t%15 = OpFunctionParameter %3\n\tOpStore %15 %10 Aligned 4\n\tOpMemoryBarrier {fence}\n\t\
                 OpControlBarrier {barrier}\n\tOpFunctionEnd\n"
            );
            compare(&source, &OpenClTarget::SpirV, &code).map_err(|all| all.join("; "))
        };
        assert_eq!(said("%10 %12", "%11 %11 %13"), Ok(3));
        for (fence, barrier) in [("%10 %11", "%11 %11 %13"), ("%10 %12", "%11 %11 %14")] {
            let none = said(fence, barrier).expect_err("it differs");
            assert!(none.contains("becomes one that names no memory, and orders none"), "{none}");
        }
        assert!(
            said("%11 %12", "%11 %11 %13")
                .expect_err("it differs")
                .contains("memory_scope_work_group")
        );
    }
}
