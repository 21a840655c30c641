//! Reading tests: Dartagnan's tabular PTX, the 2015 paper's form, and scoped C in herd's and CUDA's
//! spelling.
//!
//! Every reader is a recursive descent over one kind of tokens; depth is limited, so that no input
//! overflows the stack.

mod barrier;
mod c;
mod condition;
mod cursor;
mod gpu_ptx;
mod head;
mod instruction;
mod meeting;
mod qualifier;
mod refused;
mod resolve;
mod table;
mod token;

use std::path::Path;
use std::sync::Arc;

use margay_models::diagnostic::{Diagnostic, Severity, SourceFile, Span};
use margay_models::limited;
use margay_models::text::{FileKind, another};

use crate::print::{CLanguage, language};
use crate::test::{Body, Dialect, Sequencing, Test, Thread};
use cursor::Cursor;
pub use instruction::assembly::CompiledAssembly;
use instruction::spoken::{Reading, Spoken};

/// The longest text that is read.
const MAX_BYTES: u64 = 1 << 20;

/// A test that was read.
#[derive(Debug, Clone)]
pub struct Read {
    pub test: Test,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
    /// The text, which places refer to.
    pub file: Arc<SourceFile>,
}

/// Reads the test in a file.
pub fn load(path: &Path) -> Result<Read, Vec<Diagnostic>> {
    let name = limited::name(path);
    let bytes = limited::given(path, MAX_BYTES)
        .map_err(|e| vec![Diagnostic::error(format!("cannot read {name}: {e}"))])?;
    let text = String::from_utf8(bytes).map_err(|e| {
        // What precedes the byte says where it is; the byte itself stands there as a replacement
        // character.
        let place = e.utf8_error().valid_up_to();
        let file =
            SourceFile::new(name.clone(), String::from_utf8_lossy(e.as_bytes()).into_owned());
        let other = if limited::is_utf16(e.as_bytes()) { ": it is one in UTF-16" } else { "" };
        let error = Diagnostic::error(format!("{name} is not a text in UTF-8{other}")).at(
            &file,
            Span::new(place, place + '\u{fffd}'.len_utf8()),
            "this byte",
        );
        vec![error.help("save the file as UTF-8; if it is no litmus test, name another file")]
    })?;
    test(&SourceFile::new(name, text))
}

/// Reads a test; the first word says which syntax it is in.
pub fn test(file: &Arc<SourceFile>) -> Result<Read, Vec<Diagnostic>> {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    let read = read(file, &mut warnings, &mut errors).map_err(|e| errors.push(e));
    warnings.extend(errors.extract_if(.., |d| d.severity == Severity::Warning));
    match read {
        Ok(test) if errors.is_empty() => Ok(Read { test, warnings, file: file.clone() }),
        // What is of another kind is wrong from its first line on: that line says it best.
        _ => Err(another(file, FileKind::Litmus).map_or(errors, |error| vec![error])),
    }
}

/// What the reader of a dialect has read, before names are checked.
struct Draft {
    threads: Vec<Thread>,
    tail: condition::Tail,
}

