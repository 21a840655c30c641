//! What is said about every kind of bad input, as snapshots: message, places, advice.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use margay_mappings::check::{CheckOptions, Silent, check};
use margay_mappings::language::{LoadOptions, load};
use margay_mappings::library;
use margay_models::diagnostic::{Diagnostic, SourceFile};
use margay_models::model::Model;
use margay_models::text::FileKind;
use margay_models::typing::{OnlyBuiltIn, TypingOptions};

use crate::setup::{names, options, read, shipped, without_failures};

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

/// What is said about each text; each must be refused.
fn refused(texts: &[&str]) -> String {
    let mut out = String::new();
    for text in texts {
        match read(text) {
            Ok(_) => panic!("accepted: {text}"),
            Err(errors) => writeln!(out, ">>> {text}\n{}", shown(&errors)).expect("to a string"),
        }
    }
    out
}

/// The rows of a complete mapping from sc to ptx-6.0 with some of them replaced.
fn with_row(row: &str) -> String {
    let construct = row.split([' ', '.']).next().unwrap_or_default();
    let rows = [
        "R => ld.relaxed.sys",
        "W => st.relaxed.sys",
        "RMW => atom.relaxed.sys",
        "F => fence.sc.sys",
    ];
    let others = rows.iter().filter(|r| r.split(' ').next() != Some(construct)).copied();
    let rows: Vec<&str> = others.chain([row]).collect();
    format!("mapping \"m\" from sc to ptx-6.0\n{}", rows.join("\n"))
}

/// A row of scoped C++ in an otherwise complete mapping.
fn with_scoped_row(row: &str) -> String {
    let text = without_failures("rc11-to-ptx").file.text.clone();
    let name: String = row
        .split([' ', '='])
        .next()
        .unwrap_or_default()
        .split('.')
        .take(2)
        .collect::<Vec<_>>()
        .join(".");
    let kept: Vec<&str> = text
        .lines()
        .filter(|l| !l.starts_with("//") && !l.starts_with(&format!("{name}.")))
        .collect();
    format!("{}\n{row}", kept.join("\n"))
}

fn rows_refused(rows: &[&str], whole: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    for row in rows {
        match read(&whole(row)) {
            Ok(_) => panic!("accepted: {row}"),
            Err(errors) => writeln!(out, ">>> {row}\n{}", shown(&errors)).expect("to a string"),
        }
    }
    out
}

#[test]
fn headers() {
    insta::assert_snapshot!(refused(&[
        "",
        "// nothing but a comment\n",
        "R => ld.weak",
        "mapping",
        "mapping \"m\"",
        "mapping \"m\" from",
        "mapping \"m\" from sc",
        "mapping \"m\" from sc to",
        "mapping \"m\" to sc from ptx-6.0",
        "mapping \"m\" from sc to ptx-6.0 now",
        "mapping \"m\" from => to ptx-6.0",
        "mapping \"m from sc to ptx-6.0\n",
        "mapping \"m\" from sc to ptx-6.1",
        "mapping \"m\" from ./no/such.cat to ptx-6.0",
        "mapping \"m\" from nonsense to rubbish",
        "(* never closed\nmapping \"m\" from sc to tso",
        "mapping \"m\" from sc to tso\nR = R",
    ]));
}

/// A piece that is commented out may have comments, whichever text it is of.
#[test]
fn comments_nest_in_all_texts() {
    type Reader = fn(&str) -> Result<(), Vec<Diagnostic>>;
    let texts: [(FileKind, &str, Reader); 3] = [
        (
            FileKind::Mapping,
            "mapping \"m\" from sc to ptx-6.0\nR => ld.relaxed.sys\nW => st.relaxed.sys\nRMW => atom.relaxed.sys\nF => fence.sc.sys\n",
            |text| read(text).map(drop),
        ),
        (FileKind::Model, "\"m\"\nacyclic po as Order\n", |text| {
            Model::parse_with(
                SourceFile::new("m.cat", text),
                &OnlyBuiltIn,
                &TypingOptions::default(),
            )
            .map(drop)
        }),
        (
            FileKind::Litmus,
            "PTX t\n{ x=0; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0 == 0)\n",
            |text| margay_litmus::read::test(&SourceFile::new("t.litmus", text)).map(drop),
        ),
    ];
    for (kind, text, reader) in texts {
        let nested = format!("(* out: (* in *) mapping acyclic \" *) {text}");
        assert_eq!(margay_models::text::kind(&SourceFile::new("text", nested.clone())), Some(kind));
        reader(&nested).unwrap_or_else(|errors| panic!("{kind:?}: {}", errors[0]));
        let errors = reader(&format!("(* out: (* in *) {text}")).expect_err("it is not closed");
        let said = shown(&errors[..1]);
        assert!(
            said.contains("error: this comment is never closed\n  1:1 `(*`: opened here\n  help: comments nest: each `(*` needs"),
            "{said}"
        );
    }
}

