//! Other readings of a model are said by the lines in which they differ. Where they no longer fit
//! the model, the build says so.

#[path = "../../build/reading.rs"]
mod reading;

const MODEL: &str = "C\n\nlet a = po\nlet b = rf\nlet c = po\nacyclic a | b\n";

/// Lines of a difference behind its two names, and the model that they make of [`MODEL`], or what
/// is said of them.
const CASES: [(&str, Result<&str, &str>); 11] = [
    (
        "@@ -4 +4 @@\n let a = po\n-let b = rf\n+let b = rf | co\n",
        Ok("C\n\nlet a = po\nlet b = rf | co\nlet c = po\nacyclic a | b\n"),
    ),
    // A line that only one has, at the beginning and at the end.
    (
        "@@\n-C\n+C \"other\"\n@@\n acyclic a | b\n+empty b; a\n",
        Ok("C \"other\"\n\nlet a = po\nlet b = rf\nlet c = po\nacyclic a | b\nempty b; a\n"),
    ),
    ("@@\n-let c = po\n", Ok("C\n\nlet a = po\nlet b = rf\nacyclic a | b\n")),
    // Numbers of lines are not looked at: a line that came into the model before them does not
    // matter.
    (
        "@@ -40,2 +40,2 @@\n-let b = rf\n+let b = co\n",
        Ok("C\n\nlet a = po\nlet b = co\nlet c = po\nacyclic a | b\n"),
    ),
    (
        "@@\n-let b = fr\n+let b = co\n",
        Err("line 3: the old lines are not in the model, or more than once"),
    ),
    // The end of a line is not a line.
    ("@@\n-= rf\n+= co\n", Err("line 3: the old lines are not in the model, or more than once")),
    (
        "@@\n-C\n+PTX\n@@\n let b = rf\n+let d = b\n@@\n-let a = po\n",
        Err("line 9: the old lines stand in front of those of the difference before"),
    ),
    ("@@\n+let d = po\n", Err("line 3: no line says where this belongs")),
    ("-C\n+PTX\n", Err("line 3: expected `@@`")),
    (
        "@@\n-C\n+PTX\n\\ No newline at end of file\n",
        Err("line 6: expected a line that begins with ` `, `-` or `+`"),
    ),
    ("", Err("no line begins with `@@`")),
];

#[test]
fn a_reading_is_its_model_with_the_differences() {
    for (lines, expected) in CASES {
        let patch = format!("--- m.cat\n+++ other.cat\n{lines}");
        assert_eq!(reading::base(&patch), Ok("m.cat"));
        match (reading::read(MODEL, &patch), expected) {
            (Ok(text), Ok(expected)) => assert_eq!(text, expected, "{lines}"),
            (Err(said), Err(expected)) => assert!(said.starts_with(expected), "{said}"),
            (said, _) => panic!("{lines}{said:?}"),
        }
    }
    let twice = MODEL.replace("let c = po", "let a = po");
    let said = reading::read(&twice, "--- m.cat\n+++ other.cat\n@@\n-let a = po\n")
        .expect_err("which one?");
    assert!(said.contains("more than once; make the reading again of it:\nlet a = po"), "{said}");
    assert_eq!(reading::base("let a = po\n"), Err("line 1: expected `--- MODEL.cat`".to_owned()));
}
