//! A file of assembly as compilers print it for the GNU assembler: functions, labels, instructions.
//! Comments are passed over, and so are directives of which it is known that they make no code and
//! change none.

use std::collections::BTreeMap;
use std::fmt;

use margay_litmus::read::CompiledAssembly;
use margay_models::signature::Architecture;

use crate::ptx::{PtxFunction, PtxModule};

/// Directives that make no code, and say nothing of how text is read or where it goes. So do all
/// that begin with `cfi_`.
const OF_NO_CODE: [&str; 36] = [
    "abiversion",
    "addrsig",
    "addrsig_sym",
    "align",
    "arch",
    "attribute",
    "balign",
    "cantunwind",
    "cpu",
    "eabi_attribute",
    "file",
    "fnend",
    "fnstart",
    "fpu",
    "global",
    "globl",
    "handlerdata",
    "hidden",
    "ident",
    "internal",
    "loc",
    "local",
    "localentry",
    "machine",
    "machinemode",
    "option",
    "p2align",
    "pad",
    "personality",
    "protected",
    "register",
    "save",
    "setfp",
    "size",
    "type",
    "weak",
];

/// Directives that make bytes, or say where what is behind them lies: whoever runs into one of them
/// does something that is not read here. Sections and data behind the last instruction of a
/// function are not run into.
const OF_BYTES: [&str; 39] = [
    "2byte",
    "4byte",
    "8byte",
    "align",
    "ascii",
    "asciz",
    "balign",
    "bss",
    "byte",
    "comm",
    "data",
    "double",
    "dword",
    "fill",
    "float",
    "half",
    "hword",
    "inst",
    "int",
    "long",
    "octa",
    "p2align",
    "popsection",
    "previous",
    "pushsection",
    "quad",
    "section",
    "short",
    "skip",
    "sleb128",
    "space",
    "string",
    "subsection",
    "text",
    "uleb128",
    "value",
    "word",
    "xword",
    "zero",
];

/// Directives that say how all that is behind them is read, as compilers print them between
/// functions.
const OF_READING: [&str; 9] = [
    ".arm",
    ".att_syntax",
    ".att_syntax prefix",
    ".code 16",
    ".code 32",
    INTEL,
    ".syntax unified",
    ".thumb",
    ".thumb_func",
];

/// From here on registers have no `%`, and what is written comes first.
const INTEL: &str = ".intel_syntax noprefix";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListingStatement {
    Label(String),
    Instruction(String),
    /// What may change the meaning of other statements: a macro, a condition, a symbol with a
    /// value, what is not known.
    Unread(String),
}

/// What stands in front of a statement that is not read, in the text of a function.
const UNREAD: &str = "! ";

/// The statements of a line as they are written, without comments; an error if it begins what it
/// does not end, or has a character as a number.
fn parts(line: &str, comments: &[&str]) -> Result<Vec<String>, String> {
    let unread = || Err(line.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut out = vec![String::new()];
    let mut rest = line;
    let (mut is_begin, mut is_quoted) = (true, false);
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        let part = out.last_mut().expect("there is one");
        match c {
            '\\' if is_quoted => {
                length += rest[1..].chars().next().map_or(0, char::len_utf8);
                part.push_str(&rest[..length]);
            }
            '"' => {
                is_quoted = !is_quoted;
                part.push(c);
            }
            _ if is_quoted => part.push(c),
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) => {
                    length = end + 4;
                    part.push(' ');
                }
                None => return unread(),
            },
            // `#APP` and the like begin a line wherever the machine's comments begin with something
            // else.
            '#' if is_begin => break,
            _ if comments.iter().any(|comment| rest.starts_with(comment)) => break,
            '\'' => return unread(),
            ';' => out.push(String::new()),
            _ => part.push(c),
        }
        is_begin &= c.is_whitespace();
        rest = &rest[length..];
    }
    if is_quoted { unread() } else { Ok(out) }
}

/// A label at the beginning of a text, and what stands behind it.
fn label(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !is_of_name(c))?;
    (end > 0 && text[end..].starts_with(':')).then(|| (&text[..end], &text[end + 1..]))
}

/// May it stand in the name of a label?
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')
}

