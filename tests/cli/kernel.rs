//! `margay kernel`: GPU kernels in PTX and CUDA.

use crate::program::{err, folder, json, margay, out, text, write};

const LOCK: &str = "tests/kernels/lock.ptx";
const FLAG: &str = "tests/kernels/flag.ptx";

/// The first line says what was asked, at which launches, and what was not answered; the test that
/// is printed is confirmed by `run`.
#[test]
fn a_race_is_told_at_its_lines_and_confirmed() {
    let files = folder("kernel");
    let path = files.to_str().expect("a path of text");
    let output =
        margay(&["kernel", LOCK, "--kernel", "ticket_lock_without_release", "--out", path]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    assert!(text.starts_with("counterexample: `ticket_lock_without_release`, data race in launch 2x1 (blocks of one thread: it asks neither which thread it is nor which block it is in) under ptx-8"), "{text}");
    for part in [
        "lock.cu:42 (PTX line 143, `ld.global.u32 %r3, [counter]`)",
        "lock.cu:43",
        "`st.release.sys.u32`",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let drawn =
        std::fs::read_to_string(files.join("ticket_lock_without_release-2x1-1-data-race.svg"))
            .expect("a picture");
    assert!(drawn.starts_with("<svg") && drawn.contains("data race"), "{drawn}");
    let test = files.join("ticket_lock_without_release-2x1-1-data-race.litmus");
    let races = files.join("ptx-8-races.cat");
    let [test, races] = [test, races].map(|p| p.to_str().expect("a path of text").to_owned());
    let confirmed = out(&margay(&["run", &test, "--model", &races]));
    assert!(confirmed.contains("racy"), "{confirmed}");
}

#[test]
fn a_kernel_without_a_finding_says_what_was_asked() {
    let output = margay(&[
        "kernel",
        FLAG,
        "--kernel",
        "fenced_flag",
        "--launch",
        "2x1",
        "--final",
        "arg2[1] == 42",
    ]);
    let text = out(&output);
    let first = "none: `fenced_flag` has no data race or other finding, and arg2[1] == 42 at the end in launch \
                 2x1 under ptx-8; arrays hold zeros, and for races 7 other contents of arg0\n";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(output.status.code(), Some(0));
    let asked = ["kernel", FLAG, "--kernel", "fenced_flag", "--launch", "2x1"];
    let given = out(&margay(&[&asked[..], &["--arg", "0=array:{7*}"]].concat()));
    let first = given.lines().next().unwrap_or_default();
    assert!(first.contains("; arrays that are not given hold zeros"), "{given}");
    let found = json(&margay(&[
        "kernel",
        FLAG,
        "--kernel",
        "plain_flag",
        "--launch",
        "2x1",
        "--format",
        "json",
    ]));
    assert_eq!(
        (&found["verdict"], &found["kernels"][0]["launches"][0]["findings"][0]["kind"]),
        (&"counterexample".into(), &"data-race".into())
    );
    let at = &found["kernels"][0]["launches"][0]["findings"][0]["threads"][0]["at"];
    assert_eq!(
        (&at["file"], &at["line"], &at["ptx_line"]),
        (&"flag.cu".into(), &5.into(), &55.into())
    );
}

/// Waits are not looked into where threads of a block meet at barriers: the first line does not
/// claim it.
#[test]
fn what_was_not_looked_into_is_not_claimed() {
    let output = margay(&[
        "kernel",
        "tests/kernels/barrier.ptx",
        "--kernel",
        "barrier_with_fences",
        "--launch",
        "2x2",
    ]);
    let text = out(&output);
    assert!(
        text.contains("has no data race or other finding in launch 2x2; executions with an endless wait were not looked into"),
        "{text}"
    );
}

#[test]
fn wrong_input_is_refused_with_its_place() {
    let files = folder("kernel-wrong");
    let cut = write(&files, "cut.ptx", &std::fs::read_to_string(LOCK).expect("a kernel")[..900]);
    let other = write(&files, "other.ptx", "int main() { return 0; }\n");
    let empty = write(&files, "empty.ptx", "");
    let none = write(&files, "none.ptx", ".version 8.5\n.target sm_90\n");
    std::fs::create_dir_all(files.join("folder.cu")).expect("a folder");
    let within = files.join("folder.cu").display().to_string();
    for (arguments, part) in [
        (&[cut.as_str()][..], "cut.ptx:44"),
        (&[&other], "expected `.version` at the start of PTX, found `int`"),
        (&[&empty], "an empty text"),
        (&[&none], "there is no kernel"),
        (&["no-such-file.ptx"], "cannot read no-such-file.ptx"),
        (&["no-such-file.cu"], "there is no such file"),
        (&[&within], "it is a folder"),
        (&[&within, "--cmd", "true {in}"], "it is a folder"),
        (&["/dev/zero"], "cannot read"),
        (&[LOCK, "--kernel", "ticket_lok"], "did you mean `ticket_lock`?"),
        (&[LOCK, "--launch", "2"], "expected blocks and threads"),
        (&[LOCK, "--launch", "99x99"], "at most 4096"),
        (&[LOCK, "--arg", "0=1"], "there is no parameter 0: `lock_without_fences` has none"),
        (&[LOCK, "--arg", "0=1"], "`--kernel NAME` asks about one kernel"),
        (
            &[LOCK, "--kernel", "ticket_lock", "--final", "nowhere == 1"],
            "there is no array `nowhere`",
        ),
        (
            &[LOCK, "--kernel", "ticket_lock", "--arg", "0=1"],
            "What is passed, says how arguments and conditions are written",
        ),
        (&[LOCK, "--kernel", "ticket_lock", "--final", "counter =="], "cannot be asked"),
        (&["tests/kernels/lock.cu", "--toolkit", "/nowhere"], "there is no bin/nvcc"),
    ] {
        let output = margay(&[&["kernel"], arguments].concat());
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}{}",
            out(&output),
            err(&output)
        );
        assert!(err(&output).contains(part), "{arguments:?}: {}", err(&output));
    }
}

