//! Stress and randomisation woven into compiled kernels, so that nobody rewrites an application
//! (PLDI 2016, sections 3.5 and 4.2).
//!
//! A woven kernel is launched with more blocks, in one dimension. The first of them do nothing but
//! stress a scratchpad; the others are the blocks of the application. What a thread reads as its
//! block and its place in it is computed, so that blocks and warps of a block can change places:
//! threads of one block stay in one, and the lanes of a warp stay where they are. What stops a
//! kernel with an error (`trap`, `assert`) says so in memory and ends the thread, because a trap
//! would take the whole device along.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use margay_ptx::{Function, Instruction, Module, Operand};
use margay_runner::emit::permutation::{self, Salt, permute};
use margay_runner::emit::{Environment, STRESS_REGISTERS, StressCode};
use margay_runner::sass::Listing;

/// The variable in global memory that is not 0 when a thread stopped with an error.
pub(crate) const STOPPED: &str = "margay_stopped";

/// What a woven kernel takes behind its own parameters, in order: a type and a name.
const PARAMETERS: [(&str, &str); 9] = [
    ("u64", "margay_scratchpad"),
    ("u32", "margay_seed"),
    ("u32", "margay_first"),
    ("u32", "margay_rounds"),
    ("u32", "margay_stressing"),
    ("u32", "margay_blocks_x"),
    ("u32", "margay_blocks_y"),
    ("u32", "margay_blocks_z"),
    ("u32", "margay_shuffle"),
];

/// What changes from launch to launch of a woven kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WovenLaunch {
    /// The address of the scratchpad.
    pub scratchpad: u64,
    /// Of the permutations and of what is stressed.
    pub seed: u32,
    /// The place of stress.
    pub first: u32,
    /// How often a stressing thread does what it does; at least 1.
    pub rounds: u32,
    /// Blocks that do nothing but stress.
    pub stressing: u32,
    /// The application's blocks.
    pub blocks: [u32; 3],
    /// Do blocks, and warps of a block, change places?
    pub shuffle: bool,
}

impl WovenLaunch {
    /// All blocks, in one dimension; nothing where they are more than a grid has.
    pub(crate) fn grid(&self) -> Option<u32> {
        let all = self
            .blocks
            .iter()
            .try_fold(1u32, |all, n| all.checked_mul(*n))?
            .checked_add(self.stressing)?;
        (all <= i32::MAX as u32).then_some(all)
    }

    /// The arguments behind the kernel's own, each its bytes.
    pub(crate) fn arguments(&self) -> Vec<Vec<u8>> {
        let [x, y, z] = self.blocks;
        let words =
            [self.seed, self.first, self.rounds, self.stressing, x, y, z, u32::from(self.shuffle)];
        std::iter::once(self.scratchpad.to_le_bytes().to_vec())
            .chain(words.map(|w| w.to_le_bytes().to_vec()))
            .collect()
    }
}

/// A piece of text and what stands in its place.
struct Replacement {
    place: Range<usize>,
    by: String,
}

/// The registers that are read in place of what the hardware says.
const PLACES: [&str; 9] = [
    "ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "tid.x", "tid.y", "tid.z",
];

fn register_of(special: &str) -> String {
    format!("%margay_{}", special.replace('.', "_"))
}

/// Its lower 16 bits: `mov.u16` and `cvt.u32.u16` may read a special register of 32 bits, and no
/// other one.
fn low_register_of(special: &str) -> String {
    format!("{}_low", register_of(special))
}

/// Does it read special registers as 16 bits?
fn reads_low(i: &Instruction) -> bool {
    matches!(i.opcode.as_str(), "mov" | "cvt")
        && i.ty().is_some_and(|ty| ty.bits == 16)
        && !specials(i).is_empty()
}

/// Does the hardware say something of blocks that is not so in a woven kernel?
fn is_of_place(special: &str) -> bool {
    let base = special.split('.').next().unwrap_or(special);
    matches!(base, "ctaid" | "nctaid" | "tid" | "warpid" | "gridid")
        || base.starts_with("cluster")
        || base.starts_with("is_explicit")
}

/// The special registers that an instruction reads.
fn specials(i: &Instruction) -> Vec<&str> {
    let parts = i.operands.iter().flat_map(Operand::parts);
    parts
        .filter_map(
            |part| if let Operand::Special(name) = part { Some(name.as_str()) } else { None },
        )
        .collect()
}

/// Does it stop the kernel with an error?
fn stops(i: &Instruction) -> bool {
    let called = || {
        i.operands.iter().any(|o| matches!(o, Operand::Name(name) if name == "__assertfail" || name == "__assert_fail"))
    };
    i.opcode == "trap" || (i.opcode == "call" && called())
}

