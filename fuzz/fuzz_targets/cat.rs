//! No text is a .cat file that the parser or the type checker fails on other than by a diagnostic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_models::diagnostic::SourceFile;
use margay_models::typing::OnlyBuiltIn;
use margay_models::model::Model;

fuzz_target!(|text: &str| {
    let _ = Model::parse(SourceFile::new("fuzz.cat", text), &OnlyBuiltIn);
});
