//! No text is a litmus test that the readers fail on other than by a diagnostic, and what is read
//! prints and reads again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use margay_models::diagnostic::SourceFile;

fuzz_target!(|text: &str| {
    if let Ok(read) = margay_litmus::read::test(&SourceFile::new("fuzz.litmus", text)) {
        let printed = read.test.to_string();
        // Parentheses are printed around every operand: what is near the limit of nesting may come
        // out beyond it.
        let again = margay_litmus::read::test(&SourceFile::new("again.litmus", printed.as_str()));
        assert!(again.is_ok() || again.is_err_and(|e| e[0].message.contains("nested more than")), "{printed}");
    }
});
