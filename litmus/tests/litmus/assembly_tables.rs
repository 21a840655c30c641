//! Tests in assembly and in the table form: each shape, with each fence, dependency and annotation,
//! has the same verdict in both.

use crate::assembly::reachable;
use crate::shipped::model;
use margay_litmus::read;
use margay_models::diagnostic::SourceFile;

/// A way to write something in assembly and in the table form. `{r}` is the number of the register
/// that is read, `{a}` that of the location, `{x}` its name, `{v}` the value, `{l}` a label; `;`
/// stands between instructions.
type Both = (&'static str, &'static str);

/// How a machine is written.
struct Machine {
    kind: &'static str,
    model: &'static str,
    /// The register of location `{a}`, and a register in conditions.
    address: &'static str,
    register: &'static str,
    loads: &'static [Both],
    /// With a value, and with one that depends on the register `{r}`.
    stores: &'static [Both],
    fences: &'static [Both],
    /// A load and a store whose addresses depend on the register `{d}`, and a store whose value
    /// does.
    after: [Both; 3],
    branch: Both,
    /// A fence that makes a branch order reads.
    branch_fence: Option<Both>,
}

const AARCH64: Machine = Machine {
    kind: "AArch64",
    model: "aarch64",
    address: "X2{a}",
    register: "X{r}",
    loads: &[
        ("LDR W{r},[X2{a}]", "ldr r{r}, {x}"),
        ("LDAPR W{r},[X2{a}]", "ldapr r{r}, {x}"),
        ("LDAR W{r},[X2{a}]", "ldar r{r}, {x}"),
        ("MOV W9,#0; LDADDAL W9,W{r},[X2{a}]", "swpal.add r{r}, {x}, 0"),
        ("MOV W9,#0; LDADD W9,W{r},[X2{a}]", "swp.add r{r}, {x}, 0"),
    ],
    stores: &[
        ("MOV W9,#{v}; STR W9,[X2{a}]", "str {x}, {v}"),
        ("MOV W9,#{v}; STLR W9,[X2{a}]", "stlr {x}, {v}"),
        ("MOV W9,#{v}; SWP W9,W10,[X2{a}]", "swp r10, {x}, {v}"),
        ("MOV W9,#{v}; SWPAL W9,W10,[X2{a}]", "swpal r10, {x}, {v}"),
        ("MOV W9,#{v}; SWPL W9,WZR,[X2{a}]", "swpl_zr r10, {x}, {v}"),
        (
            "MOV W9,#{v}; LDAXR W10,[X2{a}]; STLXR W11,W9,[X2{a}]; CBNZ W11,END",
            "ldaxr_stlxr r10, {x}, {v}",
        ),
        (
            "MOV W9,#{v}; LDXR W10,[X2{a}]; STXR W11,W9,[X2{a}]; CBNZ W11,END",
            "ldxr_stxr r10, {x}, {v}",
        ),
    ],
    fences: &[
        ("DMB SY", "dmb.ish"),
        ("DMB ISHLD", "dmb.ishld"),
        ("DMB ST", "dmb.ishst"),
        ("ISB", "isb"),
    ],
    after: [
        ("EOR W8,W{d},W{d}; LDR W{r},[X2{a},W8,SXTW]", "xor r8, r{d}, r{d}; ldr r{r}, [{x}+r8]"),
        (
            "EOR X8,X{d},X{d}; MOV W9,#{v}; STR W9,[X2{a},X8]",
            "xor r8, r{d}, r{d}; str [{x}+r8], {v}",
        ),
        (
            "EOR W8,W{d},W{d}; ADD W9,W8,#{v}; STR W9,[X2{a}]",
            "xor r8, r{d}, r{d}; add r9, r8, {v}; str {x}, r9",
        ),
    ],
    branch: ("CBNZ W{d},L{l}; L{l}:", "bne r{d}, 0, L{l}; L{l}:"),
    branch_fence: Some(("ISB", "isb")),
};

