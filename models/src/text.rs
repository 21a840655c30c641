//! What the texts of models, mappings, architectures and litmus tests have alike: blanks, comments
//! (`//`, `#`, `(* *)`) and quoted strings; and what of any text may be shown.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, SourceFile, Span};

/// How many bytes the blank or comment at a place has; 0 where there is none. Editors may begin a
/// file with a byte order mark.
///
/// # Errors
/// As of [`nested_comment`].
pub fn blank(file: &Arc<SourceFile>, at: usize) -> Result<usize, Diagnostic> {
    if file.text[at..].starts_with("(*") {
        nested_comment(file, at)
    } else {
        Ok(simple_blank(&file.text, at))
    }
}

/// Likewise, but for `(* *)`.
fn simple_blank(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    match rest.chars().next() {
        Some(c) if c.is_whitespace() || c == '\u{feff}' && at == 0 => c.len_utf8(),
        Some(c) if c == '#' || rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
        _ => 0,
    }
}

/// How many bytes the comment has that `(*` begins at a place. Such comments nest.
///
/// # Errors
/// A `(*` without its own `*)`.
pub fn nested_comment(file: &Arc<SourceFile>, start: usize) -> Result<usize, Diagnostic> {
    let never = || {
        let error = Diagnostic::error("this comment is never closed");
        error
            .at(file, Span::new(start, start + 2), "opened here")
            .help("comments nest: each `(*` needs its own `*)`")
    };
    length_of_nested_comment(&file.text[start..]).ok_or_else(never)
}

fn length_of_nested_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    while at < bytes.len() {
        match &bytes[at..(at + 2).min(bytes.len())] {
            b"(*" => {
                depth += 1;
                at += 2;
            }
            b"*)" => {
                depth = depth.saturating_sub(1);
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => at += 1,
        }
    }
    None
}

/// The string that is opened by the quotation mark at a place, without its quotation marks.
///
/// # Errors
/// It is not closed on its line.
pub fn quoted(file: &Arc<SourceFile>, at: usize) -> Result<&str, Diagnostic> {
    let rest = &file.text[at + 1..];
    let never = || {
        let error = Diagnostic::error("this string is never closed");
        error
            .at(file, Span::new(at, at + 1), "opened here")
            .help("close it with `\"` on the same line")
    };
    rest.find(['"', '\n'])
        .filter(|&end| rest.as_bytes()[end] == b'"')
        .map(|end| &rest[..end])
        .ok_or_else(never)
}

/// What a file is that Margay reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A memory model (.cat).
    Model,
    /// A compilation mapping (.map).
    Mapping,
    /// The text of an architecture (.arch).
    Architecture,
    /// A litmus test (.litmus).
    Litmus,
    /// What a command printed as JSON.
    Document,
    /// GPU kernels, in PTX or in CUDA.
    Kernel,
}

