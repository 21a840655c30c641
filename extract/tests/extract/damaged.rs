//! Assembly that is damaged: lines twice, gone, exchanged or cut, bytes changed, lines without end,
//! thousands of labels and branches. Each function gets an answer that says what happened, in
//! little time.

use std::time::{Duration, Instant};

use margay_extract::assembly::{AssemblyReader, module, rows};
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::{Point, What};
use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_models::execution::Order;
use margay_models::signature::Architecture;

use super::assembly::LAYOUT;

/// Far more than any of these takes, on a machine that does other things, too.
const LONGEST: Duration = Duration::from_secs(300);

fn point(what: What) -> Point {
    Point { what, order: Order::Sc, scope: None, data: TYPES.iter().position(|t| *t == "b8") }
}

fn add() -> What {
    What::Rmw(OPERATIONS.iter().position(|o| *o == "add").expect("an operation"))
}

/// A function of each architecture that has loops, as gcc or clang print it.
const FUNCTIONS: [(&str, &str); 5] = [
    (
        "aarch64",
        "\tsxtb w3, w3\n.L13:\n\tldaxrb w2, [x0]\n\tadd w4, w2, w3\n\tstlxrb w5, w4, [x0]\n\tcbnz w5, .L13\n\tstrb w2, [x1]\n\tret\n",
    ),
    (
        "armv7",
        "\tpush {r4, lr}\n\tdmb ish\n.L2:\n\tldrexb ip, [r0]\n\tadd lr, ip, r3\n\tstrexb r4, lr, [r0]\n\tcmp r4, #0\n\tbne .L2\n\tdmb ish\n\tstrb ip, [r1]\n\tpop {r4, pc}\n",
    ),
    (
        "riscv",
        "\tandi a6,a0,3\n\tandi a5,a0,-4\n\tslliw a4,a6,3\n\tli a6,255\n\tsllw a6,a6,a4\n\tsllw a3,a3,a4\n\tnot a7,a6\n1:\n\tlr.w.aqrl a0,0(a5)\n\tadd a2,a0,a3\n\tand a2,a2,a6\n\tand t1,a0,a7\n\tor a2,a2,t1\n\tsc.w.rl a2,a2,0(a5)\n\tbnez a2,1b\n\tsraw a0,a0,a4\n\tsb a0,0(a1)\n\tret\n",
    ),
    (
        "power",
        "\tsync\n.L2:\n\tlbarx 9,0,3\n\tadd 10,9,6\n\tstbcx. 10,0,3\n\tbne- 0,.L2\n\tisync\n\tstb 9,0(4)\n\tblr\n",
    ),
    ("x86", "\tmovl %ecx, %eax\n\tlock xaddb %al, (%rdi)\n\tmovb %al, (%rsi)\n\tret\n"),
];

/// What the function does, as a text.
fn answer(reader: &mut AssemblyReader, body: &str) -> String {
    let Ok(read) = module(
        &format!("\t.type f, @function\nf:\n{body}\n\t.size f, .-f\n"),
        reader.architecture(),
    ) else {
        return "no function".to_owned();
    };
    let of = |row: LoweringAnswer| match row {
        LoweringAnswer::Lowered(all) => {
            all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or ")
        }
        LoweringAnswer::Other(why) | LoweringAnswer::Absent(why) | LoweringAnswer::Unknown(why) => {
            format!("other: {why}")
        }
    };
    let mut out = Vec::new();
    for what in [add(), What::Load, What::Swap(Order::Sc)] {
        let start = Instant::now();
        let all = rows(reader, &point(what), LAYOUT, &read.functions[0].text, None).rows;
        let took = start.elapsed();
        assert!(
            took < LONGEST,
            "{took:?} for {} bytes, which begin so:\n{}",
            body.len(),
            body.chars().take(300).collect::<String>()
        );
        out.extend(all.into_iter().map(|row| of(row.answer)));
    }
    out.join("; ")
}