#[test]
fn rows() {
    insta::assert_snapshot!(rows_refused(
        &[
            "R",
            "R ld.weak",
            "R =>",
            "=> ld.weak",
            "R => ld.weak => ld.weak",
            "R => ld.weak ;",
            "R => ; ld.weak",
            "R => ld.weak or",
            "R => ld.weak or\nR => ld.weak",
            "R =>\n\nR => ld.weak",
            "R => ld.weak | ld.weak",
            "R => or ld.weak",
            "R => ld.weak ld.weak",
            "R => \"ld.weak\"",
            "R => nothing",
            "R => st.weak",
            "R => atom.relaxed.sys ; ld.weak",
            "R => ld.weak ; ld.weak",
            "R => fence.sc.sys",
            "F => ld.weak",
            "RMW => ld.relaxed.sys ; st.relaxed.sys",
            "R => fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; fence.sc.sys ; ld.weak",
            "R => ld.weak or ld.weak or ld.weak or ld.weak or ld.weak or ld.weak or ld.weak or ld.weak or ld.weak",
            "R.s => ld.weak",
            "R.gpu => ld.weak",
            "R. => ld.weak",
        ],
        with_row
    ));
}

#[test]
fn instructions() {
    insta::assert_snapshot!(rows_refused(
        &[
            "R => load.weak",
            "R => lds.weak",
            "R => mov",
            "R => mbarrier.test_wait.acquire.cta",
            "W => st.async",
            "F => fence.proxy.async",
            "R => ld.release.sys",
            "R => ld.aquire.sys",
            "R => ld.acquire",
            "R => ld.acquire.s",
            "R => ld.acquire.sys.gpu",
            "R => ld.weak.gpu",
            "R => ld.volatile.gpu",
            "R => ld.acquire.cluster",
            "W => st.acquire.sys",
            "RMW => atom.sc.sys",
            "F => fence.relaxed.sys",
            "F => fence.sc",
            "F => membar",
            "F => membar.gl.gl",
            "F => membar.warp",
        ],
        with_row
    ));
}

#[test]
fn constructs_and_scopes() {
    insta::assert_snapshot!(rows_refused(
        &[
            "R.AQC.s => ld.acquire.s",
            "R.REL.s => ld.acquire.s",
            "LOAD.ACQ.s => ld.acquire.s",
            "R.ACQ.s => ld.acquire.t",
            "R.ACQ.gpu => ld.acquire.s",
            "R.ACQ.gpu => ld.acquire.gpu",
            "R.ACQ.cluster => ld.acquire.gpu",
            "R.ACQ.s.t => ld.acquire.s",
            "R.ACQ. => ld.acquire.sys",
            "R.NA.s => ld.weak",
            "R.NA.gpu => ld.weak",
            "R.ACQ.acquire => ld.acquire.gpu",
            "RMW.ACQ.REL => atom.acq_rel.gpu",
            "CAS.REL.ACQ => atom.release.gpu",
            "RMW.ACQ.b32 => atom.acquire.gpu",
            "RMW.ACQ.nand => atom.acquire.gpu",
            "R.ACQ.s => fence.sc.s.b32 ; ld.acquire.s",
        ],
        with_scoped_row
    ));
}

#[test]
fn missing_and_doubled_rows() {
    let two = format!("{}\nR => ld.weak", with_row("R => ld.relaxed.sys"));
    let both =
        format!("{}\nR.ACQ.gpu => ld.acquire.gpu", with_scoped_row("R.ACQ.s => ld.acquire.s"));
    let twice =
        format!("{}\nR.ACQ.gpu => ld.acquire.gpu", with_scoped_row("R.ACQ.gpu => ld.acquire.gpu"));
    let none = "mapping \"m\" from rc11-scoped to ptx-6.0";
    let one = "mapping \"m\" from sc to tso\nR => R";
    let wrong = "mapping \"m\" from sc to tso\nR => R.ACQ\nW => X\nRMW => RMW.gpu\nF => MFENCE";
    insta::assert_snapshot!(refused(&[&two, &both, &twice, none, one, wrong]));
}

