//! The mapping language and the bounded soundness check of compilation mappings.
