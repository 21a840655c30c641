//! What is said about every kind of bad input, as snapshots: message, places, advice.

use std::fmt::Write;

use margay_models::typing::OnlyBuiltIn;
use margay_models::{Diagnostic, Model, SourceFile};

/// Diagnostics as text, with the places quoted.
fn shown(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        writeln!(out, "{diagnostic}").expect("to a string");
        for label in &diagnostic.labels {
            let (line, column) = label.file.position(label.span.start);
            let quoted = &label.file.text[label.span.start..label.span.end];
            writeln!(out, "  {line}:{column} `{quoted}`: {}", label.text).expect("to a string");
        }
        if let Some(help) = &diagnostic.help {
            writeln!(out, "  help: {help}").expect("to a string");
        }
    }
    out
}

/// What is said about each of the texts; each must be refused.
fn refused(texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        match Model::parse(SourceFile::new("m.cat", *text), &OnlyBuiltIn) {
            Ok(_) => panic!("accepted: {text}"),
            Err(errors) => writeln!(out, ">>> {text}\n{}", shown(&errors)).expect("to a string"),
        }
    }
    out
}

#[test]
fn words() {
    insta::assert_snapshot!(refused(&[
        "acyclic po (* never closed (* closed *)",
        "acyclic po | @@ rf",
        "\"title\nacyclic po",
        "acyclic po^2",
        "acyclic po | 1",
        "acyclic po | 'tag",
        "let acyclic = po acyclic acyclic",
    ]));
}

#[test]
fn grammar() {
    insta::assert_snapshot!(refused(&[
        "let x = acyclic po",
        "let x po acyclic x",
        "let x = po | acyclic po",
        "acyclic (po | rf",
        "acyclic [W; po",
        "acyclic po)",
        "acyclic",
        "acyclic po as",
        "acyclic po as let",
        "po | rf",
        "acyclic po rf = co",
        "flag po",
        "include cos.cat",
        "let x = po in x acyclic x",
        "acyclic (let x = po; x)",
        "let f(x, x) = x acyclic po",
        "let f x y = x; y acyclic po",
        "acyclic ()",
        "acyclic if \"x\" then po",
        "if \"x\" acyclic po",
        "procedure p(x) = acyclic x",
        "call",
        "let a = po acyclic a ) let b = ( acyclic b let c = rf | empty c",
    ]));
}

#[test]
fn ambiguities() {
    insta::assert_snapshot!(refused(&[
        "acyclic ~po+",
        "acyclic ~po*",
        "empty ~W*R",
        "empty W*R*M",
        "empty W*R+",
        "empty W*R^-1",
        "acyclic po* [W]",
        "acyclic [W] po",
    ]));
}

#[test]
fn unsupported() {
    insta::assert_snapshot!(refused(&[
        "PTX with co from generate_cos(co0) acyclic po | co",
        "forall s in po do acyclic s end acyclic po",
        "match 'gpu with || 'cta -> acyclic po end acyclic rf",
        "enum scopes = 'cta || 'gpu match 'gpu with || 'cta -> acyclic po end acyclic rf",
        "instructions R[{'a}] acyclic po",
        "acyclic match x with || 'a -> po end",
        "empty {po, rf}",
        "empty po ++ rf",
        "acyclic (po, rf)",
        "let (a, b) = po acyclic a",
        "let rec f(x) = x | f(x) acyclic f(po)",
        "if po = rf acyclic po end acyclic rf",
    ]));
}

#[test]
fn names() {
    insta::assert_snapshot!(refused(&[
        "PTXX acyclic po",
        "mapping \"t\" from rc11-scoped to ptx-6.0 R.RLX => ld.relaxed",
        "AArch9 acyclic po",
        "lett x = po acyclic x",
        "let x = po acylic x",
        "let x = po acyclic x as y irreflexiv x as z",
        "acyclic po-lock",
        "acyclic sync_fence",
        "C acyclic MFENCE",
        "let hb = po acyclic bh",
        "acyclic later let later = po",
        "let f(x) = x; nothing acyclic f(po) acyclic f(rf)",
        "let a = nothing let b = a | W empty b | po",
        "call p(po) acyclic po",
        "procedure check(x) = acyclic x end call chek(po)",
        "include \"nowhere.cat\" acyclic po",
    ]));
}

#[test]
fn sorts() {
    insta::assert_snapshot!(refused(&[
        "empty W | po",
        "let a = W & R\nlet b = po; rf\nempty a | b",
        "acyclic W",
        "irreflexive W & R",
        "acyclic W; po",
        "acyclic [po]",
        "acyclic po * W",
        "acyclic W+",
        "empty domain W",
        "empty domain(po, rf)",
        "acyclic domain",
        "let f(x, y) = [x]; y acyclic f(po)",
        "let f(x, y) = [x]; y acyclic f(po, W)",
        "let f(x) = x; po acyclic f",
        "acyclic po(rf)",
        "procedure p() = acyclic po end acyclic p",
        "procedure p(x) = acyclic x end call p(po, rf)",
        "call po(rf) acyclic po",
        "let rec r = W | s and s = r; po acyclic s",
        "let a = po and a = rf acyclic a",
        "empty W | po empty R; R empty nothing",
    ]));
}

#[test]
fn recursion() {
    insta::assert_snapshot!(refused(&[
        "let rec r = po \\ r acyclic r",
        "let rec r = ~r acyclic r",
        "let rec hb = po | (sw; hb) and sw = rf \\ (co; hb) acyclic hb",
        "let less(x) = po \\ x let rec r = rf | less(r) acyclic r",
        "let rec r = let local = r; po in rf \\ local acyclic r",
        "let rec s = ~domain([s]; po) empty s",
    ]));
}

#[test]
fn nothing_to_check() {
    insta::assert_snapshot!(refused(&[
        "",
        "PTX \"empty\"\n",
        "let a = po\n",
        "show po",
        "if \"variant\" acyclic po end"
    ]));
}

#[test]
fn warnings() {
    let loaded =
        Model::parse(SourceFile::new("m.cat", "acyclic po as a\nacyclic rf as a"), &OnlyBuiltIn)
            .expect("well-typed");
    insta::assert_snapshot!(shown(&loaded.warnings));
}