const RISCV: Machine = Machine {
    kind: "RISCV",
    model: "riscv",
    address: "x2{a}",
    register: "x{r}",
    loads: &[
        ("lw x{r},0(x2{a})", "lw r{r}, {x}"),
        ("amoadd.w.aq x{r},x0,(x2{a})", "amoswap.aq.add r{r}, {x}, 0"),
        ("amoor.w.aqrl x{r},zero,(x2{a})", "amoswap.aqrl.or r{r}, {x}, 0"),
    ],
    stores: &[
        ("ori x9,x0,{v}; sw x9,0(x2{a})", "sw {x}, {v}"),
        ("li x9,{v}; amoswap.w.rl x0,x9,(x2{a})", "amoswap.rl r10, {x}, {v}"),
        ("li x9,{v}; amoswap.w.aqrl x10,x9,(x2{a})", "amoswap.aqrl r10, {x}, {v}"),
        (
            "li x9,{v}; lr.w x12,(x2{a}); sc.w.rl x11,x9,(x2{a}); bnez x11,END",
            "lr r12, {x}; sc.rl r11, {x}, {v}; bne r11, 0, END",
        ),
        (
            "li x9,{v}; lr.w.aqrl x12,0(x2{a}); sc.w.rl x11,x9,0(x2{a}); bne x11,x0,END",
            "lr.aqrl r12, {x}; sc.rl r11, {x}, {v}; bne r11, 0, END",
        ),
    ],
    fences: &[
        ("fence rw,rw", "fence.rw_rw"),
        ("fence.tso", "fence.tso"),
        ("fence r,rw", "fence.r_rw"),
        ("fence rw,w", "fence.rw_w"),
        ("fence w,w", "fence.w_w"),
        ("fence w,r", "fence.w_r"),
        ("fence r,r", "fence.r_r"),
    ],
    after: [
        (
            "xor x8,x{d},x{d}; add x8,x8,x2{a}; lw x{r},0(x8)",
            "xor r8, r{d}, r{d}; lw r{r}, [{x}+r8]",
        ),
        (
            "xor x8,x{d},x{d}; add x8,x2{a},x8; li x9,{v}; sw x9,0(x8)",
            "xor r8, r{d}, r{d}; sw [{x}+r8], {v}",
        ),
        (
            "xor x8,x{d},x{d}; ori x9,x8,{v}; sw x9,0(x2{a})",
            "xor r8, r{d}, r{d}; or r9, r8, {v}; sw {x}, r9",
        ),
    ],
    branch: ("bne x{d},x0,L{l}; L{l}:", "bne r{d}, 0, L{l}; L{l}:"),
    branch_fence: None,
};

const POWER: Machine = Machine {
    kind: "PPC",
    model: "power",
    address: "r2{a}",
    register: "r{r}",
    loads: &[("lwz r{r},0(r2{a})", "ld r{r}, {x}")],
    stores: &[
        ("li r9,{v}; stw r9,0(r2{a})", "st {x}, {v}"),
        (
            "li r9,{v}; lwarx r12,r0,r2{a}; stwcx. r9,r0,r2{a}; bne- END",
            "lwarx r12, {x}; stwcx r11, {x}, {v}; bne r11, 0, END",
        ),
    ],
    fences: &[("sync", "sync"), ("lwsync", "lwsync"), ("isync", "isync"), ("eieio", "eieio")],
    after: [
        ("xor r8,r{d},r{d}; lwzx r{r},r8,r2{a}", "xor r8, r{d}, r{d}; ld r{r}, [{x}+r8]"),
        ("xor r8,r{d},r{d}; li r9,{v}; stwx r9,r8,r2{a}", "xor r8, r{d}, r{d}; st [{x}+r8], {v}"),
        (
            "xor r8,r{d},r{d}; addi r9,r8,{v}; stw r9,0(r2{a})",
            "xor r8, r{d}, r{d}; add r9, r8, {v}; st {x}, r9",
        ),
    ],
    branch: ("cmpw r{d},r{d}; beq L{l}; L{l}:", "beq r{d}, r{d}, L{l}; L{l}:"),
    branch_fence: Some(("isync", "isync")),
};

const ARM: Machine = Machine {
    kind: "ARM",
    model: "armv7",
    address: "R{a}",
    register: "R{r}",
    loads: &[("LDR R{r},[R{a}]", "ldr r{r}, {x}")],
    stores: &[
        ("MOV R9,#{v}; STR R9,[R{a}]", "str {x}, {v}"),
        (
            "MOV R9,#{v}; LDREX R10,[R{a}]; STREX R11,R9,[R{a}]; CMP R11,#0; BNE END",
            "ldrex r10, {x}; strex r11, {x}, {v}; bne r11, 0, END",
        ),
    ],
    fences: &[
        ("DMB", "dmb"),
        ("DMB ST", "dmb.st"),
        ("DSB", "dsb"),
        ("DSB ISHST", "dsb.st"),
        ("ISB", "isb"),
    ],
    after: [
        ("EOR R8,R{d},R{d}; LDR R{r},[R8,R{a}]", "xor r8, r{d}, r{d}; ldr r{r}, [{x}+r8]"),
        (
            "EOR R8,R{d},R{d}; MOV R9,#{v}; STR R9,[R8,R{a}]",
            "xor r8, r{d}, r{d}; str [{x}+r8], {v}",
        ),
        (
            "EOR R8,R{d},R{d}; ADD R9,R8,#{v}; STR R9,[R{a}]",
            "xor r8, r{d}, r{d}; add r9, r8, {v}; str {x}, r9",
        ),
    ],
    branch: ("CMP R{d},#1; BNE L{l}; L{l}:", "bne r{d}, 1, L{l}; L{l}:"),
    branch_fence: Some(("ISB", "isb")),
};

