//! docs/security.md, "What a hostile file can do"

use super::{MP, link, margay_in, project, script};
use crate::program::{err, folder, json, margay, out, said, shell, text, write};

/// One exchange, as the compiler of a hostile folder has it.
const EXCHANGE: [&str; 10] = [
    "extract",
    "llvm-ir",
    "--cmd",
    "./compiler {in} {out}",
    "--arch",
    "sm_90",
    "--types",
    "b32",
    "--operations",
    "exch",
];

pub(super) fn limits_hold() {
    let root = project("limits", "");
    let start = std::time::Instant::now();
    let output = margay_in(
        &root,
        &[
            "check",
            "rc11-to-ptx",
            "--level=execution",
            "--without=R.SC,W.SC,RMW.SC",
            "--bound",
            "12",
            "--timeout",
            "1s",
        ],
    );
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(start.elapsed().as_secs() < 600);
}

pub(super) fn only_models() {
    let root = folder("security/include");
    write(&root, "secret", "secret words\n");
    link("secret", &root.join("linked.cat"));
    for included in ["/etc/passwd", "secret", "linked.cat", "../include/secret"] {
        let model = write(
            &root,
            "m.cat",
            format!(
                "\"m\"\nlet com = rf | co | fr\ninclude \"{included}\"\nacyclic po | com as sc\n"
            ),
        );
        let output = margay(&["run", text(&root.join("x.litmus")), "--model", &model]);
        assert_eq!(output.status.code(), Some(2));
        let said = err(&output);
        assert!(!said.contains("secret words") && !said.contains("root:"), "{included}: {said}");
    }
    let map = write(
        &root,
        "m.map",
        format!("mapping from {} to ptx-6.0\nR.NA => ld.weak\n", text(&root.join("secret"))),
    );
    assert!(!err(&margay(&["check", &map])).contains("secret words"));
}