/// A harness that names a parameter that is not there is shown with its line, and so is none where
/// the command line says it.
#[test]
fn a_parameter_that_is_not_there_has_a_line() {
    let files = folder("kernel-parameter");
    let lock = write(&files, "lock.ptx", std::fs::read_to_string(LOCK).expect("a kernel"));
    write(&files, "lock.harness", "launch 2x1\nkernel ticket_lock\narg 7=4\n");
    let asked = ["kernel", lock.as_str(), "--kernel", "ticket_lock"];
    let output = margay(&asked);
    assert_eq!(output.status.code(), Some(2), "{}", out(&output));
    for part in [
        "there is no parameter 7: `ticket_lock` has none",
        "lock.harness:3:5",
        "the harness asks for it",
    ] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
    write(&files, "lock.harness", "launch 2x1\n");
    let output = margay(&[&asked[..], &["--arg", "7=4"]].concat());
    assert!(
        err(&output).contains("there is no parameter 7") && !err(&output).contains("harness asks"),
        "{}",
        err(&output)
    );
}

/// Where nothing was given, no answer says that something was.
#[test]
fn a_kernel_without_numbers_is_told_of_as_such() {
    let files = folder("kernel-nothing-given");
    let text = "__device__ int x;\n__global__ void never() { if (blockDim.x == 77) x = 1; }\n";
    let kernel = write(&files, "never.cu", text);
    let output = margay(&["kernel", &kernel, "--compiler", "margay", "--launch", "2x1"]);
    let said = out(&output);
    let first = said.lines().next().unwrap_or_default();
    assert!(
        first.contains("; no thread accesses memory that others see")
            && !first.contains("what was given"),
        "{said}"
    );
}

/// What is unknown leaves it undecided, with the line.
#[test]
fn unknown_instructions_are_named() {
    let files = folder("kernel-unknown");
    let text = std::fs::read_to_string(FLAG)
        .expect("a kernel")
        .replace("membar.gl;", "frobnicate.u32 %r1;");
    let path = write(&files, "unknown.ptx", &text);
    let output = margay(&["kernel", &path, "--kernel", "fenced_flag", "--launch", "2x1"]);
    let said = out(&output);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.starts_with("undecided: `fenced_flag`"), "{said}");
    assert!(
        said.contains("PTX line 110, `frobnicate.u32 %r1`: the instruction is not known"),
        "{said}"
    );
}

/// Compilers of C++ write parameters into the names of PTX: a kernel is found by its name in the
/// source, too, on the command line and in a harness.
#[test]
fn kernels_are_found_by_their_names_in_the_source() {
    let files = folder("kernel-mangled");
    let text = std::fs::read_to_string(FLAG)
        .expect("a kernel")
        .replace("fenced_flag", "_ZN5flags11fenced_flagEPiPVi");
    let path = write(
        &files,
        "mangled.ptx",
        format!("// margay: kernel fenced_flag\n// margay: launch 2x1\n{text}"),
    );
    for name in ["fenced_flag", "flags::fenced_flag", "_ZN5flags11fenced_flagEPiPVi"] {
        let said = out(&margay(&["kernel", &path, "--kernel", name]));
        assert!(
            said.starts_with("none: `_ZN5flags11fenced_flagEPiPVi`")
                && said.contains("in launch 2x1 under"),
            "{said}"
        );
    }
    assert!(
        err(&margay(&["kernel", &path, "--kernel", "flag"])).contains("there is no kernel `flag`")
    );
}