const X86_64: Machine = Machine {
    kind: "X86_64",
    model: "x86",
    address: "r1{a}",
    register: "r{r}",
    // Registers of x86 have names: r8 and r9 take what is read.
    loads: &[("movq (%r1{a}),%r{r}", "load r{r}, {x}")],
    stores: &[
        ("movq ${v},(%r1{a})", "store {x}, {v}"),
        ("movq ${v},%rax; xchgq %rax,(%r1{a})", "lock_xchg r7, {x}, {v}"),
        ("lock addq ${v},(%r1{a})", "lock_xchg.add r7, {x}, {v}"),
        (
            "movq $0,%rax; movq ${v},%rcx; lock cmpxchgq %rcx,(%r1{a})",
            "lock_xchg.cas r7, {x}, 0, {v}",
        ),
    ],
    fences: &[("mfence", "mfence"), ("sfence", "sfence"), ("lfence", "lfence")],
    after: [
        ("xorq %rdx,%rdx; movq (%r1{a},%rdx),%r{r}", "load r{r}, {x}"),
        ("movq ${v},(%r1{a})", "store {x}, {v}"),
        ("movq ${v},(%r1{a})", "store {x}, {v}"),
    ],
    branch: ("cmpq $1,%r{d}; jne L{l}; L{l}:", "bne r{d}, 1, L{l}; L{l}:"),
    branch_fence: None,
};

const X86: Machine = Machine {
    kind: "X86",
    address: "R1{a}",
    register: "R{r}",
    loads: &[("MOV R{r}D,[x{a}]", "load r{r}, {x}")],
    stores: &[
        ("MOV [x{a}],${v}", "store {x}, {v}"),
        ("MOV EAX,${v}; XCHG [x{a}],EAX", "lock_xchg r7, {x}, {v}"),
        ("LOCK ADD [x{a}],${v}", "lock_xchg.add r7, {x}, {v}"),
        ("LOCK ADD DWORD PTR [x{a}],${v}", "lock_xchg.add r7, {x}, {v}"),
    ],
    fences: &[("MFENCE", "mfence")],
    after: [
        ("MOV R{r}D,[x{a}]", "load r{r}, {x}"),
        ("MOV [x{a}],${v}", "store {x}, {v}"),
        ("MOV [x{a}],${v}", "store {x}, {v}"),
    ],
    branch: ("CMP R{d}D,1; JNE L{l}; L{l}:", "bne r{d}, 1, L{l}; L{l}:"),
    ..X86_64
};

/// An access of a shape: does it write, which location, and the value that is written or asked of
/// what is read.
type ShapeAccess = (bool, usize, i64);
const R: bool = false;
const W: bool = true;

