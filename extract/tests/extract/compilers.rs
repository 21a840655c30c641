//! Compilers that are not as they should be: scripts that stand for them.

use std::time::{Duration, Instant};

use margay_extract::compile::{CompileCommand, SilentExtraction, compile};
use margay_extract::front::{self, FrontEnd, filled};
use margay_extract::lowering::LoweringAnswer;
use margay_extract::point::Point;
use margay_extract::table::{Models, Table, map};
use margay_models::diagnostic::SourceFile;

/// A language of lines `f0 R RLX gpu b32`, which a script can compile.
const LANGUAGE: &str = r##"
title = "lines"
suffix = ".txt"
command = "cp {in} {out}"
architectures = ["sm_90"]
comment = "#"
[scopes]
gpu = "gpu"
sys = "sys"
[orders]
RLX = "relaxed"
ACQ = "acquire"
[types]
b32 = "b32"
b64 = "b64"
[function]
begin = "{name} "
end = ""
pointer = ""
[plain]
[statements]
load = "ld {order} {scope} {type}\n"
add = "atom {order} {scope} {type}\n"
"##;

fn language() -> FrontEnd {
    FrontEnd::read("lines", &SourceFile::new("lines.toml", LANGUAGE))
        .unwrap_or_else(|e| panic!("{e:?}"))
}

/// A compiler for the language: awk that prints PTX; `special` is awk that looks at a line first.
fn compiler(special: &str) -> String {
    let program = format!(
        r#"BEGIN {{ print ".version 8.4\n.target sm_90\n.address_size 64" }}
        {special}
        {{ name = $1; op = $2; order = $3; scope = $4; type = $5;
           print ".visible .func " name "(.param .b64 " name "_0, .param .b64 " name "_1) {{ .reg .b64 %d<3>; .reg .b32 %r<4>; ld.param.u64 %d1, [" name "_0];";
           if (op == "ld") print "ld." order "." scope "." type " %r1, [%d1];"; else print "atom." scope "." order ".add." type " %r1, [%d1], 1;";
           print "ret; }}" }}"#
    );
    format!("awk '{}' {{in}} > {{out}}", program.replace('\'', "'\\''"))
}

fn table(command: &str, limit: Duration) -> Result<Table, String> {
    table_of(&language(), command, limit)
}

fn table_of(front: &FrontEnd, command: &str, limit: Duration) -> Result<Table, String> {
    let points = front.points();
    let command = CompileCommand {
        template: command.to_owned(),
        worker: false,
        compiler: None,
        architecture: "sm_90".to_owned(),
        assembly: None,
        words: Vec::new(),
        limit,
    };
    let outcome = compile(front, &command, &points, 2, &SilentExtraction)
        .map_err(|failure| failure.to_string())?;
    Ok(Table::new(front, &command, "test".to_owned(), &outcome))
}

/// The answers as text, by row.
fn answers(table: &Table) -> Vec<(String, String)> {
    let text = |a: &LoweringAnswer| match a {
        LoweringAnswer::Lowered(all) => {
            all.iter().map(|s| s.text(None)).collect::<Vec<_>>().join(" or ")
        }
        LoweringAnswer::Absent(why) => format!("absent: {why}"),
        LoweringAnswer::Other(what) => format!("other: {what}"),
        LoweringAnswer::Unknown(why) => format!("unknown: {why}"),
    };
    table.rows.iter().map(|m| (m.row.slot.to_string(), text(&m.row.answer))).collect()
}

fn of<'a>(answers: &'a [(String, String)], row: &str) -> &'a str {
    &answers
        .iter()
        .find(|(r, _)| r == row)
        .unwrap_or_else(|| panic!("no row {row} in {answers:?}"))
        .1
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn a_good_compiler() {
    let table = table(&compiler(""), MINUTE).expect("it runs");
    let answers = answers(&table);
    assert_eq!(answers.len(), 16);
    assert_eq!(of(&answers, "R.ACQ.sys b64"), "ld.acquire.sys");
    assert_eq!(of(&answers, "RMW.RLX.gpu add b32"), "atom.relaxed.gpu");
    assert_eq!(table.runs, 2, "all points in two programs");
}

