//! A scoped C++ test as a CUDA C++ program that nvcc compiles: libcu++ atomics, one kernel, one
//! launch.

use std::fmt;

use margay_models::execution::{Placement, Scope};

use super::c::{AtomicSpelling, lines};
use super::{condition, initial};
use crate::test::{
    Body, CInteger, Dialect, InitialValue, Statement, StatementKind, Test, ThreadId,
};

/// Why a test has no CUDA program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoProgram {
    /// It is no C test.
    Dialect,
    /// libcu++ has no thread scope for clusters.
    Cluster,
    /// A location starts with an address.
    Address,
    /// It has types other than `int`.
    Type,
}

impl fmt::Display for NoProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dialect => "only C tests have a CUDA C++ program",
            Self::Cluster => "libcu++ has no thread scope for clusters",
            Self::Address => "a location that starts with an address has no CUDA C++ program here",
            Self::Type => "CUDA C++ programs here have locations and variables of type `int`",
        })
    }
}

impl std::error::Error for NoProgram {}

/// Words between locations: they are in cache lines of their own.
const STRIDE: usize = 64;
/// Threads of a test are in warps of their own.
const WARP: usize = 32;

/// The program.
///
/// # Errors
/// What CUDA C++ cannot say.
pub fn program(test: &Test) -> Result<String, NoProgram> {
    if test.dialect != Dialect::C {
        return Err(NoProgram::Dialect);
    }
    if test.uses_clusters() {
        return Err(NoProgram::Cluster);
    }
    let is_int = |t: &crate::test::Thread| {
        let declared = assigned(&t.body).into_iter().filter_map(|(_, ty)| ty);
        t.parameters.iter().map(|p| p.ty.integer).chain(declared).all(|ty| ty == CInteger::Int)
    };
    if !test.threads.iter().all(is_int) {
        return Err(NoProgram::Type);
    }
    let asked = condition::proposition(&test.condition.proposition, test.dialect);
    let mut out = format!("// {}", test.name);
    if let Some(description) = &test.description {
        out.push_str(&format!(": {description}"));
    }
    out.push_str(&format!("\n// {} ({asked})\n", test.condition.quantifier.keyword()));
    let places: Vec<Placement> =
        test.threads.iter().map(|t| t.placement.unwrap_or_default()).collect();
    if places.iter().any(|p| p.gpu != places[0].gpu) {
        out.push_str("// The threads are on different GPUs in the test; here they are different blocks of one.\n");
    }
    out.push_str("#include <cstdio>\n#include <cuda/atomic>\n");

    let names: Vec<Vec<String>> = test.threads.iter().map(|t| variables(&t.body)).collect();
    let mut first_result = Vec::new();
    let mut results = 0;
    for (t, thread) in test.threads.iter().enumerate() {
        first_result.push(results);
        results += names[t].len();
        let Body::Statements(statements) = &thread.body else { return Err(NoProgram::Dialect) };
        let parameters: Vec<String> = thread
            .parameters
            .iter()
            .map(|p| format!("int* {}", p.name))
            .chain(["int* result".to_owned()])
            .collect();
        out.push_str(&format!(
            "\n__device__ void {}({}) {{\n",
            ThreadId(t as u16),
            parameters.join(", ")
        ));
        if !names[t].is_empty() {
            let zeros: Vec<String> = names[t].iter().map(|n| format!("{n} = 0")).collect();
            out.push_str(&format!("  int {};\n", zeros.join(", ")));
        }
        // A thread that returns early still reports what it read.
        let (open, close) = if returns(statements) { ("  [&] {\n", "  }();\n") } else { ("", "") };
        out.push_str(open);
        for line in lines(statements, AtomicSpelling::Cuda).iter().filter(|l| l.text.trim() != ";")
        {
            out.push_str(&format!("  {}\n", line.text));
        }
        out.push_str(close);
        for (i, name) in names[t].iter().enumerate() {
            out.push_str(&format!("  result[{i}] = {name};\n"));
        }
        out.push_str("}\n");
    }

    let (blocks, position) = positions(&places);
    out.push_str("\n__global__ void test(int* memory, int* result) {\n");
    for (l, location) in test.locations.iter().enumerate() {
        out.push_str(&format!("  int* {} = memory + {};\n", location.name, l * STRIDE));
    }
    for (t, thread) in test.threads.iter().enumerate() {
        let (block, lane) = position[t];
        let arguments: Vec<String> = thread
            .parameters
            .iter()
            .map(|p| p.name.clone())
            .chain([format!("result + {}", first_result[t])])
            .collect();
        out.push_str(&format!(
            "  if (blockIdx.x == {block} && threadIdx.x == {lane}) {}({});\n",
            ThreadId(t as u16),
            arguments.join(", ")
        ));
    }
    out.push_str("}\n\nint main() {\n  int *memory, *result;\n");
    out.push_str(&format!(
        "  if (cudaMallocManaged(&memory, {} * sizeof(int)) != cudaSuccess) return 3;\n",
        test.locations.len().max(1) * STRIDE
    ));
    out.push_str(&format!(
        "  if (cudaMallocManaged(&result, {} * sizeof(int)) != cudaSuccess) return 3;\n",
        results.max(1)
    ));
    for (l, location) in test.locations.iter().enumerate() {
        let value = match &location.value {
            Some(InitialValue::AddressOf(_)) => return Err(NoProgram::Address),
            Some(value) => initial(value),
            None => "0".to_owned(),
        };
        out.push_str(&format!("  memory[{}] = {value};\n", l * STRIDE));
    }
    let threads = position.iter().map(|&(_, lane)| lane + WARP).max().unwrap_or(WARP);
    out.push_str(&format!("  test<<<{blocks}, {threads}>>>(memory, result);\n"));
    out.push_str("  if (cudaDeviceSynchronize() != cudaSuccess) return 3;\n");
    let mut format = Vec::new();
    let mut values = Vec::new();
    for (t, names) in names.iter().enumerate() {
        for (i, name) in names.iter().enumerate() {
            format.push(format!("{t}:{name}=%d"));
            values.push(format!("result[{}]", first_result[t] + i));
        }
    }
    for (l, location) in test.locations.iter().enumerate() {
        format.push(format!("[{}]=%d", location.name));
        values.push(format!("memory[{}]", l * STRIDE));
    }
    out.push_str(&format!(
        "  std::printf(\"{}\\n\", {});\n}}\n",
        format.join(" "),
        values.join(", ")
    ));
    Ok(out)
}

