//! Damaged texts, random bytes, and texts that are deep or large: a diagnostic with a place, never
//! a panic.

use std::path::{Path, PathBuf};

use margay_models::cat::{self, MAX_TEXT};
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Diagnostic, Model, SourceFile, library};
use proptest::prelude::*;

/// Reads a text; whatever comes out must point into it.
fn read(text: &str) -> Result<Model, Vec<Diagnostic>> {
    let result = Model::parse(SourceFile::new("m.cat", text), &OnlyBuiltIn);
    if let Err(errors) = &result {
        assert!(!errors.is_empty(), "refused without a reason: {text}");
        for error in errors {
            assert!(!error.message.is_empty());
            for label in &error.labels {
                assert!(
                    label.span.start <= label.span.end && label.span.end <= label.file.text.len(),
                    "{error:?}"
                );
                assert!(
                    label.file.text.is_char_boundary(label.span.start)
                        && label.file.text.is_char_boundary(label.span.end)
                );
            }
        }
    }
    result.map(|loaded| loaded.model)
}

fn any_shipped() -> impl Strategy<Value = String> {
    let names: Vec<&'static str> = library::built_in_names().collect();
    proptest::sample::select(names)
        .prop_map(|name| library::built_in(name).expect("listed").text.clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn truncated_models(text in any_shipped(), at in any::<prop::sample::Index>()) {
        let mut end = at.index(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let _ = read(&text[..end]);
    }

    #[test]
    fn models_with_a_piece_replaced(
        text in any_shipped(),
        at in any::<prop::sample::Index>(),
        length in 0usize..12,
        piece in prop_oneof![
            "[ -~]{0,6}",
            proptest::sample::select(vec![
                "(", ")", "[", "*", "~", "^-1", "^", "let ", "rec ", " in ", "\"", "(*", "*)", "'a", "0", "_", "{", "fun ", "if ",
                "end", "procedure ", "call ", "é", "as ", "match ", "->", "||", "include \"x\"",
            ]).prop_map(str::to_owned),
        ],
    ) {
        let characters: Vec<char> = text.chars().collect();
        let start = at.index(characters.len());
        let end = (start + length).min(characters.len());
        let damaged: String = characters[..start].iter().collect::<String>() + &piece + &characters[end..].iter().collect::<String>();
        let _ = read(&damaged);
    }

    #[test]
    fn random_characters(text in "\\PC{0,60}") {
        let _ = read(&text);
    }

    #[test]
    fn random_words(words in prop::collection::vec(proptest::sample::select(vec![
        "let", "rec", "and", "in", "fun", "->", "acyclic", "empty", "flag", "~", "as", "x", "po", "rf", "W", "(", ")", "[", "]", "=", "|",
        ";", "\\", "&", "*", "+", "?", "^-1", "0", "_", "{}", "f", ",", "if", "\"v\"", "then", "else", "end", "try", "with", "procedure", "call",
        "show", "include", "begin", "domain", "++", "||",
    ]), 0..40)) {
        let _ = read(&words.join(" "));
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(text) = String::from_utf8(bytes) {
            let _ = read(&text);
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("acyclic {}po{}", open.repeat(n), close.repeat(n))
    };
    for n in [190, 250, 20_000] {
        for text in [
            deep("(", ")", n),
            deep("[", "]", n),
            deep("~", "", n),
            deep("", "^-1", n),
            deep("", "+", n),
            deep("f(", ")", n),
            deep("let x = ", " in x", n),
            deep("fun x -> ", "", n),
            deep("try ", " with po", n),
            deep("po | (rf; ", ")", n),
            deep("(", "+?)^-1", n),
            deep("begin ", " end", n),
            format!("{}acyclic po {}", "if \"x\" ".repeat(n), "end ".repeat(n)),
            format!("if {}\"x\" acyclic po end acyclic po", "~".repeat(n)),
            format!("{}acyclic po {}", "procedure p() = ".repeat(n), "end ".repeat(n)),
            format!("{}{}acyclic po", "(*".repeat(n), "*)".repeat(n)),
            format!("{}acyclic po", "(*".repeat(n)),
        ] {
            let result = read(&text);
            if let Err(errors) = &result {
                assert!(errors.len() < 60, "{}", errors.len());
            }
        }
    }
    let errors = read(&deep("(", ")", 250)).expect_err("too deep");
    assert!(errors[0].message.contains("nested more than 200 deep"), "{errors:?}");
    assert!(read(&deep("(", ")", 190)).is_ok());
}

#[test]
fn long_lists_and_chains_are_read() {
    let long = |operator: &str| format!("acyclic {}", vec!["po"; 20_000].join(operator));
    for operator in [" | ", "; ", " & ", " \\ "] {
        assert!(read(&long(operator)).is_ok(), "{operator}");
    }
    // Each definition uses the one before.
    let chain = |n: usize| {
        let mut text = "let a0 = po\n".to_owned();
        for i in 1..n {
            text += &format!("let a{i} = a{} | rf\n", i - 1);
        }
        text + &format!("acyclic a{} as x\n", n - 1)
    };
    let model = read(&chain(150)).expect("a long chain");
    assert_eq!(
        model.definition_named("a149").map(|d| model.definition(d).name.as_str()),
        Some("a149")
    );
    // Whoever recurses over a model need not fear for the stack.
    let errors = read(&chain(8_000)).expect_err("too long a chain");
    assert!(errors[0].message.contains("build on each other more than 400 deep"), "{errors:?}");
    let mut recursive = "let rec a0 = po | (a0; a0)\n".to_owned();
    for i in 1..3_000 {
        recursive += &format!("let rec a{i} = a{} | (a{i}; rf)\n", i - 1);
    }
    let errors = read(&(recursive + "acyclic a2999")).expect_err("too long a chain of fixpoints");
    assert!(errors[0].message.contains("build on each other"), "{errors:?}");
    let shadowing = format!(
        "let a = po {} acyclic a",
        "let a = rf let f(x) = x | a let b = f(a) ".repeat(3_000)
    );
    assert!(read(&shadowing).is_ok());
}

#[test]
fn expansion_without_bounds_is_an_error() {
    let mut doubling = "let f0(x) = x; po\n".to_owned();
    for i in 1..40 {
        doubling += &format!("let f{i}(x) = f{}(f{}(x); rf)\n", i - 1, i - 1);
    }
    doubling += "acyclic f39(po)";
    let errors = read(&doubling).expect_err("it doubles 39 times");
    assert!(errors[0].message.contains("too large"), "{errors:?}");

    let mut chain = "let f0(x) = x; po\n".to_owned();
    for i in 1..3_000 {
        chain += &format!("let f{i}(x) = f{}(x)\n", i - 1);
    }
    chain += "acyclic f2999(po)";
    let errors = read(&chain).expect_err("too deep");
    assert!(errors[0].message.contains("deep"), "{errors:?}");

    let errors = read("procedure p() = call p() end call p() acyclic po").expect_err("endless");
    assert!(errors[0].message.contains("procedure"), "{errors:?}");

    let mut nested = "acyclic ".to_owned();
    for _ in 0..60 {
        nested += "let rec r = po | (";
    }
    nested += "r";
    for _ in 0..60 {
        nested += ") in r";
    }
    let _ = read(&nested);
}

#[test]
fn huge_and_binary_texts_are_errors() {
    let huge = "acyclic po\n".repeat(MAX_TEXT / 8);
    let errors = read(&huge).expect_err("too large");
    assert!(errors[0].message.contains("too large"), "{errors:?}");
    let errors = read("\u{7f}ELF\u{2}\u{1}\0\0").expect_err("binary");
    assert!(errors[0].message.contains("not a text file"), "{errors:?}");
    assert_eq!(errors.len(), 1);
    let parsed = cat::parse(&SourceFile::new("m.cat", "let @ = # \n $$$ acyclic"));
    assert!(parsed.errors.len() > 1 && parsed.errors.len() < 6, "{:?}", parsed.errors);
}

#[test]
fn large_texts_are_read_in_time() {
    let start = std::time::Instant::now();
    let repeated = |piece: &dyn Fn(usize) -> String| {
        let mut text = "C acyclic po ".to_owned();
        let mut i = 0;
        while text.len() < MAX_TEXT - 200 {
            text += &piece(i);
            i += 1;
        }
        text
    };
    for text in [
        repeated(&|i| format!("let a{i} = po ")),
        repeated(&|i| format!("let rec a{i} = a{i} | po ")),
        repeated(&|i| format!("let rec a{i} = unknown{i} ")),
        repeated(&|i| format!("let a{i} = unknown{i} ")),
        repeated(&|_| "let a = po let f(x) = x | a acyclic f(a) as c ".to_owned()),
        repeated(&|i| format!("{} a{i} = po ", if i == 0 { "let" } else { "and" })),
        repeated(&|i| format!("{} a{i} = a{} ", if i == 0 { "let rec" } else { "and" }, i + 1)),
        repeated(&|i| format!("{}x{i}", if i == 0 { "let f(" } else { "," })) + ") = po",
        repeated(&|i| format!("try unknown{i} with ")),
        repeated(&|i| format!("let a{i} = try unknown{i} with po ")),
        repeated(&|_| "@ ".to_owned()),
        repeated(&|_| "let ".to_owned()),
    ] {
        if let Ok(model) = read(&text) {
            margay_models::judge::Judge::new(&model);
        }
    }
    assert!(start.elapsed().as_secs() < 900, "{:?}", start.elapsed());
}

/// A folder of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("margay-models-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

#[test]
fn files_that_cannot_be_read() {
    let folder = scratch("unreadable");
    let load = |path: &Path| Model::load(path).expect_err("unreadable").remove(0).message;
    assert!(load(&folder).contains("it is a folder"));
    assert!(load(&folder.join("missing.cat")).contains("missing.cat"));
    let latin1 = folder.join("latin1.cat");
    std::fs::write(&latin1, b"PTX\n(* caf\xe9 *)\nacyclic po").expect("written");
    assert!(load(&latin1).contains("not a text in UTF-8 (line 2, column "), "{}", load(&latin1));
    let large = folder.join("large.cat");
    std::fs::write(&large, vec![b' '; MAX_TEXT + 1]).expect("written");
    assert!(load(&large).contains("which is the most that is read"));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn includes_are_found_beside_the_file_and_among_the_built_in() {
    let folder = scratch("includes");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("main.cat", "C include \"part.cat\" include \"cos.cat\" acyclic part as x");
    write("part.cat", "\"a part\" let part = po | rf");
    let model = Model::load(&folder.join("main.cat")).expect("well-typed").model;
    assert_eq!((model.name.as_str(), model.checks.len()), ("main", 1));
    assert!(
        model
            .definitions
            .iter()
            .any(|d| d.name == "part" && d.place.file.name.ends_with("part.cat"))
    );

    write("loop.cat", "include \"loop2.cat\" acyclic po");
    write("loop2.cat", "include \"./loop2.cat\"");
    write("bad.cat", "include \"broken.cat\" acyclic po");
    write("broken.cat", "let x =");
    write("none.cat", "include \"nothing.cat\" acyclic po");
    let message = |name: &str| Model::load(&folder.join(name)).expect_err(name).remove(0);
    assert!(message("loop.cat").message.contains("include"), "{:?}", message("loop.cat"));
    let broken = message("bad.cat");
    assert!(
        broken.labels[0].file.name.ends_with("broken.cat")
            && broken.labels[1].file.name.ends_with("bad.cat"),
        "{broken:?}"
    );
    assert!(message("none.cat").message.contains("nothing.cat"));
    write("asks.cat", "include \"own.bell\" acyclic po");
    write("own.bell", "enum Accesses = 'once");
    assert!(message("asks.cat").message.contains("`lisa.arch`"), "{:?}", message("asks.cat"));

    let found = library::load("main", std::slice::from_ref(&folder)).expect("by name in a folder");
    assert_eq!(found.model.checks[0].display_name(), "x");
    let errors = library::load("ptx-6.1", &[]).expect_err("unknown");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean `ptx-6.0`?"));
    std::fs::remove_dir_all(&folder).expect("removed");
}