/// A compiler that does not know the architecture says so of every program: it is not asked about
/// each point.
#[test]
fn an_architecture_that_is_not_known() {
    let command = r#"echo "error: no such architecture" >&2 && exit 1 # {in} {out}"#;
    let table = table(command, MINUTE).expect("it runs");
    let found = answers(&table);
    assert!(found.iter().all(|(_, answer)| answer == "absent: no such architecture"), "{found:?}");
    assert_eq!(table.runs, 3, "two programs of all points, and one of none");
}

/// One construct that does not compile costs one row, and what the compiler says about it is kept.
#[test]
fn rejected_constructs() {
    // It names the line.
    let named = compiler(
        r#"/atom acquire sys b64/ { print FILENAME ":" NR ":1: error: no such thing" > "/dev/stderr"; exit 1 }"#,
    );
    // It does not.
    let silent = compiler(
        r#"/atom acquire sys b64/ { print "ERROR: no such thing" > "/dev/stderr"; exit 1 }"#,
    );
    for command in [named, silent] {
        let found = answers(&table(&command, MINUTE).expect("it runs"));
        assert_eq!(of(&found, "RMW.ACQ.sys add b64"), "absent: no such thing");
        assert_eq!(found.iter().filter(|(_, a)| a.starts_with("absent")).count(), 1, "{found:?}");
        assert_eq!(of(&found, "RMW.ACQ.sys add b32"), "atom.acquire.sys");
    }
}

/// A type that does not exist, of which the compiler speaks once and in no place of the program: it
/// is asked about the object alone, and not about each thing that could be done to it.
#[test]
fn objects_that_do_not_compile() {
    let special = r#"$5 == "b64" && $4 == "sys" || $2 == "b64" && $3 == "sys" { print "ERROR: no b64" > "/dev/stderr"; exit 1 }"#;
    let command = compiler(special);
    let mut front = language();
    let each = table_of(&front, &command, MINUTE).expect("it runs");
    front.object = Some("b64 sys\n".to_owned());
    let wrong = table_of(&front, &command, MINUTE).expect("it runs");
    assert!(
        answers(&wrong).iter().all(|(_, a)| a == "absent: no b64"),
        "no object compiles: {:?}",
        answers(&wrong)
    );
    front.object = Some("{type} {scope}\n".to_owned());
    let once = table_of(&front, &command, MINUTE).expect("it runs");
    assert_eq!(answers(&once), answers(&each));
    assert_eq!(of(&answers(&once), "RMW.ACQ.sys add b64"), "absent: no b64");
    assert_eq!(of(&answers(&once), "RMW.ACQ.gpu add b64"), "atom.acquire.gpu");
    // Two programs, one of nothing, a type, a type with its two scopes, and the two programs again
    // without it.
    assert_eq!((once.runs, each.runs > 10), (2 + 1 + 1 + 3 + 2, true), "{}", each.runs);
}