/// What a statement is that is no label; none if it makes no code and changes none.
fn statement(text: String) -> Option<ListingStatement> {
    let (name, behind) = text.split_at(text.find(|c: char| !is_of_name(c)).unwrap_or(text.len()));
    // `.LFB0 = .`, as gcc writes the marks of its debug information for MIPS and LoongArch. What
    // jumps there jumps to a label that is not known.
    if (name.starts_with(".L") || name.starts_with("$L")) && behind.replace(' ', "") == "=." {
        return None;
    }
    // A symbol that gets a value, and a label as compilers do not write it.
    if behind.trim_start().starts_with(['=', ':']) {
        return Some(ListingStatement::Unread(text));
    }
    let Some(name) = name.strip_prefix('.').map(str::to_ascii_lowercase) else {
        return Some(ListingStatement::Instruction(text));
    };
    // `.p2align 4, 0xcc`: what fills the gap is code.
    let is_filled = name.ends_with("align")
        && behind.split(',').nth(1).is_some_and(|fill| !fill.trim().is_empty());
    if !is_filled && (name.starts_with("cfi_") || OF_NO_CODE.contains(&name.as_str())) {
        None
    } else if OF_BYTES.contains(&name.as_str()) {
        Some(ListingStatement::Instruction(text))
    } else {
        Some(ListingStatement::Unread(text))
    }
}