/// The same text with another end of what stops with an error: no kernel takes the device along.
/// The kernels are as they were.
///
/// # Errors
/// The text is no PTX, or has names that are woven in.
pub(crate) fn without_traps(text: &str) -> Result<String, String> {
    let module = margay_ptx::read(text).map_err(|e| e.to_string())?;
    let mut replacements = vec![declaration(&uncommented(text)?)?];
    replacements.extend(stopping(&module));
    Ok(replaced(text, replacements))
}

/// The text without its comments, in which places are the same.
///
/// # Errors
/// It has a name that is woven in: it would mean another thing.
fn uncommented(text: &str) -> Result<String, String> {
    let code = margay_ptx::blank_comments(text);
    let words =
        code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$' && c != '%');
    let taken = words.into_iter().find(|word| {
        let name = word.trim_start_matches(['%', '$']);
        name.starts_with("margay_") || name.starts_with("MARGAY_")
    });
    match taken {
        Some(name) => Err(format!(
            "it has the name `{name}`, and names that begin so are woven in; give it another"
        )),
        None => Ok(code),
    }
}

/// The text with stress and randomisation in these kernels.
///
/// # Errors
/// What of a kernel cannot be woven, in a sentence.
pub(crate) fn woven(
    text: &str,
    kernels: &[&str],
    environment: &Environment,
) -> Result<String, String> {
    let module = margay_ptx::read(text).map_err(|e| e.to_string())?;
    let code = uncommented(text)?;
    let mut replacements = vec![declaration(&code)?];
    replacements.extend(stopping(&module));
    for function in &module.functions {
        if function.entry {
            if kernels.contains(&function.name.as_str()) {
                replacements.extend(kernel(&code, function, environment)?);
            }
            continue;
        }
        for i in function.body.iter().flatten() {
            if let Some(special) = specials(i).into_iter().find(|s| is_of_place(s)) {
                return Err(format!(
                    "`{}` reads `%{special}`, and stress is woven into kernels alone; let it be inlined, or give it the number",
                    function.name
                ));
            }
        }
    }
    let mut out = replaced(text, replacements);
    let declared: Vec<String> =
        PARAMETERS.iter().map(|(ty, name)| format!("\t.param .{ty} {name}")).collect();
    let _ = write!(
        out,
        "\n.visible .entry {NOTHING}(\n{}\n)\n{{{}    ret;\n}}\n",
        declared.join(",\n"),
        prologue(environment, false)
    );
    Ok(out)
}

/// Where the variable is declared: behind the directives of the module.
fn declaration(code: &str) -> Result<Replacement, String> {
    let behind = |directive: &str| code.find(directive).map(|at| at + directive.len());
    let word = |from: usize| {
        let start = from + code[from..].len() - code[from..].trim_start().len();
        start
            + code[start..]
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .unwrap_or(code.len() - start)
    };
    let at = match (behind(".address_size"), behind(".target")) {
        (Some(at), _) => word(at),
        (None, Some(at)) => {
            // `.target sm_90, debug`
            let mut end = word(at);
            while let Some(rest) = code[end..].trim_start().strip_prefix(',') {
                end = word(code.len() - rest.len());
            }
            end
        }
        (None, None) => return Err("there is no `.target`".to_owned()),
    };
    Ok(Replacement {
        place: at..at,
        by: format!("\n.visible .global .align 4 .u32 {STOPPED} = 0;\n"),
    })
}

/// In place of what stops with an error: a word in memory, and the end of the thread.
fn stopping(module: &Module) -> impl Iterator<Item = Replacement> {
    let all = module.functions.iter().flat_map(|f| f.body.iter().flatten().map(move |i| (f, i)));
    all.filter(|(_, i)| stops(i)).map(|(function, i)| {
        let guard = i.guard.and_then(|(register, negated)| {
            let register = function.registers.get(register.0 as usize)?;
            Some(format!("@{}{} ", if negated { "!" } else { "" }, register.name))
        });
        let guard = guard.unwrap_or_default();
        Replacement {
            place: i.start..i.end,
            by: format!("{guard}st.volatile.global.u32 [{STOPPED}], 1;\n\t{guard}exit"),
        }
    })
}