/// An operation whose template does not compile: the compiler speaks of its first use, or of none.
/// It is asked about the operation with orders that are parameters, and not about each order; an
/// order that alone is refused is one row.
#[test]
fn operations_that_compile_with_no_order() {
    let wrong = r#"$2 == "atom" && $5 == "b64" && $4 == "sys""#;
    let once = format!(
        r#"{wrong} {{ print FILENAME ":" NR ":1: error: no such template" > "/dev/stderr"; exit 1 }}"#
    );
    let nowhere = format!(
        r#"{wrong} {{ print "types.h:7:1: error: no such template" > "/dev/stderr"; exit 1 }}"#
    );
    for special in [&once, &nowhere] {
        let command = compiler(&format!(
            r#"{special} /ld acquire gpu b32/ {{ print FILENAME ":" NR ":1: error: no such order" > "/dev/stderr"; exit 1 }}"#
        ));
        let text = LANGUAGE.replace(
            r#"ACQ = "acquire""#,
            "ACQ = \"acquire\"\nREL = \"release\"\nACQ_REL = \"acq_rel\"\nSC = \"sc\"",
        );
        let mut front = FrontEnd::read("lines", &SourceFile::new("lines.toml", text))
            .unwrap_or_else(|e| panic!("{e:?}"));
        let each = table_of(&front, &command, MINUTE).expect("it runs");
        front.order_parameter = Some("{name}".to_owned());
        let all = table_of(&front, &command, MINUTE).expect("it runs");
        assert_eq!(answers(&all), answers(&each), "{special}");
        let found = answers(&all);
        assert_eq!(of(&found, "RMW.SC.sys add b64"), "absent: no such template");
        assert_eq!(of(&found, "R.ACQ.gpu b32"), "absent: no such order");
        assert_eq!(
            found.iter().filter(|(_, a)| a.starts_with("absent")).count(),
            5 + 1,
            "{found:?}"
        );
        assert!(all.runs < each.runs, "{special}: {} and {}", all.runs, each.runs);
    }
    // What an assembler says of all orders together is not said of one.
    let assembler = r#"$2 == "atom" && $3 == "success" { print "ptxas input, line 7; error : two variables" > "/dev/stderr"; exit 1 }"#;
    let one = r#"/atom acquire sys b64/ { print FILENAME ":" NR ":1: error: no such order" > "/dev/stderr"; exit 1 }"#;
    let mut front = language();
    front.order_parameter = Some("{name}".to_owned());
    let found = answers(
        &table_of(&front, &compiler(&format!("{assembler} {one}")), MINUTE).expect("it runs"),
    );
    assert_eq!(of(&found, "RMW.ACQ.sys add b64"), "absent: no such order");
    assert_eq!(found.iter().filter(|(_, a)| a.starts_with("absent")).count(), 1, "{found:?}");
}

/// An object that the compiler does not end with: its time is over, which is said of what is done
/// to it; it does not count as compiled.
#[test]
fn an_object_that_takes_too_long() {
    let special = r#"$2 == "b64" { while (1) { } } $5 == "b64" { print "ERROR: no b64" > "/dev/stderr"; exit 1 }"#;
    let mut front = language();
    front.object = Some("{type} {scope}\n".to_owned());
    let found =
        answers(&table_of(&front, &compiler(special), Duration::from_secs(5)).expect("it runs"));
    let late = |(row, _): &&(String, String)| row.ends_with("b64");
    assert!(
        found
            .iter()
            .filter(late)
            .all(|(_, a)| a == "unknown: the compiler does not end within 1 s"),
        "{found:?}"
    );
    assert_eq!(of(&found, "RMW.ACQ.sys add b32"), "atom.acquire.sys");
}

/// What writes nothing, or nothing that is PTX, whatever it is asked, is not asked about each of
/// hundreds of functions.
#[test]
fn a_program_that_is_no_compiler() {
    let front = front::find("llvm-ir").unwrap_or_else(|e| panic!("{e:?}"));
    for command in ["true {in} {out}", "echo hello {in} > {out}", "kill -SEGV $$ # {in}"] {
        let found = table_of(&front, command, MINUTE).expect("it runs");
        assert!(answers(&found).iter().all(|(_, a)| a.starts_with("unknown: ")), "{command}");
        assert!(answers(&found).len() > 1000 && found.runs < 150, "{command}: {}", found.runs);
    }
}

/// A compiler that passes over an architecture that it does not know: the table says what the PTX
/// is for.
#[test]
fn ptx_for_another_architecture() {
    let front = language();
    let asked = |architecture: &str| {
        let command = CompileCommand {
            template: compiler(""),
            worker: false,
            compiler: None,
            architecture: architecture.to_owned(),
            assembly: None,
            words: Vec::new(),
            limit: MINUTE,
        };
        let outcome =
            compile(&front, &command, &front.points(), 2, &SilentExtraction).expect("it runs");
        Table::new(&front, &command, "test".to_owned(), &outcome)
    };
    assert_eq!(asked("sm_90-ptx84").written_for, None);
    assert_eq!(asked("sm_90a").written_for, None);
    assert_eq!(asked("sm_90-ptx86").written_for.as_deref(), Some("sm_90-ptx84"));
    let other = asked("sm_100");
    assert_eq!(other.written_for.as_deref(), Some("sm_90"));
    let text = map(&other, &Models::default());
    assert!(
        text.contains("// It was asked for sm_100, and wrote PTX for sm_90.\n")
            && text.contains("\narchitecture sm_90\n"),
        "{text}"
    );
}