/// The statements of a line, in order.
fn statements(line: &str, comments: &[&str]) -> Vec<ListingStatement> {
    let parts = match parts(line, comments) {
        Ok(parts) => parts,
        Err(line) => return vec![ListingStatement::Unread(line)],
    };
    let mut out = Vec::new();
    for part in &parts {
        let mut part = part.trim();
        while let Some((name, rest)) = label(part) {
            out.push(ListingStatement::Label(name.to_owned()));
            part = rest.trim();
        }
        if !part.is_empty() {
            out.extend(statement(part.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }
    out
}

/// The code of a function, as `module` writes it, with labels of one meaning each: numbers can be
/// labels several times (`1:`, `bne 1b`).
pub(super) fn code(text: &str) -> Vec<ListingStatement> {
    let mut out = Vec::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    for line in text.lines() {
        if let Some(text) = line.strip_prefix(UNREAD) {
            out.push(ListingStatement::Unread(text.to_owned()));
        } else if let Some(text) = line.strip_prefix("  ") {
            let (head, last) =
                text.rsplit_once([' ', ',']).map_or(("", text), |(h, l)| (&text[..h.len() + 1], l));
            let (number, way) =
                last.split_at(last.len() - last.chars().next_back().map_or(0, char::len_utf8));
            let count = times.get(number).copied().unwrap_or(0);
            out.push(ListingStatement::Instruction(match way {
                "b" if is_number(number) && count > 0 => format!("{head}.n{number}_{count}"),
                "f" if is_number(number) && !head.is_empty() => {
                    format!("{head}.n{number}_{}", count + 1)
                }
                _ => text.to_owned(),
            }));
        } else if let Some(name) = line.strip_suffix(':') {
            out.push(ListingStatement::Label(match is_number(name) {
                true => {
                    let count = times.entry(name.to_owned()).or_insert(0);
                    *count += 1;
                    format!(".n{name}_{count}")
                }
                false => name.to_owned(),
            }));
        }
    }
    out
}

/// Is it the name of a function, as far as the label tells?
fn is_function(name: &str) -> bool {
    !name.starts_with(['.', '$']) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The code of a function with local labels numbered anew, so that it is the same text wherever in
/// a file it stands.
fn renumbered(name: &str, lines: &[ListingStatement]) -> String {
    let labels = lines.iter().filter_map(|line| match line {
        ListingStatement::Label(label) => Some(label.as_str()),
        ListingStatement::Instruction(_) | ListingStatement::Unread(_) => None,
    });
    let labels: Vec<&str> = labels.collect();
    // Of two of one name the first is meant.
    let names: BTreeMap<&str, usize> =
        labels.iter().enumerate().rev().map(|(i, label)| (*label, i)).collect();
    let new = |word: &str| {
        names.get(word).filter(|_| word.starts_with('.')).map(|i| format!(".L{}", i + 1))
    };
    let mut out = format!("{name}:\n");
    for line in lines {
        match line {
            ListingStatement::Label(label) => {
                out.push_str(&format!("{}:\n", new(label).unwrap_or_else(|| label.clone())))
            }
            ListingStatement::Unread(text) => out.push_str(&format!("{UNREAD}{text}\n")),
            ListingStatement::Instruction(text) => {
                out.push_str("  ");
                let mut rest = text.as_str();
                while let Some(start) = rest.find(is_of_name) {
                    let length =
                        rest[start..].find(|c| !is_of_name(c)).unwrap_or(rest.len() - start);
                    let word = &rest[start..start + length];
                    out.push_str(&rest[..start]);
                    out.push_str(&new(word).unwrap_or_else(|| word.to_owned()));
                    rest = &rest[start + length..];
                }
                out.push_str(rest);
                out.push('\n');
            }
        }
    }
    out
}

/// A file of assembly in which no function begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoFunctions;

impl fmt::Display for NoFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no function is in it")
    }
}

/// The functions of a file of assembly: their names and their code, one statement a line.
///
/// # Errors
/// The file has no function.
pub fn module(text: &str, architecture: Architecture) -> Result<PtxModule, NoFunctions> {
    let comments = architecture.assembly().map_or(&[][..], |assembly| &assembly.comments);
    let read = CompiledAssembly::of(architecture);
    let mut functions: Vec<PtxFunction> = Vec::new();
    let mut open: Option<(String, Vec<ListingStatement>)> = None;
    // What changes the meaning of all that is behind it.
    let mut unread: Option<ListingStatement> = None;
    let mut is_intel = false;
    let mut close = |open: &mut Option<(String, Vec<ListingStatement>)>| {
        if let Some((name, mut lines)) = open.take() {
            // Data behind the code, as literals and tables are.
            let is_code = |line: &ListingStatement| matches!(line, ListingStatement::Instruction(text) if !text.starts_with('.'));
            let behind = lines.iter().rposition(is_code).map_or(0, |last| last + 1);
            let mut at = 0..;
            lines.retain(|line| {
                at.next().is_some_and(|n| n < behind) || matches!(line, ListingStatement::Label(_))
            });
            // A jump may lead behind what is not read, or in front of it.
            let is_unread = |line: &ListingStatement| matches!(line, ListingStatement::Unread(_));
            let first = lines.iter().position(is_unread).map(|at| lines.remove(at));
            lines.retain(|line| !is_unread(line));
            lines.splice(0..0, first);
            let text = renumbered(&name, &lines);
            functions.push(PtxFunction {
                name,
                kernel: false,
                parameters: Vec::new(),
                results: Vec::new(),
                locals: Vec::new(),
                body: Vec::new(),
                labels: BTreeMap::new(),
                text,
            });
        }
    };
    for line in text.lines() {
        let directive = line.trim().to_ascii_lowercase();
        // Nothing is assembled behind `.end`; with a name it ends a function.
        if directive == ".end" {
            break;
        }
        if directive.starts_with(".size")
            || directive.starts_with(".cfi_endproc")
            || directive.starts_with(".end ")
        {
            close(&mut open);
            continue;
        }
        for mut statement in statements(line, comments) {
            match &statement {
                ListingStatement::Label(name) if is_function(name) => {
                    close(&mut open);
                    open = Some((name.clone(), unread.clone().into_iter().collect()));
                    continue;
                }
                ListingStatement::Unread(text) => {
                    let text = text.to_ascii_lowercase();
                    match OF_READING.contains(&text.as_str()) {
                        true => {
                            is_intel = text == INTEL || is_intel && !text.starts_with(".att_syntax")
                        }
                        false => drop(unread.get_or_insert_with(|| statement.clone())),
                    }
                }
                ListingStatement::Instruction(text)
                    if is_intel && text.contains('%') && !text.starts_with('.') =>
                {
                    statement = ListingStatement::Unread(format!("{INTEL}; {text}"));
                }
                // A gap that is filled with what the architecture's text reads as nothing.
                ListingStatement::Instruction(text)
                    if text.starts_with('.')
                        && read.is_some_and(|read| {
                            read.instruction(text).is_ok_and(|all| all.is_empty())
                        }) =>
                {
                    continue;
                }
                _ => {}
            }
            let Some((_, lines)) = &mut open else { continue };
            match (lines.last_mut(), statement) {
                // `lock; addl`: a prefix with a statement of its own.
                (
                    Some(ListingStatement::Instruction(before)),
                    ListingStatement::Instruction(text),
                ) if before == "lock" => {
                    *before = format!("lock {text}");
                }
                (_, statement) => lines.push(statement),
            }
        }
    }
    close(&mut open);
    functions.retain(|f| f.text.lines().count() > 1);
    match functions.is_empty() {
        true => Err(NoFunctions),
        false => Ok(PtxModule { version: String::new(), target: String::new(), functions }),
    }
}

#[cfg(test)]
mod tests {
    use margay_models::signature::Architecture;

    use super::{ListingStatement, code, module};

    fn of(name: &str) -> Architecture {
        Architecture::built_in(name).expect("it is shipped")
    }

    #[test]
    fn labels_comments_and_directives() {
        let text = "\t.text\n\t.globl f\nf:\n.LFB0:\n\tmov x5, 1 # one\n.L7:\tbne .L7 # again\n#APP\n\tlock; addl $1, (%rdi)\n\t# no\n1:\tlr.w a5,0(a0)\n\tbne a5,a1,1f\n\tbnez /* a */ a5,1b\n1:\n\t.p2align 4,,15\n\tret\n\t.size f, .-f\ng:\n\tret\n";
        let read = module(text, of("riscv")).expect("functions");
        assert_eq!(read.functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
        let lines: Vec<String> = code(&read.functions[0].text)
            .into_iter()
            .map(|s| match s {
                ListingStatement::Label(name) => format!("{name}:"),
                ListingStatement::Instruction(text) => text,
                ListingStatement::Unread(text) => format!("! {text}"),
            })
            .collect();
        let expected = [
            "f:",
            ".L1:",
            "mov x5, 1",
            ".L2:",
            "bne .L2",
            "lock addl $1, (%rdi)",
            ".n1_1:",
            "lr.w a5,0(a0)",
            "bne a5,a1,.n1_2",
            "bnez a5,.n1_1",
            ".n1_2:",
            "ret",
        ];
        assert_eq!(lines, expected);
        assert!(module("\t.text\n# nothing\n", of("riscv")).is_err());
    }

    /// Where comments begin is said by the text of the architecture: `dmb # 10` of Armv7 is
    /// `dmb ishst`.
    #[test]
    fn comments_are_those_of_the_machine() {
        for (name, line, read) in [
            ("aarch64", "mov w0, #1 // one", "mov w0, #1"),
            ("aarch64", "# one", ""),
            ("aarch64", "mov w0, # 1", "mov w0, # 1"),
            ("armv7", "dmb ish @ one", "dmb ish"),
            ("armv7", "dmb # 10", "dmb # 10"),
            ("x86", "mfence # one", "mfence"),
            ("x86", "call f@PLT", "call f@PLT"),
            ("riscv", "fence#one", "fence"),
            ("power", "sync # one", "sync"),
            ("power", "/* one */ sync", "sync"),
        ] {
            let text = module(&format!("f:\n\t{line}\n\tnop\n"), of(name))
                .expect("a function")
                .functions[0]
                .text
                .clone();
            let expected = if read.is_empty() { String::new() } else { format!("  {read}\n") };
            assert_eq!(text, format!("f:\n{expected}  nop\n"), "{name}: {line}");
        }
    }

    #[test]
    fn directives_that_make_or_move_code_are_kept_before_code() {
        for kept in [
            ".inst 0xf900001f",
            ".word 1",
            ".value 0xc3",
            ".uleb128 0x43",
            ".section .text.other",
            ".TEXT 1",
            ".data",
            ".previous",
        ] {
            let text = format!(
                "f:\n\tldr x0, [x0]\n\t{kept}\n\tret\n.LC0:\n\t.long 7\n\t.section .rodata\n\t.size f, .-f\n"
            );
            let read = module(&text, of("aarch64")).expect("a function");
            assert_eq!(
                read.functions[0].text,
                format!("f:\n  ldr x0, [x0]\n  {kept}\n  ret\n.L1:\n"),
                "{kept}"
            );
        }
        for dropped in [
            ".cfi_startproc",
            ".p2align 4,,15",
            ".align 2",
            ".loc 1 2 3",
            ".file 1 \"a;.c\"",
            ".type f, @function",
            ".option push",
        ] {
            let text = format!("f:\n\tldr x0, [x0]\n\t{dropped}\n\tret\n\t.size f, .-f\n");
            let read = module(&text, of("aarch64")).expect("a function");
            assert_eq!(read.functions[0].text, "f:\n  ldr x0, [x0]\n  ret\n", "{dropped}");
        }
        // What fills a gap is code, unless the text of the architecture says that it does nothing.
        for (name, fill, kept) in [
            ("x86", ".p2align 4, 0x90", ""),
            ("x86", ".p2align 4, 0xc3", "  .p2align 4, 0xc3\n"),
            ("aarch64", ".p2align 4, 0x90", "  .p2align 4, 0x90\n"),
        ] {
            let read =
                module(&format!("f:\n\tnop\n\t{fill}\n\tret\n"), of(name)).expect("a function");
            assert_eq!(
                read.functions[0].text,
                format!("f:\n  nop\n{kept}  ret\n"),
                "{name} {fill}"
            );
        }
    }

    /// What may change other statements is in front of all of them: in its function if code
    /// follows, and in each function behind.
    #[test]
    fn what_changes_other_statements_is_said_first() {
        for unread in [
            ".IF 0",
            ".macro mfence",
            ".rept 2",
            ".set x, 1",
            ".set ldr, str",
            "x = 1",
            ". = . + 4",
            ".L1 :",
            ".org 8",
            ".include \"a.s\"",
            ".incbin \"a\"",
            ".altmacro",
            ".dc.b 0xc3",
            ".nops 4",
            "mov w0, 1 /* and on",
            ".string \"a",
            ".byte '\"",
        ] {
            let function = |name: &str, inner: &str, behind: &str| {
                format!("{name}:\n\tldr x0, [x0]\n{inner}\tret\n{behind}\t.size {name}, .-{name}\n")
            };
            let line = format!("\t{unread}\n");
            let texts = |text: &str| -> Vec<String> {
                module(text, of("aarch64"))
                    .expect("functions")
                    .functions
                    .into_iter()
                    .map(|f| f.text)
                    .collect()
            };
            let [read, not_read] = [String::new(), format!("! {unread}\n")].map(|before| {
                move |name: &str| format!("{name}:\n{before}  ldr x0, [x0]\n  ret\n")
            });
            let plain = |name: &str| function(name, "", "");
            assert_eq!(
                texts(&(function("f", &line, "") + &plain("g"))),
                [not_read("f"), not_read("g")],
                "{unread}"
            );
            assert_eq!(
                texts(&(plain("f") + &line + &plain("g"))),
                [read("f"), not_read("g")],
                "{unread}"
            );
            assert_eq!(
                texts(&(function("f", "", &line) + &plain("g"))),
                [read("f"), not_read("g")],
                "{unread}"
            );
        }
        // How text is read: between functions it is known, in a function it is not.
        for reading in
            [".thumb", ".code 32", ".syntax unified", ".att_syntax", ".intel_syntax noprefix"]
        {
            let text = format!(
                "\t{reading}\nf:\n\tnop\n\tret\n\t.size f, .-f\ng:\n\tnop\n\t{reading}\n\tret\n\t.size g, .-g\n{reading}\nh:\n\tret\n"
            );
            let read: Vec<String> = module(&text, of("x86"))
                .expect("functions")
                .functions
                .into_iter()
                .map(|f| f.text)
                .collect();
            let expected = [
                "f:\n  nop\n  ret\n".to_owned(),
                format!("g:\n! {reading}\n  nop\n  ret\n"),
                "h:\n  ret\n".to_owned(),
            ];
            assert_eq!(read, expected, "{reading}");
        }
        for (reading, line) in [
            (".intel_syntax noprefix", "! .intel_syntax noprefix; mov %eax, %ecx\n  nop"),
            (".intel_syntax noprefix\n.att_syntax", "  mov %eax, %ecx\n  nop"),
            (".intel_syntax", "! .intel_syntax\n  mov %eax, %ecx\n  nop"),
            (".att_syntax noprefix", "! .att_syntax noprefix\n  mov %eax, %ecx\n  nop"),
            (".code64", "! .code64\n  mov %eax, %ecx\n  nop"),
        ] {
            let read = module(&format!("{reading}\nf:\n\tmov %eax, %ecx\n\tnop\n"), of("x86"))
                .expect("a function");
            assert_eq!(read.functions[0].text, format!("f:\n{line}\n"), "{reading}");
        }
        // Nothing behind the end is assembled.
        assert_eq!(
            module("f:\n\tnop\n.end\ng:\n\tnop\n", of("x86")).expect("a function").functions.len(),
            1
        );
    }
}