pub(super) fn only_mappings_of_the_folder() {
    let root = folder("security/extends");
    let inner = root.join("inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    let secret = "mapping \"a secret\" from rc11-scoped to ptx-6.0\nR.ACQ.s => secret\n";
    write(&root, "secret.map", secret);
    write(&inner, "secret.txt", secret);
    link(root.join("secret.map"), &inner.join("link.map"));
    let whole = root.join("secret.map").display().to_string();
    for (base, why) in [
        ("../secret.map", "is not read"),
        (&whole, "is not read"),
        ("link.map", "is not read"),
        ("secret.txt", "is no .map file"),
    ] {
        write(
            &inner,
            "mine.map",
            format!("mapping \"m\" from rc11-scoped to ptx-6.0\nextends \"{base}\"\n"),
        );
        let refused = margay_in(&inner, &["check", "mine.map"]);
        assert_eq!(refused.status.code(), Some(2), "{base}");
        assert!(
            err(&refused).contains(why) && !err(&refused).contains("a secret"),
            "{base}: {}",
            err(&refused)
        );
    }
    let below = inner.join("below");
    std::fs::create_dir_all(&below).expect("a folder");
    write(&below, "base.map", "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n");
    write(
        &inner,
        "mine.map",
        "mapping \"m\" from rc11-scoped to ptx-6.0\nextends \"below/base.map\"\n",
    );
    assert_eq!(margay_in(&inner, &["check", "mine.map", "--bound", "2"]).status.code(), Some(0));
}

pub(super) fn only_headers_of_the_folder() {
    let root = folder("security/includes");
    let below = root.join("inner/below");
    std::fs::create_dir_all(&below).expect("a folder");
    let (inner, kernel) =
        (root.join("inner"), "__global__ void k(int *p) { p[threadIdx.x] = OFFSET; }\n");
    write(&root, "secret.cuh", "a secret of another folder\n");
    link(root.join("secret.cuh"), &inner.join("link.cuh"));
    let whole = root.join("secret.cuh").display().to_string();
    let run = |include: &str| {
        write(&inner, "k.cu", format!("#include \"{include}\"\n{kernel}"));
        margay_in(&inner, &["kernel", "k.cu", "--compiler", "margay", "--launch", "1x2"])
    };
    let _ = std::process::Command::new("mkfifo").arg(inner.join("pipe.cuh")).status();
    write(&inner, "huge.cuh", " ".repeat((16 << 20) + 1));
    write(&inner, "first.cuh", "#include \"second.cuh\"\n");
    write(&inner, "second.cuh", "#include \"first.cuh\"\n");
    for (include, why) in [
        ("../secret.cuh", "leads out of the folder"),
        ("below/../../secret.cuh", "leads out of the folder"),
        ("link.cuh", "is a link to"),
        (&whole, "from the root of the file system"),
        ("pipe.cuh", "a device or a pipe"),
        ("below", "it is a folder"),
        ("huge.cuh", "bytes"),
        ("-", "there is no file"),
        ("first.cuh", "or without end, `first.cuh` among them"),
    ] {
        let refused = run(include);
        assert_eq!(refused.status.code(), Some(2), "{include}");
        assert!(
            err(&refused).contains(why) && !err(&refused).contains("a secret"),
            "{include}: {}",
            err(&refused)
        );
    }
    write(&below, "offset.cuh", "#include \"../more.cuh\"\n");
    write(&inner, "more.cuh", "#define OFFSET 1\n");
    assert_eq!(run("below/offset.cuh").status.code(), Some(0));
}

pub(super) fn only_harnesses_of_the_folder() {
    let root = folder("security/harness");
    let inner = root.join("inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    write(&root, "secret", "a secret of another folder\n");
    write(&inner, "k.cu", "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n");
    let harness = inner.join("k.harness");
    let asked = |path: &str| {
        let output = margay_in(&root, &["kernel", path, "--compiler", "margay", "--launch", "1x2"]);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(
            err(&output).contains("cannot read the harness") && !err(&output).contains("a secret"),
            "{}",
            err(&output)
        );
    };
    for target in ["../secret", "/etc/passwd", "/dev/zero", "nowhere"] {
        let _ = std::fs::remove_file(&harness);
        link(target, &harness);
        asked("inner/k.cu");
    }
    std::fs::remove_file(&harness).expect("the link");
    let made =
        std::process::Command::new("mkfifo").arg(&harness).status().expect("mkfifo is there");
    assert!(made.success());
    asked("inner/k.cu");
    std::fs::remove_file(&harness).expect("the pipe");
    // One of the same folder is read, and one that is named.
    write(&inner, "other.harness", "launch 1x2\n");
    link("other.harness", &harness);
    assert_eq!(
        margay_in(&root, &["kernel", "inner/k.cu", "--compiler", "margay"]).status.code(),
        Some(0)
    );
    std::fs::remove_file(&harness).expect("the link");
    link("../named.harness", &harness);
    write(&root, "named.harness", "launch 1x2\n");
    let named = ["kernel", "inner/k.cu", "--compiler", "margay", "--harness", "inner/k.harness"];
    assert_eq!(margay_in(&root, &named).status.code(), Some(0));
    // The program of an application.
    link("../secret", &inner.join("p.ptx"));
    for program in ["p.ptx", "../secret", "/etc/passwd"] {
        let launch = "[[launch]]\nkernel = \"k\"\nblocks = 1\nthreads = 1\narguments = []\n";
        write(&inner, "app.toml", format!("program = \"{program}\"\npost = []\n{launch}"));
        let output = margay_in(&root, &["app", "test", "inner/app.toml", "--runs", "1"]);
        assert_eq!(output.status.code(), Some(2), "{program}: {}", out(&output));
        let said = err(&output);
        assert!(
            said.contains("not beside this file") || said.contains("leads out of the folder"),
            "{program}: {said}"
        );
        assert!(!said.contains("a secret") && !said.contains("root:"), "{program}: {said}");
    }
}

pub(super) fn shipped_names_are_shipped() {
    let root = folder("security/names");
    write(&root, "mp.litmus", MP);
    for name in ["ptx-8", "ptx-8.cat"] {
        write(&root, name, "\"mine\"\nempty po & rf as Nothing\n");
    }
    let said = |arguments: &[&str]| {
        let output = margay_in(&root, arguments);
        (output.status.code(), out(&output) + &err(&output))
    };
    let elsewhere = folder("security/no-names");
    write(&elsewhere, "mp.litmus", MP);
    let shipped = out(&margay_in(&elsewhere, &["models", "ptx-8"]));
    assert_eq!(said(&["models", "ptx-8"]), (Some(0), shipped.clone()));
    for (model, verdict) in
        [("ptx-8", "forbidden: "), ("./ptx-8", "allowed: "), ("ptx-8.cat", "allowed: ")]
    {
        let (code, answer) = said(&["run", "mp.litmus", "--model", model]);
        assert!(code == Some(0) && answer.starts_with(verdict), "{model}: {answer}");
    }
    write(&root, "rc11-to-ptx", "mapping \"mine\" from rc11-scoped to ptx-6.0\n");
    let (code, answer) = said(&["check", "rc11-to-ptx", "--bound", "2"]);
    assert!(code == Some(0) && answer.contains("<built-in>/rc11-to-ptx.map"), "{answer}");
    assert_eq!(said(&["check", "./rc11-to-ptx", "--bound", "2"]).0, Some(2));
    assert!(!said(&["mappings", "rc11-to-ptx"]).1.contains("\"mine\""));
}

pub(super) fn only_files_of_the_folder() {
    let root = folder("security/tests");
    write(&root, "secret", "secret words\n");
    let tests = root.join("tests");
    let each = |what: &str, make: &dyn Fn()| {
        let _ = std::fs::remove_dir_all(&tests);
        std::fs::create_dir_all(tests.join("below")).expect("a folder");
        write(&tests, "mp.litmus", MP);
        make();
        for arguments in [
            &["test", "tests"][..],
            &["run", "tests", "--model", "ptx-8"],
            &["sim", "tests", "--runs", "10"],
            &["classify", "tests"],
        ] {
            let output = margay_in(&root, arguments);
            // A list of verdicts is read by `test` alone.
            if what == "expected.txt" && arguments[0] != "test" {
                continue;
            }
            assert_eq!(
                output.status.code(),
                Some(2),
                "{what} {arguments:?}: {}{}",
                out(&output),
                err(&output)
            );
            assert!(
                !err(&output).contains("secret words") && err(&output).contains("cannot read"),
                "{what}: {}",
                err(&output)
            );
        }
    };
    each("link", &|| link("../../secret", &tests.join("below/x.litmus")));
    each("folder", &|| link("../..", &tests.join("below/up")));
    each("nowhere", &|| link("nowhere", &tests.join("x.litmus")));
    each("expected.txt", &|| link("../secret", &tests.join("expected.txt")));
    for name in ["none\nno difference.litmus", "\u{1b}[2J.litmus", "\u{202e}x.litmus"] {
        each(name, &|| drop(write(&tests, name, MP)));
    }
    each("bytes", &|| {
        assert!(shell(&tests, "cp mp.litmus \"$(printf 'bad\\377.litmus')\"", &[]).status.success())
    });
    each("pipe", &|| assert!(shell(&tests, "mkfifo x.litmus", &[]).status.success()));
    // A pipe that is named is read if somebody writes.
    let pipe = tests.join("x.litmus");
    said(&margay(&["run", text(&pipe), "--model", "ptx-8"]), 2, "nobody writes into it");
    let written = shell(
        &root,
        "cat tests/mp.litmus > tests/x.litmus & margay run tests/x.litmus --model ptx-8",
        &[],
    );
    assert_eq!(written.status.code(), Some(0), "{}", err(&written));
    // A link within is one of the tests.
    std::fs::remove_file(&pipe).expect("removed");
    link("mp.litmus", &tests.join("same.litmus"));
    assert_eq!(margay_in(&root, &["run", "tests", "--model", "ptx-8"]).status.code(), Some(0));
}

pub(super) fn nothing_obeyed() {
    let root = folder("security/obeyed");
    let evil = "\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}";
    let obeyed = |text: &str| text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
    write(
        &root,
        "m.map",
        format!("mapping \"{evil}\" from rc11-scoped to ptx-6.0\nR.{evil} => ld.weak\n"),
    );
    write(&root, "m.cat", format!("\"{evil}\"\nlet x = {evil}\n"));
    write(&root, "t.litmus", format!("PTX t{evil}\n{{ x=0; }}\n P0 ;\n st.weak x, {evil} ;\n"));
    write(&root, "q\nno counterexample.map", include_str!("../../../mappings/rc11-to-ptx.map"));
    write(&root, "q\nnone.cat", include_str!("../../../models/tso.cat"));
    write(&root, "q\nnone.litmus", MP);
    write(&root, "q\nnone.ptx", include_str!("../../../tests/kernels/lock.ptx"));
    for arguments in [
        &["check", "m.map"][..],
        &["diff", "m.cat", "sc", "--bound", "2"],
        &["run", "t.litmus", "--model", "sc"],
        &["run", evil, "--model", evil],
        // A name that is typed by completing it.
        &["check", "q\nno counterexample.map"],
        &["prove", "q\nno counterexample.map"],
        &["diff", "q\nno counterexample.map", "rc11-to-ptx"],
        &["diff", "q\nnone.cat", "sc", "--bound", "2"],
        &["run", "q\nnone.litmus", "--model", "sc"],
        &["kernel", "q\nnone.ptx", "--launch", "2x1"],
    ] {
        for format in ["human", "json"] {
            let output = margay_in(&root, &[arguments, &["--format", format]].concat());
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(!obeyed(&out(&output)) && !obeyed(&err(&output)), "{arguments:?} {format}");
            assert!(
                !out(&output)
                    .lines()
                    .chain(err(&output).lines())
                    .any(|line| line.starts_with("no")),
                "{arguments:?} {format}"
            );
        }
    }
    // What a compiler says goes into a table.
    script(
        &root.join("compiler"),
        &format!(
            "[ \"$1\" = --version ] && {{ printf 'evil 1.2 {evil}\\n'; exit 0; }}\nprintf 'error: {evil} no\\n' >&2\nexit 1"
        ),
    );
    let output = margay_in(&root, &[&EXCHANGE[..], &["-o", "t.map"]].concat());
    assert!(!obeyed(&err(&output)) && !obeyed(&out(&output)), "{}", err(&output));
    let table = std::fs::read_to_string(root.join("t.map")).unwrap_or_default();
    assert!(!obeyed(&table), "{table}");
}

pub(super) fn who_names_a_file_has_it_read() {
    let root = project("behind-a-link", "");
    write(&root, "elsewhere", "PTX t\n{ x=0; }\n P0 ;\n secret words ;\n");
    link("../elsewhere", &root.join("tests/named.litmus"));
    said(
        &margay_in(&root.join("tests"), &["run", "named.litmus", "--model", "ptx-8"]),
        2,
        "secret words",
    );
    std::fs::remove_file(root.join("tests/expected.txt")).expect("it is there");
    let in_folder = margay_in(&root.join("tests"), &["run", ".", "--model", "ptx-8"]);
    assert!(
        !err(&in_folder).contains("secret words") && err(&in_folder).contains("link"),
        "{}",
        err(&in_folder)
    );
}

pub(super) fn deep_and_many() {
    let root = folder("security/deep");
    let deep = write(
        &root,
        "deep.ptx",
        format!(".version 8.0\n.target sm_90\n.func f()\n{}", "{".repeat(10_000)),
    );
    said(&margay(&["extract", "--ptx", &deep]), 2, "expected `}` for the `{` in line 4");
    let head = "mapping \"x\" from rc11-scoped to ptx-6.0\n";
    let start = std::time::Instant::now();
    let long = write(&root, "long.map", format!("{head}{} => ld.weak\n", "R.".repeat(100_000)));
    said(&margay(&["check", &long]), 2, "unknown construct");
    let rows: String = (0..5000).map(|n| format!("RX{n}.SC.s => ld.weak\n")).collect();
    let many = write(&root, "many.map", format!("{head}{rows}"));
    let output = margay(&["check", &many]);
    said(&output, 2, "more errors of this kind of input, which are not shown");
    assert!(
        err(&output).len() < 100_000 && err(&output).contains("950 more errors"),
        "{}",
        err(&output).len()
    );
    let errors = json(&margay(&["check", &many, "--format", "json"]));
    assert_eq!(errors["errors"].as_array().map(Vec::len), Some(51));
    assert!(start.elapsed().as_secs() < 600, "{:?}", start.elapsed());
}

pub(super) fn a_compiler_that_talks() {
    let root = folder("security/talks");
    script(&root.join("compiler"), "head -c 58000000 /dev/zero | tr '\\0' 'w' >&2\nexit 1");
    let start = std::time::Instant::now();
    let output = margay_in(&root, &EXCHANGE);
    let said = out(&output) + &err(&output);
    assert!(said.contains("prints more than 16 MiB"), "{said}");
    assert!(start.elapsed().as_secs() < 600, "{:?}", start.elapsed());
}
