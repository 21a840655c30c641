//! `margay extract` and the grouped view of `margay check` as their users meet them; the compilers
//! are scripts.

use std::path::Path;

use crate::program::{err, folder, json, margay, out, write};

/// A language of lines, `f0 ld acquire gpu b32`, and how its compilers are called.
const FRONT: &str = r##"
title = "lines"
suffix = ".txt"
command = "lines {in} {out}"
unpacked = [{ of = "lines", command = "sh {compiler}/cc {in} > {out}", version = "echo lines $(cat {compiler}/version)" }]
architectures = ["sm_90"]
comment = "#"
[scopes]
cta = "cta"
gpu = "gpu"
sys = "sys"
[orders]
RLX = "relaxed"
ACQ = "acquire"
REL = "release"
[types]
b32 = "b32"
[function]
begin = "{name} "
end = ""
pointer = ""
[plain]
load = "ld weak  {type}\n"
store = "st weak  {type}\n"
[statements]
load = "ld {order} {scope} {type}\n"
store = "st {order} {scope} {type}\n"
[only]
load = ["RLX", "ACQ"]
store = ["RLX", "REL"]
"##;

/// A compiler in a folder; `special` is awk that looks at a line first. It writes down that it was
/// called.
fn compiler(root: &Path, version: &str, special: &str) -> String {
    let folder = root.join(format!("lines-{version}"));
    std::fs::create_dir_all(&folder).expect("a folder");
    let awk = format!(
        r#"BEGIN {{ print ".version 8.4\n.target sm_90\n.address_size 64" }}
        {special}
        {{ name = $1; op = $2; order = $3; scope = NF > 4 ? "." $4 : "";
           print ".visible .func " name "(.param .b64 " name "_0) {{ .reg .b64 %d<3>; .reg .b32 %r<4>; ld.param.u64 %d1, [" name "_0];";
           if (op == "ld") print "ld." order scope ".b32 %r1, [%d1];"; else print "st." order scope ".b32 [%d1], 1;";
           print "ret; }}" }}"#
    );
    write(&folder, "version", version);
    write(&folder, "cc", format!("echo x >> \"$(dirname \"$0\")/../calls\"\nawk '{awk}' \"$1\"\n"));
    folder.display().to_string()
}

fn calls(root: &Path) -> usize {
    std::fs::read_to_string(root.join("calls")).map_or(0, |t| t.lines().count())
}

/// A release that becomes relaxed.
const WORSE: &str = r#"$2 == "st" && $3 == "release" { $3 = "relaxed" }"#;

