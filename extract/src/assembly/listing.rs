//! A file of assembly as compilers print it for the GNU assembler: functions, labels, instructions. Comments are passed over, and directives but for
//! those that are code themselves or say what is assembled where.

use std::collections::BTreeMap;

use crate::ptx::{PtxFunction, PtxModule};

/// What begins a comment wherever it stands. `#` does where no operand can begin with it, and `@` but for names such as `@function`.
fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let begin = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    let mut quoted = false;
    for (i, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(i + 1).copied().unwrap_or(b' ');
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'/' if next == b'/' => return &line[..i],
            b'@' if next.is_ascii_whitespace() => return &line[..i],
            // `mov w0, #1`, and `# comment`, `#APP`, `#NO_APP`.
            b'#' if i == begin || !(next.is_ascii_digit() || matches!(next, b'-' | b':')) => return &line[..i],
            _ => {}
        }
    }
    line
}

/// A statement: a label or an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListingStatement {
    Label(String),
    Instruction(String),
}

/// A label at the beginning of a text, and what stands behind it.
fn label(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')))?;
    (end > 0 && text[end..].starts_with(':')).then(|| (&text[..end], &text[end + 1..]))
}

/// Directives that make bytes, or that decide whether, how often and where what is behind them is assembled: whoever runs into one of them does
/// something that is not read here. Sections and data behind the last instruction of a function are not run into.
const OF_CODE: [&str; 40] = [
    "inst",
    "inst.n",
    "inst.w",
    "insn",
    "word",
    "long",
    "int",
    "byte",
    "short",
    "hword",
    "half",
    "2byte",
    "4byte",
    "8byte",
    "quad",
    "xword",
    "dword",
    "octa",
    "float",
    "double",
    "ascii",
    "asciz",
    "string",
    "zero",
    "space",
    "skip",
    "fill",
    "org",
    "incbin",
    "include",
    "rept",
    "irp",
    "irpc",
    "endr",
    "macro",
    "endm",
    "section",
    "pushsection",
    "popsection",
    "subsection",
];

/// Is it such a directive, or a condition of the assembler?
fn is_of_code(directive: &str) -> bool {
    let name = directive.trim_start_matches('.').split_whitespace().next().unwrap_or_default();
    OF_CODE.contains(&name) || name.starts_with("if") || name.starts_with("else") || name == "endif"
}

/// The statements of a text, in order; other directives are left out.
fn statements(text: &str) -> Vec<ListingStatement> {
    let mut out = Vec::new();
    for line in text.lines() {
        for part in without_comment(line).split(';') {
            let mut part = part.trim();
            while let Some((name, rest)) = label(part) {
                out.push(ListingStatement::Label(name.to_owned()));
                part = rest.trim();
            }
            if !part.is_empty() && (!part.starts_with('.') || is_of_code(part)) {
                let text = part.split_whitespace().collect::<Vec<_>>().join(" ");
                match out.last_mut() {
                    // `lock; addl`: a prefix with a statement of its own.
                    Some(ListingStatement::Instruction(before)) if before == "lock" => *before = format!("lock {text}"),
                    _ => out.push(ListingStatement::Instruction(text)),
                }
            }
        }
    }
    out
}

/// Labels of one meaning each: numbers can be labels several times (`1:`, `bne 1b`), and `$+4` is the next instruction but its own.
pub(super) fn code(text: &str) -> Vec<ListingStatement> {
    let mut out = Vec::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let is_number = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    let mut next = Vec::new();
    for statement in statements(text) {
        match statement {
            ListingStatement::Label(name) if is_number(&name) => {
                let count = times.entry(name.clone()).or_insert(0);
                *count += 1;
                out.push(ListingStatement::Label(format!(".n{name}_{count}")));
            }
            ListingStatement::Label(name) => out.push(ListingStatement::Label(name)),
            ListingStatement::Instruction(text) => {
                let (head, last) = text.rsplit_once([' ', ',']).map_or(("", text.as_str()), |(h, l)| (&text[..h.len() + 1], l));
                let (number, way) = last.split_at(last.len().saturating_sub(1));
                let count = times.get(number).copied().unwrap_or(0);
                let text = match way {
                    "b" if is_number(number) && count > 0 => format!("{head}.n{number}_{count}"),
                    "f" if is_number(number) && !head.is_empty() => format!("{head}.n{number}_{}", count + 1),
                    _ if matches!(last, "$+4" | ".+4") => {
                        next.push(out.len() + 1);
                        format!("{head}.next{}", next.len())
                    }
                    _ => text,
                };
                out.push(ListingStatement::Instruction(text));
            }
        }
    }
    if next.is_empty() {
        return out;
    }
    let mut with = Vec::with_capacity(out.len() + next.len());
    let mut next = next.into_iter().enumerate().peekable();
    for (at, statement) in out.into_iter().map(Some).chain([None]).enumerate() {
        while let Some((i, _)) = next.next_if(|&(_, behind)| behind == at) {
            with.push(ListingStatement::Label(format!(".next{}", i + 1)));
        }
        with.extend(statement);
    }
    with
}

