//! CUDA C++ as people write kernels, compiled to PTX without a toolkit.
//!
//! [`compile`] reads a file and gives the text of a module of PTX, with the lines of the source.
//! Nothing is optimised: each access to memory is the one that the program writes, `volatile` is
//! `.volatile`, and the library's atomics are what libcu++ 3.5 makes of them. What the library
//! defines (`library.cu`) is read as CUDA in front of the program. What is not understood is a
//! [`CudaError`] with its place.

mod lex;
mod lower;
mod macros;
mod preprocess;
mod read;
mod tree;
mod types;

use crate::lex::{CudaRefusal, CudaSpan};
pub use crate::preprocess::FileReader;
use crate::preprocess::{CudaFile, Preprocessor};
use crate::read::ProgramReader;

/// The parts of CUDA's library that a program may use, in CUDA. Those whose names it does not have
/// take long to read.
fn library(text: &str) -> String {
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    let includes = |line: &str| {
        line.trim_start().starts_with('#') && line.contains("include") && line.contains('"')
    };
    // Another file of the program may name what is in it.
    let is_whole = text.lines().any(includes);
    let mut found = include_str!("library.cu").to_owned();
    for (part, signs) in [
        (include_str!("vocabulary.cu"), &["std::", "namespace std", "cuda::", "<=>"][..]),
        (include_str!("half.cu"), &["half", "bfloat", "fp16", "bf16"]),
        (
            include_str!("mathematics.cu"),
            &[
                "acos",
                "asin",
                "atan",
                "cbrt",
                "copysign",
                "erf",
                "exp10",
                "expm1",
                "fdim",
                "fdividef",
                "hadd",
                "hypot",
                "isunordered",
                "ldexp",
                "log1p",
                "lrint",
                "lround",
                "modf",
                "nearbyint",
                "norm3d",
                "normcdf",
                "sinpi",
                "cospi",
                "powif",
                "remainder",
                "rint",
                "rsqrt_rn",
                "sad",
                "scalbn",
                "sincos",
                "sinh",
                "cosh",
                "_rd",
                "_ru",
                "_rz",
                "uint_rn",
                "64hi",
                "shift_lc",
                "shift_rc",
                "__log",
                "__tan",
                "__vadd",
                "__vsub",
                "__vm",
                "__vabs",
                "__vcmp",
                "curand",
            ],
        ),
        (
            include_str!("asynchronous.cu"),
            &["cuda::", "namespace cuda", "cooperative_groups", "__pipeline", "__is", "cg::"],
        ),
        (include_str!("random.cu"), &["curand"]),
        (include_str!("instructions.cu"), &["ptx::", "::ptx", "namespace ptx"]),
    ] {
        if is_whole || has(signs) {
            found.push_str(part);
        }
    }
    found
}

/// A program to compile.
pub struct CudaSource<'a> {
    /// The name of its file, relative to where the files are that it includes.
    pub name: &'a str,
    pub text: &'a str,
    /// The text of a file that is included in quotation marks, by its path.
    pub include: &'a FileReader<'a>,
    /// The target, as `sm_90`.
    pub target: &'a str,
    /// The kernels that must be understood; all where none is named. Others that are not understood
    /// have no code.
    pub kernels: &'a [String],
}

/// What is not understood of a program, or wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaError {
    pub message: String,
    /// What to do.
    pub help: String,
    pub file: String,
    /// The text of that file.
    pub text: Box<str>,
    /// The bytes of the text where it is.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// Other places that it is about.
    pub beside: Box<[CudaPlace]>,
}

/// A place that an error is about, beside the one where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaPlace {
    pub what: &'static str,
    pub file: String,
    /// The text of that file.
    pub text: Box<str>,
    /// The bytes of the text.
    pub start: usize,
    /// Where they end.
    pub end: usize,
}

/// A program that is compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CudaModule {
    pub ptx: String,
    /// The kernels that are not understood, which have no code there, with the reasons.
    pub refused: Vec<(String, CudaError)>,
}

/// Compiles the kernels of a program to PTX.
///
/// # Errors
/// The first thing that is not understood, with its place in the program, of the kernels that must
/// be.
pub fn compile(program: &CudaSource<'_>) -> Result<String, CudaError> {
    let CudaModule { ptx, refused } = compile_understood(program)?;
    let is_asked =
        |name: &str| program.kernels.is_empty() || program.kernels.iter().any(|n| n == name);
    match refused.into_iter().find(|(name, _)| is_asked(name)) {
        Some((_, error)) => Err(error),
        None => Ok(ptx),
    }
}

/// Compiles those kernels of a program to PTX that are understood.
///
/// # Errors
/// What is wrong with the program as a whole, with its place: it cannot be taken apart into
/// declarations.
pub fn compile_understood(program: &CudaSource<'_>) -> Result<CudaModule, CudaError> {
    let digits: String = program.target.chars().filter(char::is_ascii_digit).collect();
    let architecture = digits.parse().unwrap_or(90);
    let mut preprocessor = Preprocessor::new(architecture, program.include);
    let done = preprocessor
        .file("", &library(program.text), 0)
        .and_then(|()| preprocessor.file(program.name, program.text, 0));
    let Preprocessor { files, tokens, headers, written, .. } = preprocessor;
    let error = |refusal| error(&files, &written, refusal);
    done.map_err(error)?;
    let reader = ProgramReader::new(files.clone(), headers, tokens).map_err(error)?;
    let (ptx, refused) = lower::compiled(reader, program.target);
    let refused =
        refused.into_iter().map(|(name, refusal)| (name.to_string(), error(refusal))).collect();
    Ok(CudaModule { ptx, refused })
}

fn error(files: &[CudaFile], written: &[CudaSpan], refusal: CudaRefusal) -> CudaError {
    let CudaRefusal { message, at, help, beside } = refusal;
    let place = |at: CudaSpan, what: &'static str| {
        let file = files.get(at.file as usize);
        CudaPlace {
            what,
            file: file.map_or_else(String::new, |f| f.name.clone()),
            text: file.map_or_else(Box::default, |f| Box::from(&*f.text)),
            start: at.start as usize,
            end: at.end as usize,
        }
    };
    // What a macro put there is written elsewhere; the library's macros nobody has to know.
    let of_macro = |at: CudaSpan| {
        at.written
            .checked_sub(1)
            .and_then(|n| written.get(n as usize))
            .filter(|w| w.file > 0)
            .copied()
    };
    let mut all: Vec<CudaPlace> =
        of_macro(at).map(|at| place(at, "the macro puts this there")).into_iter().collect();
    if let Some((at, what)) = beside {
        all.push(place(of_macro(at).unwrap_or(at), what));
    }
    let CudaPlace { file, text, start, end, .. } = place(at, "");
    CudaError { message, help, file, text, start, end, beside: all.into() }
}