#[test]
fn a_table_is_written_held_against_and_checked() {
    let folder = folder("extract/table");
    let front = write(&folder, "lines.toml", FRONT);
    let (good, bad) = (compiler(&folder, "1", ""), compiler(&folder, "2", WORSE));
    let table = folder.join("good.map").display().to_string();
    let extracted = margay(&["extract", &front, "--compiler", &good, "-o", &table]);
    assert_eq!(extracted.status.code(), Some(0), "{}{}", out(&extracted), err(&extracted));
    assert!(
        out(&extracted).starts_with("lines 1, lines, sm_90: 14 of 14 rows are lowered"),
        "{}",
        out(&extracted)
    );
    let same = margay(&["extract", &front, "--compiler", &good, "--against", &table]);
    assert_eq!(same.status.code(), Some(0), "{}{}", out(&same), err(&same));
    let differs = margay(&["extract", &front, "--compiler", &bad, "--against", &table]);
    assert_eq!(differs.status.code(), Some(1), "{}", out(&differs));
    // A change of all scopes is said once.
    for part in [
        "W.REL.s b32\n",
        "emitted:  st.relaxed.s\n",
        "in table: st.release.s\n",
        "st.relaxed.cta.b32 [%d1], 1;",
    ] {
        assert_eq!(out(&differs).matches(part).count(), 1, "{part}\n{}", out(&differs));
    }
    let wrong = folder.join("bad.map").display().to_string();
    let extracted = margay(&["extract", &front, "--compiler", &bad, "-o", &wrong]);
    assert_eq!(extracted.status.code(), Some(0), "{}", err(&extracted));
    let check = ["--bound", "4", "--causes"];
    let stands = margay(&[&["check", &table], &check[..]].concat());
    assert_eq!(stands.status.code(), Some(0), "{}{}", out(&stands), err(&stands));
    // What does not exist was not asked about.
    assert!(out(&stands).starts_with("nothing wrong was found"), "{}", out(&stands));
    let shown = folder.join("causes");
    let falls = margay(
        &[&["check", &wrong], &check[..], &["--out", shown.to_str().expect("text")]].concat(),
    );
    assert_eq!(falls.status.code(), Some(1), "{}{}", out(&falls), err(&falls));
    assert!(out(&falls).starts_with("1 cause, programs of up to 4 events"), "{}", out(&falls));
    for part in ["1. one scope (device), one GPU: 4 events", "W.REL.s b32 => st.relaxed.s"] {
        assert!(out(&falls).contains(part), "{part}\n{}", out(&falls));
    }
    assert!(shown.join("counterexample-1-source.litmus").exists());
    let object = json(&margay(&[&["check", &wrong, "--format", "json"], &check[..]].concat()));
    assert_eq!(object["causes"][0]["rows"][0], "W.REL.s b32 => st.relaxed.s", "{object}");
    assert_eq!(object["causes"][0]["events"], 4);
}