/// A shape: its name, its threads, and the final values that are asked.
type Shape = (&'static str, &'static [&'static [ShapeAccess]], &'static [(usize, i64)]);

const SHAPES: &[Shape] = &[
    ("MP", &[&[(W, 0, 1), (W, 1, 1)], &[(R, 1, 1), (R, 0, 0)]], &[]),
    ("SB", &[&[(W, 0, 1), (R, 1, 0)], &[(W, 1, 1), (R, 0, 0)]], &[]),
    ("LB", &[&[(R, 0, 1), (W, 1, 1)], &[(R, 1, 1), (W, 0, 1)]], &[]),
    ("S", &[&[(W, 0, 2), (W, 1, 1)], &[(R, 1, 1), (W, 0, 1)]], &[(0, 2)]),
    ("R", &[&[(W, 0, 1), (W, 1, 1)], &[(W, 1, 2), (R, 0, 0)]], &[(1, 2)]),
    ("2+2W", &[&[(W, 0, 1), (W, 1, 2)], &[(W, 1, 1), (W, 0, 2)]], &[(0, 1), (1, 1)]),
    ("CoRR", &[&[(W, 0, 1)], &[(R, 0, 1), (R, 0, 0)]], &[]),
    ("CoWR", &[&[(W, 0, 1), (R, 0, 2)], &[(W, 0, 2)]], &[(0, 1)]),
    ("WRC", &[&[(W, 0, 1)], &[(R, 0, 1), (W, 1, 1)], &[(R, 1, 1), (R, 0, 0)]], &[]),
    ("ISA2", &[&[(W, 0, 1), (W, 1, 1)], &[(R, 1, 1), (W, 2, 1)], &[(R, 2, 1), (R, 0, 0)]], &[]),
    ("IRIW", &[&[(W, 0, 1)], &[(R, 0, 1), (R, 1, 0)], &[(W, 1, 1)], &[(R, 1, 1), (R, 0, 0)]], &[]),
];

/// What is between two accesses, and how they are written.
#[derive(Clone, Copy)]
enum ShapeEdge {
    Written(usize, usize),
    Fence(usize),
    Address,
    Data,
    Branch,
    BranchFence,
}

/// The edges that a thread with these accesses can have.
fn edges(machine: &Machine, thread: &[ShapeAccess]) -> Vec<ShapeEdge> {
    let ways = |write: bool| if write { machine.stores.len() } else { machine.loads.len() };
    let [(first, ..), (second, ..)] = thread else {
        return (0..ways(thread[0].0)).map(|n| ShapeEdge::Written(n, 0)).collect();
    };
    let mut found: Vec<ShapeEdge> = (0..ways(*first))
        .flat_map(|a| (0..ways(*second)).map(move |b| ShapeEdge::Written(a, b)))
        .collect();
    found.extend((0..machine.fences.len()).map(ShapeEdge::Fence));
    if !first {
        found.extend([ShapeEdge::Address, ShapeEdge::Branch]);
        found.extend(second.then_some(ShapeEdge::Data));
        found.extend(machine.branch_fence.map(|_| ShapeEdge::BranchFence));
    }
    found
}

/// The instructions of a thread in assembly (0) and in the table form (1).
fn column(
    machine: &Machine,
    thread: &[ShapeAccess],
    edge: ShapeEdge,
    form: usize,
    label: &mut usize,
) -> Vec<String> {
    let pick = |both: &Both| if form == 0 { both.0 } else { both.1 };
    let mut text = String::new();
    for (i, (write, location, value)) in thread.iter().enumerate() {
        let (register, before) = (8 - thread.len() + i, 8 - thread.len());
        let register = if machine.model == "x86" { 8 + i } else { register };
        let before = if machine.model == "x86" { 8 } else { before };
        let way = match edge {
            ShapeEdge::Written(first, second) => {
                if i == 0 {
                    first
                } else {
                    second
                }
            }
            _ => 0,
        };
        let plain = if *write { &machine.stores[way] } else { &machine.loads[way] };
        let (between, access) = match edge {
            _ if i == 0 => (None, plain),
            ShapeEdge::Fence(fence) => (Some(vec![&machine.fences[fence]]), plain),
            ShapeEdge::Address => (None, &machine.after[usize::from(*write)]),
            ShapeEdge::Data => (None, &machine.after[2]),
            ShapeEdge::Branch => (Some(vec![&machine.branch]), plain),
            ShapeEdge::BranchFence => (
                Some(vec![&machine.branch, machine.branch_fence.as_ref().expect("it has one")]),
                plain,
            ),
            ShapeEdge::Written(..) => (None, plain),
        };
        *label += 1;
        for part in between.iter().flatten().copied().chain([access]) {
            let part = pick(part)
                .replace("{r}", &register.to_string())
                .replace("{d}", &before.to_string())
                .replace("{a}", &location.to_string())
                .replace("{x}", &format!("x{location}"))
                .replace("{v}", &value.to_string())
                .replace("{l}", &label.to_string());
            text += &part;
            text += ";";
        }
    }
    let mut cells: Vec<String> = text
        .split(';')
        .map(|cell| cell.trim().to_owned())
        .filter(|cell| !cell.is_empty())
        .collect();
    if text.contains("END") {
        // Only rounds that succeed are asked about.
        let success = if machine.model == "aarch64" { "MOV W12,#1" } else { "li r13,1" };
        let success = match machine.model {
            "riscv" => "li x13,1",
            "armv7" => "MOV R12,#1",
            _ => success,
        };
        let success = if form == 0 { success } else { "mov r13, 1" };
        cells.extend([success.to_owned(), "END:".to_owned()]);
    }
    cells
}

/// A test in one of the forms.
fn text(machine: &Machine, shape: usize, chosen: &[ShapeEdge], form: usize) -> String {
    let (name, threads, finals) = SHAPES[shape];
    let mut label = 0;
    let columns: Vec<Vec<String>> = threads
        .iter()
        .zip(chosen)
        .map(|(thread, &edge)| column(machine, thread, edge, form, &mut label))
        .collect();
    let mut state: Vec<String> = (0..3).map(|l| format!("x{l}=0")).collect();
    let mut asked: Vec<String> =
        finals.iter().map(|(location, value)| format!("x{location}={value}")).collect();
    for (t, thread) in threads.iter().enumerate() {
        if form == 0 {
            state.extend(
                (0..3).map(|l| {
                    format!("{t}:{}=x{l}", machine.address.replace("{a}", &l.to_string()))
                }),
            );
        }
        for (i, (write, _, value)) in thread.iter().enumerate().filter(|(_, access)| !access.0) {
            assert!(!write);
            let register = if machine.model == "x86" { 8 + i } else { 8 - thread.len() + i };
            let register = if form == 0 {
                machine.register.replace("{r}", &register.to_string())
            } else {
                format!("r{register}")
            };
            asked.push(format!("{t}:{register}={value}"));
        }
        let success = match machine.model {
            "aarch64" => "X12",
            "riscv" => "x13",
            "armv7" => "R12",
            _ => "r13",
        };
        let success = if form == 0 { success } else { "r13" };
        if columns[t].iter().any(|cell| cell == "END:") {
            asked.push(format!("{t}:{success}=1"));
        }
    }
    let rows = columns.iter().map(Vec::len).max().unwrap_or_default();
    let line = |cell: &dyn Fn(usize) -> String| {
        (0..threads.len()).map(cell).collect::<Vec<_>>().join(" | ") + " ;\n"
    };
    let mut out = format!(
        "{} {name}\n{{ {}; }}\n",
        if form == 0 { machine.kind } else { machine.model },
        state.join("; ")
    );
    out += &line(&|t| format!("P{t}"));
    for row in 0..rows {
        out += &line(&|t| columns[t].get(row).cloned().unwrap_or_default());
    }
    out + &format!("exists ({})\n", asked.join(" /\\ "))
}

/// All shapes with all edges where there are two threads, and each edge with its neighbours where
/// there are more.
fn agrees(machine: &Machine) {
    let model = model(machine.model);
    let mut counts = [0, 0];
    for (shape, (_, threads, _)) in SHAPES.iter().enumerate() {
        let of_thread: Vec<Vec<ShapeEdge>> =
            threads.iter().map(|thread| edges(machine, thread)).collect();
        let all: usize = of_thread.iter().map(Vec::len).product();
        // A stride that shares no factor with the number takes choices from everywhere.
        let step = if all > 400 { (all / 400) | 1 } else { 1 };
        for number in (0..all).step_by(step) {
            let mut rest = number;
            let chosen: Vec<ShapeEdge> = of_thread
                .iter()
                .map(|edges| {
                    let edge = edges[rest % edges.len()];
                    rest /= edges.len();
                    edge
                })
                .collect();
            let [assembly, table] = [0, 1].map(|form| text(machine, shape, &chosen, form));
            let found = reachable(&assembly, &model);
            assert_eq!(found, reachable(&table, &model), "\n{assembly}\n{table}");
            // What is printed is the table form of the whole test.
            if number % 7 == 0 {
                let printed = read::test(&SourceFile::new("t", assembly.as_str()))
                    .expect("it was read")
                    .test
                    .to_string();
                assert_eq!(found, reachable(&printed, &model), "\n{assembly}\n{printed}");
            }
            counts[usize::from(found)] += 1;
        }
    }
    // TSO allows little.
    assert!(
        counts[0] > 100 && counts[1] > 10,
        "{}: {counts:?} forbidden and allowed",
        machine.kind
    );
}

#[test]
fn aarch64_is_its_table_form() {
    agrees(&AARCH64);
}

#[test]
fn riscv_is_its_table_form() {
    agrees(&RISCV);
}

#[test]
fn power_is_its_table_form() {
    agrees(&POWER);
}

#[test]
fn armv7_is_its_table_form() {
    agrees(&ARM);
}

#[test]
fn x86_is_its_table_form() {
    agrees(&X86_64);
    agrees(&X86);
}