fn reader(name: &str) -> AssemblyReader {
    AssemblyReader::of(Architecture::built_in(name).expect("it is shipped"))
        .expect("the text says its assembly")
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn damaged(body: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = body.lines().map(str::to_owned).collect();
    for _ in 0..1 + chance.below(3) {
        let at = chance.below(lines.len());
        let other = chance.below(lines.len());
        match chance.below(8) {
            0 => lines.insert(at, lines[other].clone()),
            1 if lines.len() > 1 => drop(lines.remove(at)),
            2 => lines.swap(at, other),
            3 => {
                let end = chance.below(lines[at].len() + 1);
                lines[at].truncate(end);
            }
            4 => {
                let mut bytes = lines[at].clone().into_bytes();
                if !bytes.is_empty() {
                    let i = chance.below(bytes.len());
                    bytes[i] = b" \t#$%()*+,-./0129:;@[]_axz\"!{}"[chance.below(30)];
                }
                lines[at] = String::from_utf8(bytes).expect("they are letters");
            }
            5 => lines[at] = lines[at].repeat(1 + chance.below(40)),
            6 => {
                lines[at] = lines[at].replace(|c: char| c.is_ascii_digit(), "18446744073709551615")
            }
            _ => lines[at] = format!("{}{}", lines[at], lines[other]),
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_functions_get_an_answer_in_little_time() {
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let mut named = 0;
    for (name, body) in FUNCTIONS {
        let mut reader = reader(name);
        let right = answer(&mut reader, body);
        assert!(!right.starts_with("other"), "{name}: {right}");
        for _ in 0..80 {
            let body = damaged(body, &mut chance);
            named += usize::from(answer(&mut reader, &body).contains("other: "));
        }
    }
    assert!(named > 250, "{named} of 400 say what is wrong");
}

#[test]
fn large_nonsense_gets_an_answer_in_little_time() {
    for (name, body) in FUNCTIONS {
        let first = body.lines().next().expect("a line");
        let many = |n: usize, line: &dyn Fn(usize) -> String| {
            (0..n).map(line).collect::<Vec<_>>().join("\n")
        };
        let branch = match name {
            "aarch64" => "\tcbz x9, .L",
            "armv7" => "\tcmp r9, #0\n\tbeq .L",
            "riscv" => "\tbeqz t5, .L",
            "power" => "\tcmpwi 0,27,0\n\tbeq 0,.L",
            _ => "\ttestq %r9, %r9\n\tje .L",
        };
        let large = [
            // Damaged lines that are all different, and the same.
            many(20_000, &|i| format!("{first}{i} q{i}, [[{i}")),
            many(20_000, &|_| format!("{first} ???")),
            // Labels and jumps to them; branches on what is not known.
            many(20_000, &|i| format!(".L{i}:\n\tb .L{}", 19_999 - i)),
            format!("{}\n{body}", many(2_000, &|i| format!("{branch}{i}\n{first}\n.L{i}:"))),
            format!("{}\n{body}", many(20_000, &|_| "1:\n\tb 1b\n\tb 1f".to_owned())),
            many(20_000, &|_| "\tb .+4".to_owned()),
            // Lines without end.
            format!("{first}{}", ", x0".repeat(20_000)),
            format!("{first}{}1{}", "(".repeat(50_000), ")".repeat(50_000)),
            format!("{first}{}", " ".repeat(200_000)),
            format!("{first} {}#{}", " #1".repeat(100_000), " ".repeat(1000)),
            "a:".repeat(50_000),
            ";".repeat(200_000),
            format!("\t{}", "x".repeat(200_000)),
            format!("\t\"{}", "\\\"".repeat(100_000)),
            format!("{first}{}", "9".repeat(100_000)),
            "\tlock\n".repeat(20_000),
            // The whole function again and again.
            body.replace("\tret\n", "").replace("\tblr\n", "").repeat(500),
        ];
        let mut reader = reader(name);
        for text in large {
            let start = Instant::now();
            answer(&mut reader, &text);
            let took = start.elapsed();
            println!(
                "{name}: {took:?} for {} bytes, which begin so:\n{}",
                text.len(),
                text.chars().take(40).collect::<String>()
            );
            assert!(
                took < LONGEST,
                "{name}: {took:?} for {} bytes, which begin so:\n{}",
                text.len(),
                text.chars().take(100).collect::<String>()
            );
        }
    }
}

/// What a function hands on to others, or does by text that no compiler made, is named; nothing is
/// guessed.
#[test]
fn helpers_macros_and_other_syntax_are_named() {
    let said = |name: &str, body: &str| answer(&mut reader(name), body);
    for (name, body, expected) in [
        (
            "aarch64",
            "\tstp x29, x30, [sp, -16]!\n\tmov w0, w3\n\tbl __aarch64_ldadd1_acq_rel\n\tret",
            "bl __aarch64_ldadd1_acq_rel",
        ),
        ("aarch64", "\tb __aarch64_cas4_acq\n", "__aarch64_cas4_acq"),
        ("aarch64", "\tmy_atomic_add w2, w3\n\tret", "my_atomic_add"),
        ("aarch64", "#APP\n// 7 \"f.c\" 1\n\tsevl\n// 0 \"\" 2\n#NO_APP\n\tret", "sevl"),
        ("x86", "\tcall __atomic_fetch_add_1@PLT\n\tret", "__atomic_fetch_add_1"),
        ("x86", "\tjmp __atomic_fetch_add_1@PLT\n", "__atomic_fetch_add_1"),
        ("riscv", "\tcall __atomic_fetch_add_1\n\tret", "__atomic_fetch_add_1"),
        ("riscv", "\ttail __atomic_fetch_add_1\n", "__atomic_fetch_add_1"),
        ("power", "\tbl __atomic_fetch_add_1\n\tnop\n\tblr", "__atomic_fetch_add_1"),
        ("armv7", "\tbl __sync_fetch_and_add_1\n\tbx lr", "__sync_fetch_and_add_1"),
        ("armv7", "\tbl __atomic_load_4(PLT)\n\tbx lr", "__atomic_load_4"),
    ] {
        let answer = said(name, body);
        assert!(
            answer.starts_with("other: ") && answer.contains(expected),
            "{name} {body}: {answer}"
        );
    }
}