/// A sweep says in which version a compiler became worse, keeps what it did, and does again what it
/// must.
#[test]
fn a_sweep_finds_what_became_worse() {
    let folder = folder("extract/sweep");
    let front = write(&folder, "lines.toml", FRONT);
    let _ = std::fs::remove_file(folder.join("calls"));
    // By number, not by letter: 10 is behind 9.
    for (version, special) in [("2", ""), ("9", ""), ("10", WORSE), ("11", "")] {
        compiler(&folder, version, special);
    }
    let kept = folder.join("out");
    let _ = std::fs::remove_dir_all(&kept);
    let (compilers, to) = (folder.display().to_string(), kept.display().to_string());
    let asked = [
        "extract",
        "--all",
        "--compilers",
        &compilers,
        "--front-ends",
        &front,
        "--bound",
        "4",
        "--out",
        &to,
    ];
    let first = margay(&asked);
    assert_eq!(first.status.code(), Some(1), "{}{}", out(&first), err(&first));
    assert!(
        out(&first).starts_with("1 counterexample is new in a version: 4 tables"),
        "{}",
        out(&first)
    );
    for part in [
        "lines: one scope (device), one GPU, 4 events, axiom Coherence",
        "lines-10 (not in lines-9): lines (sm_90)",
    ] {
        assert!(out(&first).contains(part), "{part}\n{}", out(&first));
    }
    let page = std::fs::read_to_string(kept.join("index.md")).expect("a page");
    for part in [
        "## What became worse\n\n1. **lines: one scope (device), one GPU, 4 events, axiom Coherence**\n    - in lines-10 (not in lines-9): lines (sm_90)\n",
        "    - to blame: `W.REL.s b32 => st.relaxed.s`\n",
        "\n    - in lines-10: lines (sm_90)\n",
        "| `W.REL.{cta,gpu,sys} b32` | lines-2 to lines-9: `st.release.s`<br>lines-10: `st.relaxed.s`<br>lines-11: `st.release.s` |",
        "11 rows never changed",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let before = calls(&folder);
    let again = margay(&asked);
    assert_eq!((again.status.code(), calls(&folder)), (Some(1), before), "{}", err(&again));
    assert_eq!(out(&again), out(&first));
    assert_eq!(std::fs::read_to_string(kept.join("index.md")).expect("a page"), page);
    // A compiler that changed, and a record that is cut off.
    compiler(&folder, "10", "");
    write(&kept.join("tables"), "lines-lines-9-sm_90.json", "{\"key\": \"");
    let mended = margay(&asked);
    assert_eq!(mended.status.code(), Some(0), "{}{}", out(&mended), err(&mended));
    assert!(out(&mended).starts_with("no compiler became worse"), "{}", out(&mended));
    assert_eq!(calls(&folder), before + 4, "two tables in two programs each");
}

/// Ctrl-C in the middle of a sweep: the page has the tables behind the one that is missing, and
/// says that one is.
#[cfg(unix)]
#[test]
fn an_interrupted_sweep_shows_what_is_there() {
    let folder = folder("extract/interrupted");
    let front = write(&folder, "lines.toml", FRONT);
    for version in ["1", "2", "3"] {
        compiler(&folder, version, "");
    }
    let kept = folder.join("out");
    let _ = std::fs::remove_dir_all(&kept);
    let (compilers, to) = (folder.display().to_string(), kept.display().to_string());
    let asked = [
        "extract",
        "--all",
        "--compilers",
        &compilers,
        "--front-ends",
        &front,
        "--bound",
        "3",
        "--out",
        &to,
        "-j",
        "1",
    ];
    let whole = margay(&asked);
    assert_eq!(whole.status.code(), Some(0), "{}{}", out(&whole), err(&whole));
    // The compiler is started by a shell, and that by Margay.
    let second = folder.join("lines-2");
    write(&second, "cc", "kill -INT $(cut -d ' ' -f 4 /proc/$PPID/stat)\nsleep 100\n");
    let stopped = margay(&asked);
    assert_eq!(stopped.status.code(), Some(3), "{}{}", out(&stopped), err(&stopped));
    assert!(out(&stopped).contains("interrupted: 1 table is missing"), "{}", out(&stopped));
    let page = std::fs::read_to_string(kept.join("index.md")).expect("a page");
    for part in [
        "**It was interrupted: 1 table is missing.**",
        "| lines-1 | lines 1 |",
        "| lines-3 | lines 3 |",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("| lines-2 |"), "{page}");
}

/// A compiler in a folder with blanks and a quote, by a command and by its folder: it is started,
/// and asked for its version.
#[test]
fn paths_with_blanks() {
    let folder = folder("extract/it's a path");
    let front = write(&folder, "lines.toml", FRONT);
    let good = compiler(&folder, "1", "");
    let unpacked = margay(&["extract", &front, "--compiler", &good]);
    assert_eq!(unpacked.status.code(), Some(0), "{}{}", out(&unpacked), err(&unpacked));
    let script = write(
        &folder,
        "my cc",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo lines 7.7 && exit\nexec sh \"$(dirname \"$0\")/lines-1/cc\" \"$1\"\n",
    );
    let executable =
        std::process::Command::new("chmod").args(["+x", &script]).status().expect("chmod");
    assert!(executable.success());
    let by_command =
        margay(&["extract", &front, "--cmd", &format!("\"{script}\" {{in}} > '{{out}}'")]);
    assert_eq!(by_command.status.code(), Some(0), "{}{}", out(&by_command), err(&by_command));
    assert!(out(&by_command).starts_with("// What lines 7.7 emits"), "{}", out(&by_command));
}

/// A command that names an architecture of its own: what is written is a table of that one, and it
/// is said.
#[test]
fn a_command_of_another_architecture() {
    let folder = folder("extract/other");
    let front = write(&folder, "lines.toml", FRONT);
    let good = compiler(&folder, "1", "");
    let other = margay(&["extract", &front, "--compiler", &good, "--arch", "sm_120"]);
    assert_eq!(other.status.code(), Some(0), "{}{}", out(&other), err(&other));
    assert!(
        err(&other).contains("the compiler was asked for sm_120, and wrote PTX for sm_90"),
        "{}",
        err(&other)
    );
    assert!(out(&other).contains("\narchitecture sm_90\n"), "{}", out(&other));
    let empty = margay(&["extract", &front, "--compiler", &good, "--arch", ""]);
    assert_eq!(empty.status.code(), Some(2), "{}", out(&empty));
}

/// A machine without a compiler does not take with it what was measured of those before it; and a
/// table of a machine, whose compare-exchanges may fail, is like itself.
#[test]
fn machines_without_a_compiler_lose_no_others() {
    let folder = folder("extract/machines");
    // Every function is a compare-exchange by the instruction of its order.
    let awk = r#"
/^void f/ { f = $2; sub(/\(.*/, "", f); print "\t.type " f ", @function\n" f ":" }
/__atomic_compare_exchange/ {
    name = /, 0, __ATOMIC_RELEASE/ ? "casl" : /, 0, __ATOMIC_RELAXED/ ? "cas" : "casal"
    print "\tmov w5, w4\n\t" name " w5, w3, [x0]\n\tcmp w5, w4\n\tcset w6, eq\n\tstrb w6, [x2]\n\tstr w5, [x1]"
}
/^}/ { print "\tret\n\t.size " f ", .-" f }
"#;
    write(&folder, "cc.awk", awk);
    let script = format!(
        "case {{triple}} in arm*) /nowhere/cc {{in}};; *) awk -f {}/cc.awk {{in}} > {{out}};; esac",
        folder.display()
    );
    let asked = ["extract", "gcc", "--cmd", &script, "--types", "b32", "--operations", "exch"];
    let printed =
        json(&margay(&[&asked[..], &["--arch", "aarch64-lse,armv7", "--format", "json"]].concat()));
    assert_eq!(printed["tables"][0]["asked_architecture"], "aarch64-lse", "{printed}");
    assert_eq!(printed["tables"].as_array().map(Vec::len), Some(1), "{printed}");
    assert!(
        printed["errors"][0]["message"].as_str().is_some_and(|m| m.contains("/nowhere/cc")),
        "{printed}"
    );
    let table = folder.join("lse.map").display().to_string();
    let written = margay(&[&asked[..], &["--arch", "aarch64-lse", "-o", &table]].concat());
    assert_eq!(written.status.code(), Some(0), "{}", err(&written));
    let text = std::fs::read_to_string(&table).expect("it is written");
    assert!(
        text.lines().any(|line| line.starts_with("CAS_FAIL") && line.contains("swpl")),
        "a failure that keeps the release of its instruction: {text}"
    );
    let same = margay(&[&asked[..], &["--arch", "aarch64-lse", "--against", &table]].concat());
    assert_eq!(same.status.code(), Some(0), "{}", out(&same));
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder("extract/wrong");
    let empty = folder.display().to_string();
    let cases: [(&[&str], &str); 10] = [
        (&["llvm-irr"], "did you mean `llvm-ir`?"),
        (&["llc"], "it is started by `llvm-ir`"),
        (&[], "`margay extract --list` lists the front ends"),
        (&["gcc", "--cmd", "/nowhere/gcc {in}"], "`--arch x86-64` asks about one"),
        (&["gcc", "--cmd", "false {in}", "--types", "b32"], "`--arch x86-64` asks about one"),
        (&["llvm-ir", "--cmd", "llc"], "write `{in}` in it"),
        (&["llvm-ir", "--cmd", "/nowhere/llc {in} -o {out}"], "/nowhere/llc"),
        (&["llvm-ir", "--types", "b31"], "there is no type `b31`"),
        (&["--all", "--compilers", "/nowhere"], "cannot read the folder"),
        (&["--all", "--compilers", &empty], "there is no compiler in"),
    ];
    for (arguments, expected) in cases {
        let output = margay(&[&["extract"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(expected), "{}", err(&output));
    }
}
