//! The extractor: reading PTX, compiling with good and bad compilers, tables.

mod assembly;
mod compilers;
mod damaged;
mod paths;
mod sabotaged;
mod tables;