/// Store buffering is an outcome of weak memory alone: asked by name, shown with the model that
/// forbids it, and nothing where it is not asked.
#[test]
fn what_only_weak_memory_shows() {
    let dir = folder("kernel-weak");
    let thread = |own: &str, other: &str, place: u32| {
        format!(
            "st.relaxed.gpu.global.u32 [{own}], 1;\nld.relaxed.gpu.global.u32 %r2, [{other}];\nst.global.u32 [out+{place}], %r2;\nret;\n"
        )
    };
    let ptx = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 x;\n.visible .global .align 4 .u32 y;\n\
         .visible .global .align 4 .b8 out[8];\n.visible .entry buffers()\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\nmov.u32 %r1, %ctaid.x;\n\
         setp.ne.u32 %p1, %r1, 0;\n@%p1 bra $SECOND;\n{}$SECOND:\n{}}}\n",
        thread("x", "y", 0),
        thread("y", "x", 4)
    );
    let file = dir.join("buffers.ptx");
    std::fs::write(&file, ptx).unwrap();
    let asked =
        |more: &[&str]| margay(&[&["kernel", text(&file), "--launch", "2x1"], more].concat());
    assert_eq!(asked(&[]).status.code(), Some(0));
    let tests = dir.join("tests");
    let shown = asked(&["--weak", "--out", text(&tests)]);
    assert_eq!(shown.status.code(), Some(1), "{}", out(&shown));
    assert!(
        out(&shown)
            .starts_with("counterexample: `buffers`, a final state of global memory that only weak memory has in launch 2x1"),
        "{}",
        out(&shown)
    );
    let test = tests.join("buffers-2x1-1-weak-memory-only.litmus");
    let run = |model: &str| {
        out(&margay(&["run", text(&test), "--model", model]))
            .split(':')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        (run("ptx-8"), run(text(&tests.join("interleavings.cat")))),
        ("allowed".to_owned(), "forbidden".to_owned())
    );
    let none = margay(&[
        "kernel",
        "tests/kernels/locks.ptx",
        "--kernel",
        "ticket_lock",
        "--launch",
        "2x1",
        "--weak",
    ]);
    assert!(
        out(&none)
            .contains("no final state of global memory that only weak memory has in launch 2x1"),
        "{}",
        out(&none)
    );
    assert_eq!(none.status.code(), Some(0));
}

/// Memory that is read before it is written, in text, JSON and SARIF, with its line; the right
/// version is quiet.
#[test]
fn memory_that_is_read_before_it_is_written_is_told_in_all_formats() {
    let files = folder("kernel-undefined");
    let kernel = |code: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .shared .align 4 .b8 s[4];\nld.param.u64 %rd1, [out];\n{code}\nld.shared.u32 %r1, [s];\nst.global.u32 [%rd1], %r1;\nret;\n}}\n"
        )
    };
    let wrong = write(&files, "wrong.ptx", kernel(""));
    let right = write(&files, "right.ptx", kernel("st.shared.u32 [s], 1;"));
    let output = margay(&["kernel", &wrong, "--launch", "1x1"]);
    assert!(
        out(&output)
            .starts_with("counterexample: `k`, memory is read before it is written in launch 1x1"),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("PTX line 11, `ld.shared.u32 %r1, [s]`"), "{}", out(&output));
    assert_eq!(output.status.code(), Some(1));
    let found = json(&margay(&["kernel", &wrong, "--launch", "1x1", "--format", "json"]));
    let finding = &found["kernels"][0]["launches"][0]["findings"][0];
    assert_eq!(
        (&finding["kind"], &finding["threads"][0]["at"]["ptx_line"]),
        (&"read-before-written".into(), &11.into())
    );
    let sarif = out(&margay(&["kernel", &wrong, "--launch", "1x1", "--format", "sarif"]));
    assert!(
        sarif.contains("\"ruleId\": \"read-before-written\"")
            && sarif.contains("\"startLine\": 11"),
        "{sarif}"
    );
    assert_eq!(margay(&["kernel", &right, "--launch", "1x1"]).status.code(), Some(0));
}