fn read(
    file: &Arc<SourceFile>,
    warnings: &mut Vec<Diagnostic>,
    errors: &mut Vec<Diagnostic>,
) -> Result<Test, Diagnostic> {
    if file.text.len() as u64 > MAX_BYTES {
        return Err(Diagnostic::error(format!("{} is longer than {MAX_BYTES} bytes", file.name)));
    }
    if let Some(place) = file.text.find('\0') {
        return Err(Diagnostic::error("not a litmus test but binary data").at(
            file,
            Span::new(place, place + 1),
            "a zero byte",
        ));
    }
    // Names and descriptions are shown on terminals, which control characters would drive.
    if let Some((place, c)) = file
        .text
        .char_indices()
        .find(|(_, c)| c.is_control() && !c.is_ascii_whitespace() && *c != '\u{b}')
    {
        let message = format!("a control character, U+{:04X}", u32::from(c));
        return Err(Diagnostic::error(message).at(
            file,
            Span::new(place, place + c.len_utf8()),
            "take it out",
        ));
    }
    let title = head::title(file)?;
    let tokens = token::tokens(file, title.end, title.dialect == Dialect::C)?;
    let mut cursor = Cursor::new(file, &tokens);
    cursor.declares_spaces = title.dialect == Dialect::Ptx;
    cursor.spoken = title.assembly.map(|assembly| Spoken::new(assembly, &cursor));
    let description = head::description(&mut cursor, warnings)?;
    if let Some(error) = cursor.spoken.as_ref().and_then(|spoken| spoken.refused(&cursor)) {
        return Err(error);
    }
    let mut state = head::initial_state(&mut cursor)?;
    let mut fences = Vec::new();
    let draft = match title.dialect {
        Dialect::Ptx | Dialect::Generic | Dialect::Text(_) => {
            let orders = match title.dialect {
                Dialect::Text(architecture) if architecture.has_barriers() => {
                    table::system_orders(&mut cursor)?
                }
                _ => Vec::new(),
            };
            let mut threads = table::threads(&mut cursor, title.dialect)?;
            for (after, order) in orders {
                let Some(Body::Instructions(column)) =
                    threads.get_mut(after.index()).map(|thread| &mut thread.body)
                else {
                    return Err(cursor.error(
                        format!("the test has no thread {after}"),
                        order.place.0,
                        "ordered here",
                    ));
                };
                column.push(order);
            }
            if cursor.spoken.is_some() {
                state.give_registers(&cursor, threads.len());
                state.add_addresses();
            }
            let mut names = instruction::Names::new(title.dialect, &state);
            names.assembly =
                cursor.spoken.clone().map(|spoken| Reading::new(spoken, &state.registers));
            let mut threads = table::rows(&mut cursor, threads, &mut names, errors)?;
            if title.dialect == Dialect::Ptx {
                gpu_ptx::scope_tree(&mut cursor, &mut threads)?;
            }
            errors.extend(names.registers_as_locations().map(|(name, span)| {
                let error = Diagnostic::error(format!("`{name}` is a register, and holds no address here yet"));
                let error = error.at(file, *span, "a register that the program writes, and no location");
                error.help(format!("set it in the initial state, e.g. `P0:{name}=x`, or declare the location: `{name}=0;`"))
            }));
            errors.extend(
                names.assembly.as_ref().and_then(|reading| reading.too_wide(&tokens, file)),
            );
            state.add_undeclared(names.undeclared, file, warnings, errors);
            Draft { threads, tail: condition::tail(&mut cursor, warnings)? }
        }
        Dialect::GpuPtx => {
            state.add_addresses();
            let mut names = instruction::Names::new(title.dialect, &state);
            names.add_locations(gpu_ptx::mapped_names(&cursor));
            let threads = table::threads(&mut cursor, title.dialect)?;
            let mut threads = table::rows(&mut cursor, threads, &mut names, errors)?;
            gpu_ptx::scope_tree(&mut cursor, &mut threads)?;
            let mapped = gpu_ptx::memory_map(&mut cursor)?;
            state.add_mapped(mapped, names.undeclared, file, warnings, errors);
            Draft { threads, tail: condition::tail(&mut cursor, warnings)? }
        }
        Dialect::C => {
            let mut threads = c::threads(&mut cursor, &mut state, &mut fences, errors)?;
            gpu_ptx::scope_tree(&mut cursor, &mut threads)?;
            warnings.extend(c::of_atomics(&threads, file));
            Draft { threads, tail: condition::tail(&mut cursor, warnings)? }
        }
    };
    let condition::Tail { observed, filter, condition } = draft.tail;
    let mut test = Test {
        dialect: title.dialect,
        sequencing: Sequencing::C11,
        name: title.name,
        description,
        locations: state.locations,
        registers: state.registers,
        threads: draft.threads,
        observed,
        filter,
        condition,
    };
    if test.dialect == Dialect::C
        && language(&file.text) != CLanguage::C
        && Sequencing::matters(&test)
    {
        test.sequencing = Sequencing::Cpp17;
    }
    if !errors.iter().any(|e| e.severity == Severity::Error) {
        c::check_spaces(&test, &fences, file, errors);
        resolve::check(&test, file, &cursor.variables, warnings, errors);
    }
    Ok(test)
}
