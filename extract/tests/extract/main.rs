//! The extractor: reading PTX, compiling with good and bad compilers, tables.

mod compilers;
mod paths;
mod tables;