/// LLVM compiles for another machine, writes the name that it was given all the same, and says so
/// on the side.
#[test]
fn a_processor_that_is_not_recognized() {
    let command = format!(
        "echo \"'sm_9x' is not a recognized processor for this target (ignoring processor)\" >&2; {}",
        compiler("")
    );
    let found = answers(&table(&command, MINUTE).expect("it runs"));
    assert!(
        found.iter().all(|(_, a)| a.starts_with("absent: 'sm_9x' is not a recognized processor")),
        "{found:?}"
    );
}

/// Types and operations that were not asked about are not in the table.
#[test]
fn a_table_of_some_types() {
    let front = language();
    let points: Vec<Point> = front.points().into_iter().filter(|p| p.data == Some(2)).collect();
    let command = CompileCommand {
        template: compiler(""),
        worker: false,
        compiler: None,
        architecture: "sm_90".to_owned(),
        assembly: None,
        words: Vec::new(),
        limit: MINUTE,
    };
    let outcome = compile(&front, &command, &points, 2, &SilentExtraction).expect("it runs");
    let text = map(&Table::new(&front, &command, "test".to_owned(), &outcome), &Models::default());
    assert!(text.contains("\ntypes b32\n") && !text.contains(" b64 "), "{text}");
}

#[test]
fn crashes_endless_loops_and_silence() {
    let crash = compiler(
        r#"/ld relaxed gpu b32/ { print "oops" > "/dev/stderr"; system("kill -SEGV $PPID") }"#,
    );
    let found = answers(&table(&crash, MINUTE).expect("it runs"));
    assert!(of(&found, "R.RLX.gpu b32").starts_with("unknown: the compiler crashes"), "{found:?}");
    assert_eq!(of(&found, "R.RLX.sys b32"), "ld.relaxed.sys");

    let start = Instant::now();
    let endless = compiler(r"/ld relaxed gpu b32/ { while (1) { } }");
    // The other programs have this time, too, on a machine that does other things.
    let found = answers(&table(&endless, Duration::from_secs(6)).expect("it runs"));
    assert!(
        of(&found, "R.RLX.gpu b32").starts_with("unknown: the compiler does not end"),
        "{found:?}"
    );
    assert_eq!(of(&found, "RMW.ACQ.sys add b64"), "atom.acquire.sys");
    assert!(start.elapsed() < MINUTE * 20, "what does not end was ended");

    let nothing = answers(&table("true {in} {out}", MINUTE).expect("it runs"));
    assert!(
        nothing.iter().all(|(_, a)| a == "unknown: the compiler ends well and writes nothing"),
        "{nothing:?}"
    );
    let no_ptx = answers(&table("cp {in} {out}", MINUTE).expect("it runs"));
    assert!(
        no_ptx.iter().all(|(_, a)| a.starts_with("unknown: what came out is no PTX: line 1")),
        "{no_ptx:?}"
    );
    // A function that is left out is that function's row alone.
    let gap = answers(&table(&compiler("/ld acquire gpu b32/ { next }"), MINUTE).expect("it runs"));
    assert_eq!(of(&gap, "R.ACQ.gpu b32"), "unknown: its function is not in the PTX");
    assert_eq!(gap.iter().filter(|(_, a)| a.starts_with("unknown")).count(), 1);
}

/// A compiler that never ends is not waited for point by point; one that leaves something running
/// that holds its output open is not waited for at all.
#[test]
fn what_runs_for_ever_is_ended() {
    let start = Instant::now();
    let found = table("sleep 1000; : {in}", Duration::from_secs(1)).expect("it runs");
    assert!(
        answers(&found).iter().all(|(_, a)| a.starts_with("unknown: the compiler does not end")),
        "{:?}",
        answers(&found)
    );
    let left = format!("sleep 1000 & {}", compiler(""));
    let found = answers(&table(&left, MINUTE).expect("it runs"));
    assert_eq!(of(&found, "R.ACQ.sys b64"), "ld.acquire.sys");
    assert!(start.elapsed() < MINUTE * 15, "{:?}", start.elapsed());
}