/// The replacements of a kernel: its parameters, what comes before it, and what it reads as its
/// place.
fn kernel(
    code: &str,
    function: &Function,
    environment: &Environment,
) -> Result<Vec<Replacement>, String> {
    if function.required_cluster.is_some_and(|blocks| blocks != [1; 3]) {
        return Err(format!("`{}` has clusters, whose blocks cannot change places", function.name));
    }
    let head = KernelHead::find(code, function)
        .ok_or_else(|| format!("the parameters of `{}` are not found", function.name))?;
    let declared: Vec<String> =
        PARAMETERS.iter().map(|(ty, name)| format!("\t.param .{ty} {name}")).collect();
    let declared = declared.join(",\n");
    let mut all = vec![match head.parameters {
        // Behind the last parameter, or the only ones.
        Some(Range { start, end }) if code[start..end].trim().is_empty() => {
            Replacement { place: start..end, by: declared }
        }
        Some(Range { end, .. }) => Replacement { place: end..end, by: format!(",\n{declared}\n") },
        None => {
            Replacement { place: head.name_end..head.name_end, by: format!("(\n{declared}\n)") }
        }
    }];
    let low = function.body.iter().flatten().any(reads_low);
    all.push(Replacement { place: head.body..head.body, by: prologue(environment, low) });
    for i in function.body.iter().flatten().filter(|i| !stops(i)) {
        let mut found = specials(i);
        found.retain(|special| is_of_place(special));
        found.sort_unstable();
        found.dedup();
        for special in found {
            if !PLACES.contains(&special) {
                return Err(format!(
                    "`{}` reads `%{special}`, which has no meaning when blocks change places",
                    function.name
                ));
            }
            let name = format!("%{special}");
            let before = all.len();
            all.extend(code[i.start..i.end].match_indices(&name).map(|(at, _)| Replacement {
                place: i.start + at..i.start + at + name.len(),
                by: if reads_low(i) { low_register_of(special) } else { register_of(special) },
            }));
            if all.len() == before {
                return Err(format!(
                    "`{}` reads `%{special}`, but not written so: write it in one word",
                    function.name
                ));
            }
        }
    }
    Ok(all)
}

/// Where the parts of a kernel are before its body.
struct KernelHead {
    name_end: usize,
    /// What is between the parentheses.
    parameters: Option<Range<usize>>,
    /// Behind the brace that opens the body.
    body: usize,
}