/// Is it the name of a function, as far as the label tells?
fn is_function(name: &str) -> bool {
    !name.starts_with(['.', '$']) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// The code of a function with local labels numbered anew, so that it is the same text wherever in a file it stands.
fn renumbered(name: &str, lines: &[ListingStatement]) -> String {
    let labels = lines.iter().filter_map(|line| match line {
        ListingStatement::Label(label) => Some(label.as_str()),
        ListingStatement::Instruction(_) => None,
    });
    let labels: Vec<&str> = labels.collect();
    // Of two of one name the first is meant.
    let names: BTreeMap<&str, usize> = labels.iter().enumerate().rev().map(|(i, label)| (*label, i)).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    let new = |word: &str| names.get(word).filter(|_| word.starts_with('.')).map(|i| format!(".L{}", i + 1));
    let mut out = format!("{name}:\n");
    for line in lines {
        match line {
            ListingStatement::Label(label) => out.push_str(&format!("{}:\n", new(label).unwrap_or_else(|| label.clone()))),
            ListingStatement::Instruction(text) => {
                out.push_str("  ");
                let mut rest = text.as_str();
                while let Some(start) = rest.find(is_word) {
                    let length = rest[start..].find(|c| !is_word(c)).unwrap_or(rest.len() - start);
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

/// The functions of a file of assembly: their names and their code, one statement a line.
///
/// # Errors
/// The file has no function.
pub fn module(text: &str) -> Result<PtxModule, String> {
    let mut functions: Vec<PtxFunction> = Vec::new();
    let mut open: Option<(String, Vec<ListingStatement>)> = None;
    let mut close = |open: &mut Option<(String, Vec<ListingStatement>)>| {
        if let Some((name, mut lines)) = open.take() {
            // Data behind the code, as literals and tables are.
            let is_code = |line: &ListingStatement| matches!(line, ListingStatement::Instruction(text) if !text.starts_with('.'));
            let behind = lines.iter().rposition(is_code).map_or(0, |last| last + 1);
            let mut at = 0..;
            lines.retain(|line| at.next().is_some_and(|n| n < behind) || matches!(line, ListingStatement::Label(_)));
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
        let directive = line.trim();
        if directive.starts_with(".size") || directive.starts_with(".cfi_endproc") || directive.starts_with(".end ") {
            close(&mut open);
            continue;
        }
        for statement in statements(line) {
            match (statement, &mut open) {
                (ListingStatement::Label(name), _) if is_function(&name) => {
                    close(&mut open);
                    open = Some((name, Vec::new()));
                }
                (statement, Some((_, lines))) => match (lines.last_mut(), statement) {
                    (Some(ListingStatement::Instruction(before)), ListingStatement::Instruction(text)) if before == "lock" => {
                        *before = format!("lock {text}");
                    }
                    (_, statement) => lines.push(statement),
                },
                (_, None) => {}
            }
        }
    }
    close(&mut open);
    functions.retain(|f| f.text.lines().count() > 1);
    match functions.is_empty() {
        true => Err("no function is in it".to_owned()),
        false => Ok(PtxModule { version: String::new(), target: String::new(), functions }),
    }
}

#[cfg(test)]
mod tests {
    use super::{ListingStatement, code, module};

    #[test]
    fn labels_comments_and_directives() {
        let text = "\t.text\n\t.globl f\nf:\n.LFB0:\n\tmov w0, #1 // one\n.L7:\tb.ne .L7 # again\n#APP\n\tlock; addl $1, (%rdi)\n\t@ no\n1:\tlr.w a5,0(a0)\n\tbne a5,a1,1f\n\tbnez a5,1b\n1:\n\tbne- 0,$+4\n\tisync\n\t.size f, .-f\ng:\n\tret\n";
        let read = module(text).expect("functions");
        assert_eq!(read.functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["f", "g"]);
        let lines: Vec<String> = code(&read.functions[0].text)
            .into_iter()
            .map(|s| match s {
                ListingStatement::Label(name) => format!("{name}:"),
                ListingStatement::Instruction(text) => text,
            })
            .collect();
        let expected = [
            "f:",
            ".L1:",
            "mov w0, #1",
            ".L2:",
            "b.ne .L2",
            "lock addl $1, (%rdi)",
            ".n1_1:",
            "lr.w a5,0(a0)",
            "bne a5,a1,.n1_2",
            "bnez a5,.n1_1",
            ".n1_2:",
            "bne- 0,.next1",
            ".next1:",
            "isync",
        ];
        assert_eq!(lines, expected);
        assert!(module("\t.text\n# nothing\n").is_err());
    }

    #[test]
    fn directives_that_make_or_move_code_are_kept_before_code() {
        for kept in [
            ".inst 0xf900001f",
            ".word 1",
            ".if 0",
            ".endif",
            ".rept 0",
            ".macro m",
            ".section .text.other",
            ".4byte 1",
            ".insn r 0x33, 0, 0, a0, a1, a2",
        ] {
            let text = format!("f:\n\tldr x0, [x0]\n\t{kept}\n\tret\n.LC0:\n\t.long 7\n\t.section .rodata\n\t.size f, .-f\n");
            let read = module(&text).expect("a function");
            assert_eq!(read.functions[0].text, format!("f:\n  ldr x0, [x0]\n  {kept}\n  ret\n.L1:\n"), "{kept}");
        }
        for dropped in [
            ".cfi_startproc",
            ".p2align 4,,15",
            ".loc 1 2 3",
            ".file 1 \"a.c\"",
            ".type f, @function",
            ".set x, 1",
            ".option push",
        ] {
            let text = format!("f:\n\tldr x0, [x0]\n\t{dropped}\n\tret\n\t.size f, .-f\n");
            assert_eq!(module(&text).expect("a function").functions[0].text, "f:\n  ldr x0, [x0]\n  ret\n", "{dropped}");
        }
    }
}