/// A compiler for the language in Python, as the helper programs are: `--worker` in place of the
/// files.
const DRIVER: &str = r#"
import os, re, signal, sys, time
import worker

def translate(source, target):
    ptx = [".version 8.4", ".target sm_90", ".address_size 64"]
    for line in open(source):
        name, op, order, scope, type = line.split()
        what = f"{op} {order} {scope} {type}"
        if what == "ld relaxed gpu b32": os.kill(os.getpid(), signal.SIGSEGV)
        if what == "ld relaxed sys b32": print("LLVM ERROR: no such thing", file=sys.stderr); os.abort()
        if what == "ld relaxed gpu b64" and "KILLS" not in os.environ: time.sleep(1000)
        if what == "ld relaxed sys b64": raise SystemExit(f"{source}: ERROR: no such load")
        if what == "ld acquire gpu b32": continue
        if what == "atom relaxed gpu b32" and "KILLS" in os.environ: os.kill(os.getppid(), signal.SIGKILL)
        access = f"ld.{order}.{scope}.{type} %r1, [%d1];" if op == "ld" else f"atom.{scope}.{order}.add.{type} %r1, [%d1], 1;"
        ptx.append(f".visible .func {name}(.param .b64 {name}_0) {{ .reg .b64 %d<3>; .reg .b32 %r<4>; ld.param.u64 %d1, [{name}_0]; {access} ret; }}")
    open(target, "w").write("\n".join(ptx))

open(sys.argv[1], "a").write("x")
worker.serve(translate) if sys.argv[2:] == ["--worker"] else translate(*sys.argv[2:])
"#;