impl KernelHead {
    /// In a text without comments.
    fn find(code: &str, function: &Function) -> Option<Self> {
        let name_end = function.at + function.name.len();
        let (mut parameters, mut open) = (None, None);
        let bytes = code.as_bytes();
        let mut at = name_end;
        while at < function.end {
            match bytes[at] {
                b'"' => at += 1 + code[at + 1..].find('"')?,
                b'(' if parameters.is_none() => open = Some(at + 1),
                b')' if parameters.is_none() => parameters = Some(open?..at),
                b'{' => return Some(Self { name_end, parameters, body: at + 1 }),
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// What a thread does before the kernel: it stresses, or finds its place; `low` where 16 bits of it
/// are read.
fn prologue(environment: &Environment, low: bool) -> String {
    let mut text = String::from("\n");
    for special in PLACES {
        let _ = writeln!(text, "    .reg .b32 {};", register_of(special));
        if low {
            let _ = writeln!(text, "    .reg .b16 {};", low_register_of(special));
        }
    }
    text.push_str("    {\n    .reg .pred %p;\n    .reg .b32 %threads, %times, %cta, %blocks, %warp, %warps;\n");
    text.push_str(STRESS_REGISTERS);
    text.push_str(permutation::REGISTERS);
    text.push_str(
        "    ld.param.u64 %scratchpad, [margay_scratchpad];\n    ld.param.u32 %seed, [margay_seed];\n    \
         ld.param.u32 %first, [margay_first];\n    ld.param.u32 %times, [margay_rounds];\n    \
         mov.u32 %threads, %ntid.x;\n    mov.u32 %a, %ntid.y;\n    mov.u32 %b, %ntid.z;\n    mul.lo.u32 %s, %a, %b;\n    \
         mov.u32 %self, %tid.z;\n    mov.u32 %slot, %tid.y;\n    mad.lo.u32 %self, %self, %a, %slot;\n    mov.u32 %slot, %tid.x;\n    \
         mad.lo.u32 %self, %self, %threads, %slot;\n    mul.lo.u32 %threads, %threads, %s;\n    \
         mov.u32 %cta, %ctaid.x;\n    ld.param.u32 %a, [margay_stressing];\n    setp.ge.u32 %p, %cta, %a;\n    @%p bra $MARGAY_RUN;\n",
    );
    StressCode { environment, rounds: "%times".to_owned(), threads: "%threads".to_owned() }
        .write("MARGAY_STRESS", &mut text);
    text.push_str(
        "    exit;\n$MARGAY_RUN:\n    sub.u32 %cta, %cta, %a;\n    mov.u32 %blocks, %nctaid.x;\n    sub.u32 %blocks, %blocks, %a;\n    \
         ld.param.u32 %a, [margay_shuffle];\n    setp.eq.u32 %p, %a, 0;\n    @%p bra $MARGAY_PLACED;\n",
    );
    permute("%cta", "%blocks", Salt::Ctas, "MARGAY_CTAS", &mut text);
    // A warp that is not full has its place.
    text.push_str(
        "    and.b32 %a, %threads, 31;\n    setp.ne.u32 %p, %a, 0;\n    @%p bra $MARGAY_PLACED;\n    \
         shr.u32 %warp, %self, 5;\n    shr.u32 %warps, %threads, 5;\n",
    );
    permute("%warp", "%warps", Salt::Warps, "MARGAY_WARPS", &mut text);
    text.push_str(
        "    and.b32 %self, %self, 31;\n    mad.lo.u32 %self, %warp, 32, %self;\n$MARGAY_PLACED:\n",
    );
    for (of, from, sizes) in [
        ("ctaid", "%cta", ["[margay_blocks_x]", "[margay_blocks_y]"]),
        ("tid", "%self", ["%ntid.x", "%ntid.y"]),
    ] {
        for (axis, size) in ["x", "y"].iter().zip(sizes) {
            let read = if size.starts_with('[') { "ld.param.u32" } else { "mov.u32" };
            let _ = write!(
                text,
                "    {read} %a, {size};\n    rem.u32 %margay_{of}_{axis}, {from}, %a;\n    div.u32 {from}, {from}, %a;\n"
            );
        }
        let _ = writeln!(text, "    mov.u32 %margay_{of}_z, {from};");
    }
    for axis in ["x", "y", "z"] {
        let _ = writeln!(text, "    ld.param.u32 %margay_nctaid_{axis}, [margay_blocks_{axis}];");
    }
    for special in PLACES.iter().filter(|_| low) {
        let _ = writeln!(
            text,
            "    cvt.u16.u32 {}, {};",
            low_register_of(special),
            register_of(special)
        );
    }
    text.push_str("    }\n");
    text
}

fn replaced(text: &str, mut replacements: Vec<Replacement>) -> String {
    replacements.sort_by_key(|r| (r.place.start, r.place.end));
    let mut out = String::with_capacity(text.len() + 8192);
    let mut from = 0;
    for r in replacements {
        out.push_str(&text[from..r.place.start]);
        out.push_str(&r.by);
        from = r.place.end;
    }
    out.push_str(&text[from..]);
    out
}

/// The kernel that has nothing but what is woven in, to know the accesses of that.
const NOTHING: &str = "margay_nothing";

/// Has the machine code of woven kernels all accesses, fences and barriers of the application's,
/// and no others but those of the stress?
///
/// # Errors
/// Where they differ, in a sentence.
pub(crate) fn same_accesses(
    plain: &[Listing],
    woven: &[Listing],
    kernels: &[&str],
) -> Result<(), String> {
    let of = |all: &[Listing], name: &str| all.iter().find(|l| l.name == name).map(counted);
    let stress = of(woven, NOTHING)
        .ok_or_else(|| "the machine code has no kernel of the stress alone".to_owned())?;
    for kernel in kernels {
        let (Some(before), Some(after)) = (of(plain, kernel), of(woven, kernel)) else {
            return Err(format!("the machine code has no kernel `{kernel}`"));
        };
        let mut expected = before;
        for (name, count) in &stress {
            *expected.entry(name.clone()).or_default() += count;
        }
        let names = expected.keys().chain(after.keys());
        for name in names {
            let (is, should) = (after.get(name).unwrap_or(&0), expected.get(name).unwrap_or(&0));
            if is != should {
                return Err(format!(
                    "the machine code of `{kernel}` with stress woven in has {is} times `{name}`, where {should} are expected: it is not run"
                ));
            }
        }
    }
    Ok(())
}

/// How often machine code has each instruction that accesses memory which threads share, or orders
/// accesses.
fn counted(listing: &Listing) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for i in &listing.instructions {
        let base = i.base();
        let is_access = [
            "LD", "LDG", "LDS", "LDSM", "ST", "STG", "STS", "MEMBAR", "FENCE", "CCTL", "BAR",
            "LDGSTS", "SYNCS",
        ]
        .contains(&base)
            || base.starts_with("ATOM")
            || base.starts_with("RED");
        if is_access {
            *all.entry(i.name.join(".")).or_default() += 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use margay_runner::emit::Environment;

    use super::{PARAMETERS, STOPPED, without_traps, woven};

    const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

    fn of(text: &str) -> Result<String, String> {
        let found = woven(text, &["k"], &Environment::default())?;
        margay_ptx::read(&found).map_err(|e| format!("{e}\n{found}"))?;
        Ok(found)
    }

    /// Braces, parentheses and registers in comments are no code, and a register that is read twice
    /// is replaced twice.
    #[test]
    fn comments_are_not_woven() {
        let text = format!(
            "{HEAD}.visible .entry /* ( {{ \") */ k( // ) {{\n .param .u64 a /*/ ) {{ */\n) /* {{ */ .maxntid 32,1,1\n{{\n .reg .b32 %r<4>;\n \
             mov.u32 /* %tid.x, é */ %r1, // %tid.x\n %tid.x;\n add.u32 %r2, %tid.x, %tid.x;\n mov.u32 %r3, %ntid.x;\n ret;\n}}\n"
        );
        let found = of(&text).unwrap();
        assert!(
            found.contains("mov.u32 /* %tid.x, é */ %r1, // %tid.x\n %margay_tid_x;"),
            "{found}"
        );
        assert!(found.contains("add.u32 %r2, %margay_tid_x, %margay_tid_x;"), "{found}");
        assert!(found.contains("mov.u32 %r3, %ntid.x;"), "{found}");
        assert!(found.contains("/*/ ) { */\n,\n\t.param .u64 margay_scratchpad"), "{found}");
    }

    #[test]
    fn kernels_without_parameters_are_woven() {
        for parameters in ["", "()", "( /* none */ )"] {
            let found =
                of(&format!("{HEAD}.visible .entry k{parameters}\n{{\n ret;\n}}\n")).unwrap();
            let module = margay_ptx::read(&found).unwrap();
            assert_eq!(
                module.functions.iter().map(|f| f.parameters.len()).collect::<Vec<_>>(),
                [PARAMETERS.len(); 2],
                "{found}"
            );
        }
    }

    /// The variable stands behind the directives, however they are laid out.
    #[test]
    fn directives_are_found() {
        let kernel = ".entry k() { trap; }";
        for head in [
            "// .target sm_10\n.version 8.0 .target sm_90 .address_size 64 ",
            ".version 8.0\n.target sm_90,\n debug\n",
            ".version 8.0\n/*\n.address_size 32\n*/ .target sm_90, debug ",
        ] {
            let found = without_traps(&format!("{head}{kernel}")).unwrap();
            let module = margay_ptx::read(&found).unwrap_or_else(|e| panic!("{e}\n{found}"));
            assert_eq!(
                (module.variables.len(), module.variables[0].name.as_str()),
                (1, STOPPED),
                "{found}"
            );
        }
    }

    #[test]
    fn the_guard_of_a_trap_stays() {
        let text = format!(
            "{HEAD}.entry k() {{\n .reg .pred %p<2>;\n @ !%p1 trap;\n @/* a */%p1 trap;\n trap;\n}}\n"
        );
        let found = without_traps(&text).unwrap();
        let stopped =
            |guard: &str| format!("{guard}st.volatile.global.u32 [{STOPPED}], 1;\n\t{guard}exit;");
        for guard in ["@!%p1 ", "@%p1 ", ""] {
            assert!(found.contains(&format!("\n {}", stopped(guard))), "{found}");
        }
    }

    /// What cannot be woven is said, in a sentence.
    #[test]
    fn what_cannot_be_woven_is_refused() {
        let body = |head: &str, body: &str| {
            format!("{HEAD}.entry k() {head} {{\n .reg .b32 %r<2>;\n {body}\n ret;\n}}\n")
        };
        let twice = of(&body("", "")).unwrap();
        for (text, expected) in [
            (body(".reqnctapercluster 65536, 65536, 65536", ""), "has clusters"),
            (body("", "mov.u32 %r1, %warpid;"), "reads `%warpid`"),
            (body("", ".reg .b32 %margay_tid_x;"), "`%margay_tid_x`"),
            (body("", "$MARGAY_RUN: bra $MARGAY_RUN;"), "`$MARGAY_RUN`"),
            (twice, "woven in"),
            (format!("{HEAD}.entry k();\n"), "are not found"),
            (body("", "mov.u32 %r1"), "expected"),
        ] {
            let why = of(&text).unwrap_err();
            assert!(why.contains(expected), "{why}\n{text}");
        }
        let code = body("", "mov.u32 %r1, %tid.x;");
        for end in 0..code.len() {
            let _ = of(&code[..end]);
        }
    }
}