/// Files that are none, or no text.
#[test]
fn files() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mappings");
    fs::create_dir_all(folder.join("folder.map")).expect("a folder for the test");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.join(name), bytes).expect("a file for the test")
    };
    write("empty.map", b"");
    write("binary.map", &[0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe]);
    write("zeros.map", &[0; 64]);
    write("large.map", &vec![b' '; (1 << 20) + 1]);
    write("model.map", b"mapping \"m\" from broken.cat to ptx-6.0\n");
    write("broken.cat", b"C \"broken\"\nacyclic nonsense as X\n");
    let mut out = String::new();
    for name in [
        "missing.map",
        "folder.map",
        "empty.map",
        "binary.map",
        "zeros.map",
        "large.map",
        "model.map",
    ] {
        let Err(errors) = load(&folder.join(name), &LoadOptions::default()) else {
            panic!("accepted: {name}")
        };
        out += &shown(&errors);
    }
    let said = out.replace(&format!("{}", folder.display()), "DIR");
    insta::assert_snapshot!(said);
}

#[test]
fn names_of_mappings() {
    let mut out = String::new();
    for name in ["rc11-to-ptx-", "rc11-too-ptx", "nothing-like-it", "rc11-to-ptx-descoped.mapp", ""]
    {
        let Err(errors) = library::find(name, &LoadOptions::default()) else {
            panic!("accepted: {name}")
        };
        writeln!(out, ">>> {name}\n{}", shown(&errors)).expect("to a string");
    }
    insta::assert_snapshot!(out);
    assert!(library::find("rc11-to-ptx.map", &LoadOptions::default()).is_ok());
}

#[test]
fn models_instead() {
    let text = library::built_in("rc11-to-ptx").expect("shipped");
    let with = |source: Option<&str>, target: Option<&str>| {
        let options = LoadOptions {
            source: source.map(str::to_owned),
            target: target.map(str::to_owned),
            ..LoadOptions::default()
        };
        margay_mappings::language::load_text(&text, None, &options).map(drop)
    };
    let mut out = String::new();
    for (source, target) in
        [(Some("rc12"), None), (None, Some("ptx")), (Some("tso"), None), (None, Some("sc"))]
    {
        let errors = with(source, target).expect_err("these do not fit");
        writeln!(out, ">>> {source:?} {target:?}\n{}", shown(&errors)).expect("to a string");
    }
    insta::assert_snapshot!(out);
    assert!(with(Some("rc11-lb"), Some("ptx-6.0-any-fence")).is_ok());
}

#[test]
fn options_of_a_check() {
    let mapping = shipped("rc11-to-ptx");
    let mut cases: Vec<(&str, CheckOptions)> = Vec::new();
    for bound in [0, 14, 60, usize::MAX] {
        cases.push(("bound", options(bound)));
    }
    for axiom in ["Coherance", "nonsense", "Race", ""] {
        cases.push((axiom, CheckOptions { axioms: vec![axiom.to_owned()], ..options(1) }));
    }
    for construct in ["R.AQC", "X", "", "R.SC.s"] {
        cases.push((construct, options(1).with(|o| o.without = names(construct))));
    }
    cases.push(("--without ''", options(1).with(|o| o.without = vec![String::new()])));
    cases.push(("--only F.XX", options(1).with(|o| o.only = names("F.XX,R.SC"))));
    cases.push((
        "--only R --without R",
        options(1).with(|o| (o.only, o.without) = (names("R"), names("R"))),
    ));
    cases.push((
        "two mistakes",
        CheckOptions { axioms: names("A,B"), ..options(0) }.with(|o| o.without = names("C,D")),
    ));
    let mut out = String::new();
    for (what, options) in cases {
        let said = match check(&mapping, &options, &Silent) {
            Ok(report) => format!("{:?}\n", report.verdict),
            Err(errors) => shown(&errors),
        };
        writeln!(out, ">>> {what}\n{said}").expect("to a string");
    }
    insta::assert_snapshot!(out);
}

#[test]
fn models_that_cannot_be_sources() {
    let text = "mapping \"m\" from ptx-6.0 to ptx-6.0\n\
        R.WEAK => ld.weak\nR.RLX.s => ld.relaxed.s\nR.ACQ.s => ld.acquire.s\n\
        W.WEAK => st.weak\nW.RLX.s => st.relaxed.s\nW.REL.s => st.release.s\n\
        RMW.RLX.s => atom.relaxed.s\nRMW.ACQ.s => atom.acquire.s\nRMW.REL.s => atom.release.s\nRMW.ACQ_REL.s => atom.acq_rel.s\n\
        F.ACQ.s => fence.acquire.s\nF.REL.s => fence.release.s\nF.ACQ_REL.s => fence.acq_rel.s\nF.SC.s => fence.sc.s\n";
    let mapping = read(text).expect("the text is right");
    let errors = check(&mapping, &options(1), &Silent).map(drop).expect_err("PTX is no source");
    insta::assert_snapshot!(shown(&errors));
    assert!(!Path::new("mapping").exists());
}