/// One process that compiles many programs answers as a process for each does: what a program does
/// to its compiler (it crashes, hangs, says no, leaves a function out) is that program's row alone.
/// If it breaks itself, the command is asked in its place.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn many_programs_with_one_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let driver = folder.path().join("driver.py");
    std::fs::write(&driver, DRIVER).expect("a file");
    let front = language();
    let asked = |worker: bool, before: &str, name: &str| {
        let starts = folder.path().join(name);
        let template = format!(
            "{before} PYTHONPATH={{drivers}} python3 {} {} {{in}} {{out}}",
            driver.display(),
            starts.display()
        );
        let limit = Duration::from_secs(20);
        let command = CompileCommand {
            template,
            worker,
            compiler: None,
            architecture: "sm_90".to_owned(),
            assembly: None,
            words: Vec::new(),
            limit,
        };
        let outcome =
            compile(&front, &command, &front.points(), 1, &SilentExtraction).expect("it runs");
        (
            answers(&Table::new(&front, &command, "test".to_owned(), &outcome)),
            std::fs::read(starts).expect("starts").len(),
        )
    };
    let (each, many_starts) = asked(false, "", "each");
    let (one, starts) = asked(true, "", "one");
    // The shell has words of its own for a crash.
    let plain = |all: &[(String, String)]| {
        all.iter()
            .map(|(row, a)| {
                (row.clone(), a.split(['(', ':']).take(2).collect::<String>().trim().to_owned())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(plain(&one), plain(&each));
    assert!(of(&one, "R.RLX.gpu b32").starts_with("unknown: the compiler crashes"), "{one:?}");
    assert_eq!(of(&one, "R.RLX.sys b32"), "absent: no such thing");
    assert!(of(&one, "R.RLX.gpu b64").starts_with("unknown: the compiler does not end"), "{one:?}");
    assert_eq!(of(&one, "R.RLX.sys b64"), "absent: no such load");
    assert_eq!(of(&one, "R.ACQ.gpu b32"), "unknown: its function is not in the PTX");
    assert_eq!(of(&one, "RMW.ACQ.sys add b64"), "atom.acquire.sys");
    // It is started once more for each program that does not end.
    assert!(starts < many_starts / 2, "{starts} of {many_starts}");
    let (broken, _) = asked(true, "KILLS=1", "broken");
    assert!(of(&broken, "RMW.RLX.gpu add b32").starts_with("unknown: "), "{broken:?}");
    assert_eq!(of(&broken, "RMW.ACQ.sys add b64"), "atom.acquire.sys");
}

/// LLVM gives up at the first function that it does not compile, and says which it was: it is asked
/// once for each of these, and not for each function beside them.
#[test]
fn a_compiler_that_gives_up_and_says_where() {
    for place in
        [r#""In function: " name"#, r#""2.\tRunning pass 'Selection' on function '@" name "'""#]
    {
        let gives_up = r#"{ print "LLVM ERROR: Cannot do this\n" PLACE > "/dev/stderr"; close("/dev/stderr"); system("kill -ABRT $PPID") }"#;
        let special = format!(
            r#"$2 == "ld" {{ name = $1 }} $2 == "ld" {}"#,
            gives_up.replace("PLACE", place)
        );
        let found = table(&compiler(&special), MINUTE).expect("it runs");
        let all = answers(&found);
        assert_eq!(all.iter().filter(|(_, a)| a == "absent: Cannot do this").count(), 8, "{all:?}");
        assert_eq!(of(&all, "RMW.ACQ.sys add b64"), "atom.acquire.sys");
        // Two programs, one of them or both without one function more each time, and one program of
        // nothing.
        assert!(found.runs <= 8 + 3, "{}", found.runs);
    }
}

/// What is written does not depend on how many compilers run at the same time.
#[test]
fn the_same_with_any_number_of_jobs() {
    let front = language();
    let written = |jobs: usize| {
        let special =
            r#"/atom acquire sys b64/ { print "ERROR: no such thing" > "/dev/stderr"; exit 1 }"#;
        let command = CompileCommand {
            template: compiler(special),
            worker: false,
            compiler: None,
            architecture: "sm_90".to_owned(),
            assembly: None,
            words: Vec::new(),
            limit: MINUTE,
        };
        let outcome =
            compile(&front, &command, &front.points(), jobs, &SilentExtraction).expect("it runs");
        map(&Table::new(&front, &command, "test".to_owned(), &outcome), &Models::default())
    };
    let one = written(1);
    assert_eq!(one, written(2));
    assert_eq!(one, written(5));
}

#[test]
fn a_compiler_that_is_not_there() {
    let wrong = table("/nowhere/llc {in} -o {out}", MINUTE).expect_err("it cannot be started");
    assert!(wrong.contains("/nowhere/llc"), "{wrong}");
    let not_executable = table("/etc/passwd {in}", MINUTE).expect_err("it cannot be started");
    assert!(not_executable.contains("cannot start the compiler"), "{not_executable}");
}

/// An unknown instruction is in the way of its row alone.
#[test]
fn unknown_instructions() {
    let odd = compiler(
        r#"/ld acquire gpu b32/ { print ".visible .func " $1 "(.param .b64 a) { .reg .b64 %d<2>; ld.param.u64 %d1, [a]; quux.sync %d1; ret; }"; next }"#,
    );
    let found = answers(&table(&odd, MINUTE).expect("it runs"));
    assert_eq!(of(&found, "R.ACQ.gpu b32"), "other: the instruction `quux.sync` is not known");
    assert_eq!(found.iter().filter(|(_, a)| a.starts_with("other")).count(), 1);
}

/// Every built-in front end is complete: it has points, and its programs have no placeholder left.
#[test]
fn built_in_front_ends() {
    for name in front::names() {
        let front = front::find(name).unwrap_or_else(|e| panic!("{name}: {e:?}"));
        let points: Vec<(usize, Point)> = front.points().into_iter().enumerate().collect();
        assert!(points.len() > 20, "{name}: {}", points.len());
        let text = front::write(&front, &points).text;
        for word in [
            "type", "order", "failure", "scope", "pointer", "result", "value", "expected", "out",
            "name", "bytes", "unsigned",
        ] {
            assert!(!text.contains(&format!("{{{word}}}")), "{name}: {{{word}}} is left\n");
        }
    }
    assert!(
        front::find("llvm-irr").expect_err("a typo")[0]
            .help
            .as_deref()
            .is_some_and(|h| h.contains("`llvm-ir`"))
    );
    assert_eq!(filled("{a} {b}", &[("a", "x")]), "x {b}");
}
