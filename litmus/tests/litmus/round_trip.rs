//! What is written reads back the same, and no text makes a reader panic.

use margay_litmus::read;
use margay_litmus::unfold::{Unfolding, UnfoldingBounds};
use margay_models::diagnostic::SourceFile;
use proptest::prelude::*;

/// How many random tests; `MARGAY_CASES` for more.
fn cases() -> u32 {
    std::env::var("MARGAY_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back_the_same(test in crate::generate::any_test()) {
        let text = test.to_string();
        match read::test(&SourceFile::new("generated", text.clone())) {
            Ok(read) => prop_assert!(read.test == test, "{}", text),
            Err(errors) => prop_assert!(false, "{}\n{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>(), text),
        }
    }

    /// Texts with a piece cut out, doubled, or overwritten: a test or diagnostics with places,
    /// never a panic.
    #[test]
    fn damaged_texts_are_diagnosed(
        test in crate::generate::any_test(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..20, "[ -~\\n]{0,4}|é|\\PC{0,3}"), 1..4),
    ) {
        let mut text = test.to_string();
        for (at, cut, insert) in edits {
            let mut at = at.index(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let mut end = (at + cut).min(text.len());
            while !text.is_char_boundary(end) {
                end += 1;
            }
            text.replace_range(at..end, &insert);
        }
        let file = SourceFile::new("damaged", text.clone());
        let read = read::test(&file);
        if let Ok(read) = &read {
            // What is still a test can be unfolded, or the error says why not.
            let signature = read.test.dialect.signature();
            let bounds = UnfoldingBounds { paths: 50, ..UnfoldingBounds::default() };
            if let Ok(unfolding) = Unfolding::new(&read.test, signature, bounds) {
                for number in 0..unfolding.len().min(3) {
                    let _ = unfolding.skeleton(number);
                }
            }
        }
        if let Err(errors) = read {
            prop_assert!(!errors.is_empty());
            for e in errors {
                prop_assert!(!e.labels.is_empty(), "{e} has no place");
                prop_assert!(e.labels.iter().all(|l| l.span.start <= l.span.end && l.span.end <= text.len()));
            }
        }
    }

    #[test]
    fn any_text_is_survived(head in "(PTX|GPU_PTX|C|GENERIC) x\\n\\{ x=0; \\}\\n|", text in any::<Vec<u8>>()) {
        let text = head + &String::from_utf8_lossy(&text);
        let _ = read::test(&SourceFile::new("random", text));
    }
}

/// Truncations at every place of a text.
#[test]
fn truncated_texts_are_diagnosed() {
    let texts = [
        include_str!("texts/mp.litmus"),
        include_str!("texts/sb-2015.litmus"),
        include_str!("texts/mp-cuda.litmus"),
    ];
    for text in texts {
        for end in (0..text.len()).filter(|&n| text.is_char_boundary(n)) {
            let read = read::test(&SourceFile::new("truncated", &text[..end]));
            let rest = text[end..].trim();
            let whole = rest.is_empty() || rest.chars().all(|c| ");01".contains(c));
            // A text that ends before the condition asks nothing, and is told so.
            let told = |read: &read::Read| {
                read.warnings.iter().any(|w| w.message.contains("without a condition"))
            };
            assert!(whole || read.as_ref().map_or(true, told), "{}", &text[..end]);
        }
        read::test(&SourceFile::new("whole", text)).unwrap();
    }
}

/// Nesting is limited before the stack is.
#[test]
fn deep_nesting_is_an_error() {
    let many = 50_000;
    let conditions = [
        format!("exists ({}x == 1{})", "(".repeat(many), ")".repeat(many)),
        format!("exists ({}x == 1)", "~".repeat(many)),
        format!("exists ({}(x == 1))", "not ".repeat(many)),
    ];
    for condition in conditions {
        let text = format!("PTX deep\n{{ x=0; }}\n P0@cta 0,gpu 0 ;\n{condition}\n");
        let errors = read::test(&SourceFile::new("deep", text)).unwrap_err();
        assert!(errors[0].message.contains("nested"), "{}", errors[0]);
    }
    let bodies = [
        format!("*x = {}1{};", "(".repeat(many), ")".repeat(many)),
        format!("*x = {}1;", "- ".repeat(many)),
        format!("*x = 1{};", " + 1".repeat(many)),
        format!("{}1;", "*".repeat(many)),
        format!("{}{}", "{".repeat(many), "}".repeat(many)),
        "if (1) ".repeat(many),
        format!("if (1) {{}} {}", "else if (1) {} ".repeat(many)),
    ];
    for body in bodies {
        let text = format!("C deep\n{{ }}\nP0 (int* x) {{ {body} }}\nexists (x == 1)\n");
        let errors = read::test(&SourceFile::new("deep", text)).unwrap_err();
        assert!(errors[0].message.contains("nested"), "{}", errors[0]);
    }
    let tree = format!("ScopeTree(grid{}", "(cta".repeat(many));
    let text = format!("GPU_PTX deep\n{{ }}\n T0 ;\n{tree}\nexists (x == 1)\n");
    assert!(read::test(&SourceFile::new("deep", text)).unwrap_err()[0].message.contains("nested"));
}

/// The memory map of the 2015 form declares locations, too; one without a value in front of another
/// one keeps its place.
#[test]
fn locations_of_the_memory_map_keep_their_places() {
    let text = "GPU_PTX t\n{ a=0; b; e=0; }\n T0 ;\n st.cg [c], 1 ;\nScopeTree(grid(cta(warp T0)))\nb: global, c: shared\nexists (a=0)\n";
    let test = read::test(&SourceFile::new("written", text)).unwrap().test;
    let printed = test.to_string();
    assert!(
        read::test(&SourceFile::new("printed", printed.clone())).unwrap().test == test,
        "{printed}"
    );
}
