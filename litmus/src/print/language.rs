//! The language that a test is written in.

/// The language that a test of [`Dialect::C`](crate::test::Dialect::C) is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CLanguage {
    /// C11's functions, with OpenCL's scopes.
    #[default]
    C,
    /// C++'s methods; there are no scopes.
    Cpp,
    /// CUDA's built-in functions and libcu++.
    Cuda,
}

/// CUDA's built-in functions that are operations of other languages, too.
pub(super) const BUILT_IN: [(&str, &str); 8] = [
    ("exchange", "atomicExch"),
    ("fetch_add", "atomicAdd"),
    ("fetch_sub", "atomicSub"),
    ("fetch_and", "atomicAnd"),
    ("fetch_or", "atomicOr"),
    ("fetch_xor", "atomicXor"),
    ("fetch_min", "atomicMin"),
    ("fetch_max", "atomicMax"),
];

/// What only CUDA has.
const CUDA: [&str; 7] = [
    "cuda::",
    "__threadfence",
    "__global__",
    "__device__",
    "__shared__",
    "atomicCAS",
    "thread_scope_",
];

/// What only C++ has.
const CPP: [&str; 8] = [
    "std::",
    "->load(",
    "->store(",
    "->exchange(",
    "->fetch_",
    "->compare_exchange_",
    "atomic_ref<",
    "atomic<",
];

pub(crate) fn language(text: &str) -> CLanguage {
    let built_in = BUILT_IN
        .iter()
        .any(|(_, name)| [format!("{name}("), format!("{name}_")].iter().any(|n| text.contains(n)));
    if text.trim_start().starts_with("CUDA")
        || built_in
        || CUDA.iter().any(|word| text.contains(word))
    {
        CLanguage::Cuda
    } else if CPP.iter().any(|word| text.contains(word)) {
        CLanguage::Cpp
    } else {
        CLanguage::C
    }
}