/// What a file looks like, by its first words or else by its name: for whoever gave it where
/// another kind is read.
#[must_use]
pub fn kind(file: &SourceFile) -> Option<FileKind> {
    /// Kinds of litmus tests, in all their spellings.
    const TESTS: [&str; 18] = [
        "PTX", "ptx", "GPU_PTX", "GENERIC", "Generic", "C", "C11", "OPENCL", "OpenCL", "CUDA",
        "AArch64", "X86", "X86_64", "PPC", "POWER", "RISCV", "VULKAN", "LISA",
    ];
    /// Words of CUDA's that its programs have.
    const CUDA: [&str; 3] = ["__global__", "__device__", "threadIdx"];
    let mut begin = 0;
    loop {
        let rest = &file.text[begin..];
        let comment = || length_of_nested_comment(rest).unwrap_or(rest.len());
        match if rest.starts_with("(*") { comment() } else { simple_blank(&file.text, begin) } {
            0 => break,
            length => begin += length,
        }
    }
    let rest = &file.text[begin..];
    let mut words = rest.split_whitespace();
    let first = words.next().unwrap_or_default();
    // A title in quotation marks is a model's; in herd's models a name without them stands there.
    let defines = ["let ", "include ", "acyclic ", "irreflexive ", "empty "]
        .iter()
        .any(|word| rest.contains(&format!("\n{word}")));
    let by_name = || match std::path::Path::new(&file.name).extension()?.to_str()? {
        "cat" => Some(FileKind::Model),
        "map" => Some(FileKind::Mapping),
        "arch" => Some(FileKind::Architecture),
        "litmus" => Some(FileKind::Litmus),
        "json" => Some(FileKind::Document),
        "ptx" | "cu" => Some(FileKind::Kernel),
        _ => None,
    };
    match first {
        "mapping" => Some(FileKind::Mapping),
        "architecture" if words.next().is_some_and(|title| title.starts_with('"')) => {
            Some(FileKind::Architecture)
        }
        ".version" => Some(FileKind::Kernel),
        _ if first.starts_with('{') && rest.contains("\"margay\"") => Some(FileKind::Document),
        // A model may stand in one line, and have braces in it.
        _ if TESTS.contains(&first)
            && rest.contains('{')
            && !defines
            && !words.any(|w| w == "acyclic" || w == "irreflexive") =>
        {
            Some(FileKind::Litmus)
        }
        _ if CUDA.iter().any(|word| rest.contains(word)) => Some(FileKind::Kernel),
        // Three of them open a text of Python.
        _ if first.starts_with('"') && !first.starts_with("\"\"\"")
            || ["let", "include"].contains(&first)
            || defines =>
        {
            Some(FileKind::Model)
        }
        _ => by_name(),
    }
}

/// The error where a file of another kind was given, if it looks like one: what it is, and which
/// command reads it.
#[must_use]
pub fn another(file: &Arc<SourceFile>, expected: FileKind) -> Option<Diagnostic> {
    let name = &file.name;
    let found = kind(file).filter(|&found| found != expected)?;
    let (what, help) = match found {
        FileKind::Model => (
            "a memory model",
            format!("`margay run TEST --model {name}` runs a test under it, `margay diff {name} OTHER` compares it"),
        ),
        FileKind::Mapping => ("a mapping", format!("`margay check {name}` looks for a counterexample")),
        FileKind::Architecture => (
            "the text of an architecture",
            "it is not named itself: a model, mapping or test beside it names it by its first word, the name of this file without `.arch`".to_owned(),
        ),
        FileKind::Litmus => ("a litmus test", format!("`margay run {name} --model MODEL` says whether its outcome is allowed")),
        FileKind::Document => ("an answer in JSON", format!("`margay report {name}` makes a page of it")),
        FileKind::Kernel if expected == FileKind::Litmus => (
            "a GPU kernel",
            format!(
                "`margay kernel {name}` asks about its kernels; a litmus test begins with a word such as `PTX` or `CUDA`, its name, and initial \
                 values in braces"
            ),
        ),
        FileKind::Kernel => ("a GPU kernel", format!("`margay kernel {name}` asks about its kernels")),
    };
    let wanted = match expected {
        FileKind::Model => "model",
        FileKind::Mapping => "mapping",
        FileKind::Architecture => "architecture",
        FileKind::Litmus => "litmus test",
        FileKind::Document => "answer in JSON",
        FileKind::Kernel => "GPU kernel",
    };
    let start =
        file.text.len() - file.text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len();
    let line = file.text[start..].lines().next().unwrap_or_default();
    let error = Diagnostic::error(format!("this is {what}, and no {wanted}"));
    Some(error.at(file, Span::new(start, start + line.len()), "it begins here").help(help))
}

/// Would a terminal obey it? Control characters, and those that are invisible and change how others
/// are shown; not line breaks and tabs.
pub fn is_obeyed(c: char) -> bool {
    let breaks = matches!(c, '\n' | '\t');
    let directs = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    (c.is_control() && !breaks) || directs
}

/// A text of somebody else's in one line of a file that people read: what a terminal would obey is
/// a replacement character, line breaks are blanks.
#[must_use]
pub fn in_line(text: &str) -> String {
    let seen = |c: char| match c {
        '\n' | '\t' => ' ',
        c if is_obeyed(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(seen).collect()
}