/// The number of blocks, and for each thread its block and its number in the block.
fn positions(places: &[Placement]) -> (usize, Vec<(usize, usize)>) {
    let mut blocks: Vec<Placement> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for &place in places {
        let block = blocks.iter().position(|b| b.shares(Scope::Cta, place)).unwrap_or_else(|| {
            blocks.push(place);
            sizes.push(0);
            blocks.len() - 1
        });
        out.push((block, sizes[block] * WARP));
        sizes[block] += 1;
    }
    (blocks.len().max(1), out)
}

/// The variables of a thread that its function in the program leaves in `result[0]`, `result[1]`
/// and so on.
pub fn results(test: &Test, thread: ThreadId) -> Vec<String> {
    test.threads.get(thread.index()).map_or_else(Vec::new, |t| variables(&t.body))
}

/// The variables that a thread assigns, in order of appearance.
fn variables(body: &Body) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (name, _) in assigned(body) {
        if !out.contains(name) {
            out.push(name.clone());
        }
    }
    out
}

/// Every variable that a statement gives a value or declares, with the type that it is declared
/// with.
fn assigned(body: &Body) -> Vec<(&String, Option<CInteger>)> {
    fn of<'a>(statements: &'a [Statement], out: &mut Vec<(&'a String, Option<CInteger>)>) {
        for s in statements {
            match &s.kind {
                StatementKind::Assign { name, declares, .. } => out.push((name, *declares)),
                StatementKind::If { then, otherwise, .. } => {
                    of(then, out);
                    of(otherwise, out);
                }
                StatementKind::While { body, .. } | StatementKind::DoWhile { body, .. } => {
                    of(body, out)
                }
                StatementKind::For { before, after, body, .. } => {
                    of(before, out);
                    of(body, out);
                    of(after, out);
                }
                _ => {}
            }
        }
    }
    let mut out = Vec::new();
    if let Body::Statements(statements) = body {
        of(statements, &mut out);
    }
    out
}

/// Is there a `return`?
fn returns(statements: &[Statement]) -> bool {
    statements.iter().any(|s| match &s.kind {
        StatementKind::Return => true,
        StatementKind::If { then, otherwise, .. } => returns(then) || returns(otherwise),
        StatementKind::While { body, .. }
        | StatementKind::DoWhile { body, .. }
        | StatementKind::For { body, .. } => returns(body),
        _ => false,
    })
}
