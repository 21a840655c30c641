//! docs/security.md: every item of the page, and what holds it. An item without a test, or a test of an item that the page does not have, is an error.

use std::path::Path;
use std::process::Output;

use crate::program::{command, err, folder, json, margay, out, said, shell, text, write};

const PAGE: &str = include_str!("../../docs/security.md");

const MP: &str = "PTX mp\n{ x=0; f=0; }\n P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;\n st.weak x, 1         | ld.acquire.gpu r0, f     ;\n \
                  st.release.gpu f, 1  | ld.weak r1, x            ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

/// The beginning of each item, and what holds it.
const ITEMS: &[(&str, fn())] = &[
    ("The `margay.toml` of a project starts no program.", a_project_starts_nothing),
    ("It does not change what counts as right", a_project_changes_no_gate),
    ("Its paths stay in its folder", a_project_stays_in_its_folder),
    ("What it says of the question stands in the answer", a_project_is_named),
    ("It is not read where somebody else may have written it", a_foreign_file_is_not_read),
    ("Your own file, ", your_own_file),
    ("`--no-config` reads neither.", neither_file),
    ("Nothing is started because it lies where you work", nothing_of_the_working_directory),
    ("`gpu check` and `gpu run` start", the_toolkit_that_is_named),
    ("`margay extract FILE.toml` starts what the file says", a_front_end_is_a_script),
    ("`--cmd TEMPLATE` of `extract` and `kernel` starts that command", a_command_is_yours),
    ("`--solver dimacs:COMMAND` starts that command", a_solver_is_named),
    ("`margay diff --git` starts `git`", git_alone),
    ("Without an option that names a place", nothing_is_written),
    ("A relative path that leads out", no_way_out),
    ("In a folder of `--out`, links are neither", links_in_a_folder),
    ("A file of another kind is not written over", nothing_is_lost),
    ("What a command needs for a moment", a_folder_of_its_own),
    ("A test, a model or a mapping starts nothing", limits_hold),
    ("A model includes models and architectures only", only_models),
    ("A mapping that extends another one reads", only_mappings_of_the_folder),
    ("A CUDA program that Margay compiles includes", only_headers_of_the_folder),
    ("The harness beside a kernel, which is read without being named", only_harnesses_of_the_folder),
    ("A file that bears the name of something shipped", shipped_names_are_shipped),
    ("In a folder of tests, a link out of the folder", only_files_of_the_folder),
    ("What a terminal would obey", nothing_obeyed),
    ("A file that you name is read wherever a link leads", who_names_a_file_has_it_read),
    ("No input overflows the stack.", deep_and_many),
    ("A compiler that prints more than", a_compiler_that_talks),
    ("An answer in a folder of `--checkpoint` counts", sealed_answers),
    ("A certificate is not believed but verified", certificates),
    ("What `gpu run --results` and `extract --all --out` keep", results_are_believed),
];

#[test]
fn every_item_of_the_page_holds() {
    let items: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    for item in &items {
        assert!(ITEMS.iter().any(|(begins, _)| item.starts_with(begins)), "no test holds: {item}");
    }
    assert_eq!(items.len(), ITEMS.len());
    for (begins, holds) in ITEMS {
        assert!(items.iter().any(|item| item.starts_with(begins)), "the page does not say: {begins}");
        eprintln!("{begins}");
        holds();
    }
}

fn margay_in(folder: &Path, arguments: &[&str]) -> Output {
    command(arguments).current_dir(folder).output().expect("the program starts")
}

/// A project with these settings, and a test in it.
fn project(name: &str, settings: &str) -> std::path::PathBuf {
    let root = folder(&format!("security/{name}"));
    write(&root, "margay.toml", settings);
    std::fs::create_dir_all(root.join("tests")).expect("a folder");
    write(&root.join("tests"), "mp.litmus", MP);
    write(&root.join("tests"), "expected.txt", "mp.litmus ptx-8 forbidden x\n");
    root
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[cfg(unix)]
fn link(to: impl AsRef<Path>, at: &Path) {
    std::os::unix::fs::symlink(to, at).expect("a link");
}

/// A file that is started.
fn script(path: &Path, lines: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, format!("#!/bin/sh\n{lines}\n")).expect("written");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("ours");
}

fn a_project_starts_nothing() {
    for (settings, key) in [
        ("[extract]\ncmd = 'touch pwned; cat {in} > {out}'\n", "cmd"),
        ("[extract]\ncompiler = 'x'\n", "compiler"),
        ("[extract]\narch = 'sm_90;touch pwned'\n", "arch"),
        ("[extract]\nfront_end = 'x.toml'\n", "front_end"),
        ("[extract]\nall = true\n", "all"),
        ("compilers = 'x'\n", "compilers"),
        ("[gpu.check]\ntoolkit = 'x'\n", "toolkit"),
        ("toolkit = 'x'\n", "toolkit"),
        ("[check]\ncluster = 'slurm'\n", "cluster"),
        ("[check]\ncluster-args = '--x'\n", "cluster-args"),
    ] {
        let root = project("starts", settings);
        for arguments in [&["extract", "clang"][..], &["check", "rc11-to-ptx", "--bound", "1"], &["gpu", "check", "tests"]] {
            said(&margay_in(&root.join("tests"), arguments), 2, &format!("`{key}` cannot be set by the file of a project"));
        }
        assert!(!root.join("tests/pwned").exists());
    }
    let root = project("starts", "[check]\nsolver = 'dimacs:touch pwned'\n");
    said(&margay_in(&root, &["check", "rc11-to-ptx", "--bound", "1"]), 2, "names a program to start");
    assert!(!root.join("pwned").exists());
}

fn a_project_changes_no_gate() {
    for (settings, key) in [
        ("[test]\nbless = true\n", "bless"),
        ("[check]\ncheckpoint = 'x'\n", "checkpoint"),
        ("[gpu.run]\nresults = 'x'\n", "results"),
    ] {
        let root = project("gate", settings);
        let before = std::fs::read(root.join("tests/expected.txt")).expect("it is there");
        said(&margay_in(&root, &["test", "tests"]), 2, &format!("`{key}` cannot be set by the file of a project"));
        assert_eq!(std::fs::read(root.join("tests/expected.txt")).expect("it is there"), before);
    }
}

fn a_project_stays_in_its_folder() {
    let outside = folder("security/outside");
    write(&outside, "secret.cat", "secret words");
    for settings in [
        "[test]\njunit = '../outside/x.xml'\n".to_owned(),
        format!("[test]\njunit = '{}'\n", outside.join("x.xml").display()),
        "[test]\njunit = 'out/x.xml'\n".to_owned(),
        "[test]\nmodel = 'out/secret.cat'\n".to_owned(),
        "[test]\nmodel = 'herd7:../outside/secret.cat'\n".to_owned(),
        "[test]\nfolder = '..'\n".to_owned(),
    ] {
        let root = project("stays", &settings);
        link(&outside, &root.join("out"));
        let output = margay_in(&root.join("tests"), &["test", ".."]);
        said(&output, 2, "leaves the folder of this file");
        assert!(!err(&output).contains("secret words"), "{}", err(&output));
        assert_eq!(names(&outside), ["secret.cat"]);
    }
    for (settings, folder) in
        [("junit = '.git/x.xml'", ".git"), ("junit = 'docs/x.xml'", ".git"), ("junit = 'a/.GIT/x.xml'", ".GIT")]
    {
        let root = project("stays", &format!("[test]\n{settings}\n"));
        std::fs::create_dir_all(root.join(".git")).expect("a folder");
        link(".git", &root.join("docs"));
        said(&margay_in(&root, &["test", "tests"]), 2, &format!("`junit` leads into `{folder}`"));
        assert!(names(&root.join(".git")).is_empty());
    }
    let root = project("stays", "[test]\nfolder = 'tests'\njunit = 'reports/new/x.xml'\n");
    assert_eq!(margay_in(&root.join("tests"), &["test"]).status.code(), Some(0));
    assert!(root.join("reports/new/x.xml").is_file());
}

fn a_project_is_named() {
    let root =
        project("named", "jobs = 1\n[check]\nonly = ['R.SC', 'W.SC']\nsource = 'rc11-scoped'\nbound = 2\n[diff]\nbound = 1\n");
    let asked = ["check", "rc11-to-ptx", "--bound", "1"];
    let output = margay_in(&root, &asked);
    let answer = out(&output);
    let second = answer.lines().nth(1).unwrap_or_default();
    assert_eq!(second, "as margay.toml says: jobs = 1; only = ['R.SC', 'W.SC']; source = 'rc11-scoped'", "{answer}");
    let report = json(&margay_in(&root, &[&asked[..], &["--format", "json"]].concat()));
    let options = serde_json::json!({ "jobs": "1", "only": "['R.SC', 'W.SC']", "source": "'rc11-scoped'" });
    assert_eq!(report["margay_toml"], serde_json::json!({ "file": "margay.toml", "options": options }));
    let page = write(&root, "check.json", report.to_string());
    for form in ["html", "markdown"] {
        let page = margay_in(&root, &["report", &page, "--as", form]);
        assert!(out(&page).contains("only"), "{}", out(&page));
    }
    let root = project("named", "jobs = 1\n");
    let output = margay_in(&root, &asked);
    assert!(err(&output).contains("as margay.toml says: jobs = 1") && !out(&output).contains("margay.toml"), "{}", err(&output));
    // Where there is no answer, what the file says may be what is wrong.
    let root = project("named", "[check]\nlevel = 'execution'\nguards = 2\n");
    said(&margay_in(&root, &asked), 2, "as margay.toml says: level = 'execution'; guards = 2");
    // JUnit and what is no answer are for programs.
    let root = project("named", "[test]\nmodel = 'ptx-8'\n[gpu.emit]\ntarget = 'sm_80'\n");
    for arguments in [&["test", "tests", "--format", "junit"][..], &["gpu", "emit", "tests/mp.litmus"]] {
        let output = margay_in(&root, arguments);
        assert!(err(&output).contains("as margay.toml says") && !out(&output).contains("margay.toml"), "{}", out(&output));
    }
}

fn a_foreign_file_is_not_read() {
    use std::os::unix::fs::PermissionsExt;
    let asked = ["check", "rc11-to-ptx", "--bound", "1"];
    let root = project("foreign", "buond = 4\n");
    let file = root.join("margay.toml");
    let mode = |path: &Path, mode: u32| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours");
    said(&margay_in(&root, &asked), 2, "did you mean `bound`?");
    mode(&file, 0o666);
    said(&margay_in(&root, &asked), 0, "is not read: everybody may write to it");
    said(&margay_in(&root, &[&asked[..], &["--config", "margay.toml"]].concat()), 2, "did you mean `bound`?");
    mode(&file, 0o644);
    mode(&root, 0o777);
    said(&margay_in(&root.join("tests"), &asked), 0, "is not read: everybody may write to its folder");
    mode(&root, 0o755);
    // Only root can give a file away.
    if std::os::unix::fs::chown(&file, Some(12_345), None).is_ok() {
        said(&margay_in(&root, &asked), 0, "is not read: it belongs to another user (number 12345)");
        std::os::unix::fs::chown(&file, Some(0), None).expect("root");
        std::os::unix::fs::chown(&root, Some(12_345), None).expect("root");
        said(&margay_in(&root, &asked), 0, "is not read: its folder belongs to another user (number 12345)");
        std::os::unix::fs::chown(&root, Some(0), None).expect("root");
    }
    std::fs::rename(&file, root.join("other")).expect("moved");
    link("other", &file);
    said(&margay_in(&root, &asked), 0, "is not read: it is a link");
    let report = json(&margay_in(&root, &[&asked[..], &["--format", "json"]].concat()));
    assert!(report["warnings"][0]["message"].as_str().is_some_and(|m| m.contains("is not read")), "{report}");
}

fn your_own_file() {
    let home = folder("security/home");
    std::fs::create_dir_all(home.join("margay")).expect("a folder");
    let solver = home.join("solver");
    script(&solver, &format!("touch {}", home.join("started").display()));
    let own = format!("verbose = true\n[check]\nbound = 1\nsolver = 'dimacs:{}'\n[test]\nbless = true\n", solver.display());
    write(&home.join("margay"), "margay.toml", own);
    let root = project("own", "verbose = false\n[check]\nbound = 2\n");
    let asked = |arguments: &[&str]| {
        command(arguments).current_dir(&root).env("XDG_CONFIG_HOME", &home).output().expect("the program starts")
    };
    asked(&["check", "rc11-to-ptx"]);
    assert!(home.join("started").exists());
    let report = json(&asked(&["check", "rc11-to-ptx", "--solver", "batsat", "--format", "json"]));
    assert_eq!(report["bound"], 2);
    assert_eq!(json(&asked(&["check", "rc11-to-ptx", "--solver", "batsat", "--bound", "1", "--format", "json"]))["bound"], 1);
    write(&root.join("tests"), "expected.txt", "mp.litmus ptx-8 allowed x\n");
    assert!(out(&asked(&["test", "tests"])).contains("written down"));
}

fn neither_file() {
    let home = folder("security/neither");
    std::fs::create_dir_all(home.join("margay")).expect("a folder");
    write(&home.join("margay"), "margay.toml", "nonsense\n");
    let root = project("neither-project", "nonsense\n");
    let asked = |arguments: &[&str]| {
        command(arguments).current_dir(&root).env("XDG_CONFIG_HOME", &home).output().expect("the program starts")
    };
    assert_eq!(asked(&["models"]).status.code(), Some(2));
    assert_eq!(asked(&["models", "--no-config"]).status.code(), Some(0));
}

fn nothing_of_the_working_directory() {
    let root = project("place", "");
    for place in ["target/toolkit/bin", "bin", "target/compilers/llvm-22"] {
        std::fs::create_dir_all(root.join(place)).expect("a folder");
    }
    for program in [
        "target/toolkit/bin/ptxas",
        "target/toolkit/bin/nvdisasm",
        "bin/ptxas",
        "bin/nvdisasm",
        "bin/clang",
        "bin/sh",
        "bin/git",
        "bin/zig",
        "target/compilers/llvm-22/llc",
    ] {
        script(&root.join(program), &format!("touch {}", root.join("pwned").display()));
    }
    write(&root, "m.cat", include_str!("../../models/sc.cat"));
    let own = std::env::var("PATH").unwrap_or_default();
    let run_with = |path: &str, arguments: &[&str]| {
        let mut command = command(arguments);
        command.current_dir(&root).env("PATH", path).env_remove("MARGAY_TOOLKIT").env_remove("MARGAY_COMPILERS");
        command.output().expect("the program starts")
    };
    let run = |arguments: &[&str]| run_with(&format!("bin:.:{own}"), arguments);
    let exchange = ["extract", "zig", "--arch", "sm_90", "--types", "b32", "--operations", "exch"];
    for path in [format!("bin:.:{own}"), format!("{own}::bin"), "bin".to_owned(), String::new()] {
        run_with(&path, &exchange);
        run_with(&path, &["diff", "--git", "HEAD", "m.cat"]);
        assert!(!root.join("pwned").exists(), "{path}");
    }
    // There may be a toolkit on this machine; it is not this one.
    run(&["gpu", "check", "tests"]);
    run(&["gpu", "check", "tests", "--language", "opencl"]);
    said(&run(&["extract", "--all"]), 2, "it has to be named");
    assert!(!root.join("pwned").exists());
}

fn the_toolkit_that_is_named() {
    let root = project("toolkit", "");
    for program in ["ptxas", "nvdisasm"] {
        script(&root.join(program), &format!("touch {}; exit 1", root.join("started").display()));
    }
    for by_option in [true, false] {
        let mut command = command(&["gpu", "check", "tests"]);
        command.current_dir(&root);
        match by_option {
            true => command.args(["--toolkit", "."]),
            false => command.env("MARGAY_TOOLKIT", "."),
        };
        command.output().expect("the program starts");
        assert!(std::fs::remove_file(root.join("started")).is_ok(), "{by_option}");
    }
}

fn a_front_end_is_a_script() {
    let root = folder("security/front-end");
    let template = out(&margay(&["extract", "llvm-ir", "--template"]));
    let own = template.lines().map(|line| match line.strip_prefix("command = ") {
        Some(_) => "command = 'touch started; exit 1 # {in} {out}'".to_owned(),
        None => line.to_owned(),
    });
    let own = own.collect::<Vec<_>>().join("\n");
    assert!(own.contains("touch started"), "{template}");
    write(&root, "own.toml", own);
    let asked = ["extract", "own.toml", "--types", "b32", "--operations", "exch", "--arch"];
    margay_in(&root, &[&asked[..], &["sm_90"]].concat());
    assert!(root.join("started").exists());
    said(&margay_in(&root, &[&asked[..], &["sm_90;touch pwned"]].concat()), 2, "is no name of an architecture");
    assert!(!root.join("pwned").exists());
}

fn a_command_is_yours() {
    let root = project("command", "[kernel]\ncmd = 'touch pwned; cat {in}'\n");
    let lock = std::fs::read_to_string("tests/kernels/lock.ptx").expect("a kernel");
    std::fs::write(root.join("lock.ptx"), &lock).expect("ours");
    said(&margay_in(&root, &["kernel", "lock.ptx"]), 2, "`cmd` cannot be set by the file of a project");
    // The name of a file is one word, whatever is in it.
    let name = "x';touch pwned;'$(touch pwned).cu";
    std::fs::write(root.join(name), lock).expect("ours");
    let asked = ["kernel", name, "--no-config", "--kernel", "ticket_lock", "--launch", "2x1", "--cmd"];
    let output = margay_in(&root, &[&asked[..], &["cat {in} > {out}"]].concat());
    assert!(out(&output).contains("compiled by the command of --cmd"), "{}", err(&output));
    assert!(!root.join("pwned").exists());
}

fn a_solver_is_named() {
    let root = folder("security/solver");
    script(&root.join("solver"), "touch started");
    margay_in(&root, &["check", "rc11-to-ptx", "--bound", "1", "--solver", "dimacs:./solver"]);
    assert!(root.join("started").exists());
}

fn git_alone() {
    let root = folder("security/git");
    let done = shell(
        &root,
        "git init -q . && git config user.name t && git config user.email t@t && cp \"$MODEL\" mine.cat && echo '*.cat diff=evil filter=evil' > \
         .gitattributes && git add . && git commit -qm one",
        &[("MODEL", concat!(env!("CARGO_MANIFEST_DIR"), "/models/sc.cat"))],
    );
    if !done.status.success() {
        return eprintln!("skipped: there is no git: {}", err(&done));
    }
    script(&root.join("evil"), "touch pwned; cat");
    for key in [
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.smudge",
        "gpg.program",
    ] {
        shell(&root, &format!("git config {key} \"$PWD/evil\"; git config log.showSignature true"), &[]);
    }
    let _ = std::fs::remove_file(root.join("pwned"));
    let output = margay_in(&root, &["diff", "mine.cat", "--git", "HEAD", "--bound", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(!root.join("pwned").exists());
}

fn nothing_is_written() {
    let root = project("nothing", "");
    let before = (names(&root), names(&root.join("tests")));
    for arguments in [
        &["check", "rc11-to-ptx", "--bound", "2"][..],
        &["prove", "rc11-to-ptx", "--axiom", "Coherence"],
        &["diff", "sc", "tso", "--bound", "2"],
        &["run", "tests", "--model", "ptx-8"],
        &["test", "tests"],
        &["sim", "tests", "--runs", "10"],
        &["gpu", "run", "tests", "--device", "sim", "--instances", "10"],
        &["gpu", "emit", "tests/mp.litmus"],
        &["explain", "tests/mp.litmus", "--model", "ptx-8"],
        &["classify", "tests"],
        &["gen", "--size", "2"],
        &["models"],
    ] {
        margay_in(&root, arguments);
        assert_eq!((names(&root), names(&root.join("tests"))), before, "{arguments:?}");
    }
}

fn no_way_out() {
    let outside = folder("security/elsewhere");
    let root = project("way-out", "");
    link(&outside, &root.join("out"));
    link(outside.join("file"), &root.join("file"));
    for arguments in [
        &["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--out", "out"][..],
        &["check", "rc11-to-ptx", "--bound", "2", "--certify", "out/new"],
        &["check", "rc11-to-ptx", "--bound", "2", "--checkpoint", "out"],
        &["check", "rc11-to-ptx", "--bound", "2", "--dump-cnf", "out"],
        &["test", "tests", "--junit", "file"],
        &["test", "tests", "--junit", "out/new.xml"],
        &["gen", "--size", "2", "--out", "out"],
        &["man", "out"],
        &["gpu", "run", "tests", "--device", "sim", "--instances", "10", "--results", "file"],
    ] {
        let output = margay_in(&root, arguments);
        assert!(err(&output).contains("links are not followed out of this folder"), "{arguments:?}: {}", err(&output));
        assert_eq!(names(&outside), Vec::<String>::new(), "{arguments:?}");
    }
    // Who writes the place itself means it.
    assert_eq!(margay_in(&root, &["man", text(&outside)]).status.code(), Some(0));
    assert!(names(&outside).len() > 20);
}

fn links_in_a_folder() {
    let outside = folder("security/precious");
    let kept = outside.join("kept");
    write(&outside, "kept", "x");
    let root = folder("security/links");
    let own = root.join("out");
    std::fs::create_dir_all(&own).expect("a folder");
    let sum = shell(&outside, "sha256sum kept", &[]);
    let sum = out(&sum).split(' ').next().unwrap_or_default().to_owned();
    link(&outside, &own.join("deep"));
    link(&kept, &own.join("report.json"));
    write(&own, ".margay.sha256", format!("{sum}  deep/kept\n{sum}  report.json\n{sum}  ../../precious/kept\n"));
    let asked = ["check", "rc11-to-ptx-no-fence-sc-load", "--bound", "4", "--out", "out"];
    let output = margay_in(&root, &asked);
    assert_eq!(output.status.code(), Some(1), "the answer stands: {}", err(&output));
    assert!(err(&output).contains("link"), "{}", err(&output));
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), "x");
    assert_eq!(names(&outside), ["kept"]);
    std::fs::remove_file(own.join("report.json")).expect("removed");
    // A hard link is a file of the folder, and its content lies elsewhere, too.
    for name in ["report.json", "counterexample-1-target.svg", ".margay.sha256"] {
        let _ = std::fs::remove_file(own.join(name));
        std::fs::hard_link(&kept, own.join(name)).expect("a link");
    }
    let output = margay_in(&root, &asked);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), "x");
    assert!(std::fs::read_to_string(own.join("report.json")).expect("it was written").starts_with('{'));
    std::fs::hard_link(&kept, own.join("margay.1")).expect("a link");
    assert_eq!(margay_in(&root, &["man", "out"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), "x");
    // What is listed and changed since stays.
    write(&own, "mine", "changed");
    write(&own, ".margay.sha256", format!("{sum}  mine\n"));
    margay_in(&root, &asked);
    assert!(own.join("mine").is_file() && own.join("report.json").is_file());
}

fn nothing_is_lost() {
    let root = project("kind", "");
    let test = root.join("tests/mp.litmus");
    for arguments in [
        &["gpu", "tune", "tests/mp.litmus", "--device", "sim:titan"][..],
        &["gpu", "table6", "tests/mp.litmus", "--device", "sim", "--instances", "10"],
        &["test", "tests", "--junit", "tests/mp.litmus"],
    ] {
        let output = margay_in(&root, arguments);
        assert!(err(&output).contains("it is there, and is no"), "{arguments:?}: {}", err(&output));
        assert_eq!(std::fs::read_to_string(&test).expect("it is there"), MP, "{arguments:?}");
        assert_eq!(names(&root.join("tests")), ["expected.txt", "mp.litmus"], "{arguments:?}");
    }
}

fn a_folder_of_its_own() {
    let root = folder("security/scratch");
    let place = root.join("tmp");
    std::fs::create_dir_all(&place).expect("a folder");
    for program in ["ptxas", "nvdisasm"] {
        script(&root.join(program), "for last; do :; done\nstat -c '%a %n' \"$TMPDIR\"/* >> \"$TMPDIR/../seen\"\nexit 1");
    }
    let test = write(&root, "mp.litmus", MP);
    let mut asked = command(&["gpu", "check", &test, "--toolkit", text(&root)]);
    asked.env("TMPDIR", &place).output().expect("the program starts");
    let seen = std::fs::read_to_string(root.join("seen")).expect("it was started");
    let modes: Vec<&str> = seen.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(!modes.is_empty() && modes.iter().all(|mode| *mode == "700"), "{seen}");
    assert_eq!(names(&place), Vec::<String>::new(), "it is gone");
}

fn limits_hold() {
    let root = project("limits", "");
    let start = std::time::Instant::now();
    let output = margay_in(
        &root,
        &["check", "rc11-to-ptx", "--level=execution", "--without=R.SC,W.SC,RMW.SC", "--bound", "12", "--timeout", "1s"],
    );
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(start.elapsed().as_secs() < 60);
}

fn only_models() {
    let root = folder("security/include");
    write(&root, "secret", "secret words\n");
    link("secret", &root.join("linked.cat"));
    for included in ["/etc/passwd", "secret", "linked.cat", "../include/secret"] {
        let model =
            write(&root, "m.cat", format!("\"m\"\nlet com = rf | co | fr\ninclude \"{included}\"\nacyclic po | com as sc\n"));
        let output = margay(&["run", text(&root.join("x.litmus")), "--model", &model]);
        assert_eq!(output.status.code(), Some(2));
        let said = err(&output);
        assert!(!said.contains("secret words") && !said.contains("root:"), "{included}: {said}");
    }
    let map = write(&root, "m.map", format!("mapping from {} to ptx-6.0\nR.NA => ld.weak\n", text(&root.join("secret"))));
    assert!(!err(&margay(&["check", &map])).contains("secret words"));
}

fn only_mappings_of_the_folder() {
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
        write(&inner, "mine.map", format!("mapping \"m\" from rc11-scoped to ptx-6.0\nextends \"{base}\"\n"));
        let refused = margay_in(&inner, &["check", "mine.map"]);
        assert_eq!(refused.status.code(), Some(2), "{base}");
        assert!(err(&refused).contains(why) && !err(&refused).contains("a secret"), "{base}: {}", err(&refused));
    }
    let below = inner.join("below");
    std::fs::create_dir_all(&below).expect("a folder");
    write(&below, "base.map", "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\n");
    write(&inner, "mine.map", "mapping \"m\" from rc11-scoped to ptx-6.0\nextends \"below/base.map\"\n");
    assert_eq!(margay_in(&inner, &["check", "mine.map", "--bound", "2"]).status.code(), Some(0));
}

fn only_headers_of_the_folder() {
    let root = folder("security/includes");
    let below = root.join("inner/below");
    std::fs::create_dir_all(&below).expect("a folder");
    let (inner, kernel) = (root.join("inner"), "__global__ void k(int *p) { p[threadIdx.x] = OFFSET; }\n");
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
        assert!(err(&refused).contains(why) && !err(&refused).contains("a secret"), "{include}: {}", err(&refused));
    }
    write(&below, "offset.cuh", "#include \"../more.cuh\"\n");
    write(&inner, "more.cuh", "#define OFFSET 1\n");
    assert_eq!(run("below/offset.cuh").status.code(), Some(0));
}

fn only_harnesses_of_the_folder() {
    let root = folder("security/harness");
    let inner = root.join("inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    write(&root, "secret", "a secret of another folder\n");
    write(&inner, "k.cu", "__global__ void k(int *p) { p[threadIdx.x] = 1; }\n");
    let harness = inner.join("k.harness");
    let asked = |path: &str| {
        let output = margay_in(&root, &["kernel", path, "--compiler", "margay", "--launch", "1x2"]);
        assert_eq!(output.status.code(), Some(2), "{}", out(&output));
        assert!(err(&output).contains("cannot read the harness") && !err(&output).contains("a secret"), "{}", err(&output));
    };
    for target in ["../secret", "/etc/passwd", "/dev/zero", "nowhere"] {
        let _ = std::fs::remove_file(&harness);
        link(target, &harness);
        asked("inner/k.cu");
    }
    std::fs::remove_file(&harness).expect("the link");
    let made = std::process::Command::new("mkfifo").arg(&harness).status().expect("mkfifo is there");
    assert!(made.success());
    asked("inner/k.cu");
    std::fs::remove_file(&harness).expect("the pipe");
    // One of the same folder is read, and one that is named.
    write(&inner, "other.harness", "launch 1x2\n");
    link("other.harness", &harness);
    assert_eq!(margay_in(&root, &["kernel", "inner/k.cu", "--compiler", "margay"]).status.code(), Some(0));
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
        assert!(said.contains("not beside this file") || said.contains("leads out of the folder"), "{program}: {said}");
        assert!(!said.contains("a secret") && !said.contains("root:"), "{program}: {said}");
    }
}

fn shipped_names_are_shipped() {
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
    for (model, verdict) in [("ptx-8", "forbidden: "), ("./ptx-8", "allowed: "), ("ptx-8.cat", "allowed: ")] {
        let (code, answer) = said(&["run", "mp.litmus", "--model", model]);
        assert!(code == Some(0) && answer.starts_with(verdict), "{model}: {answer}");
    }
    write(&root, "rc11-to-ptx", "mapping \"mine\" from rc11-scoped to ptx-6.0\n");
    let (code, answer) = said(&["check", "rc11-to-ptx", "--bound", "2"]);
    assert!(code == Some(0) && answer.contains("<built-in>/rc11-to-ptx.map"), "{answer}");
    assert_eq!(said(&["check", "./rc11-to-ptx", "--bound", "2"]).0, Some(2));
    assert!(!said(&["mappings", "rc11-to-ptx"]).1.contains("\"mine\""));
}

fn only_files_of_the_folder() {
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
            assert_eq!(output.status.code(), Some(2), "{what} {arguments:?}: {}{}", out(&output), err(&output));
            assert!(!err(&output).contains("secret words") && err(&output).contains("cannot read"), "{what}: {}", err(&output));
        }
    };
    each("link", &|| link("../../secret", &tests.join("below/x.litmus")));
    each("folder", &|| link("../..", &tests.join("below/up")));
    each("nowhere", &|| link("nowhere", &tests.join("x.litmus")));
    each("expected.txt", &|| link("../secret", &tests.join("expected.txt")));
    for name in ["none\nno difference.litmus", "\u{1b}[2J.litmus", "\u{202e}x.litmus"] {
        each(name, &|| drop(write(&tests, name, MP)));
    }
    each("bytes", &|| assert!(shell(&tests, "cp mp.litmus \"$(printf 'bad\\377.litmus')\"", &[]).status.success()));
    each("pipe", &|| assert!(shell(&tests, "mkfifo x.litmus", &[]).status.success()));
    // A pipe that is named is read if somebody writes.
    let pipe = tests.join("x.litmus");
    said(&margay(&["run", text(&pipe), "--model", "ptx-8"]), 2, "nobody writes into it");
    let written = shell(&root, "cat tests/mp.litmus > tests/x.litmus & margay run tests/x.litmus --model ptx-8", &[]);
    assert_eq!(written.status.code(), Some(0), "{}", err(&written));
    // A link within is one of the tests.
    std::fs::remove_file(&pipe).expect("removed");
    link("mp.litmus", &tests.join("same.litmus"));
    assert_eq!(margay_in(&root, &["run", "tests", "--model", "ptx-8"]).status.code(), Some(0));
}

fn nothing_obeyed() {
    let root = folder("security/obeyed");
    let evil = "\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}";
    let obeyed = |text: &str| text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
    write(&root, "m.map", format!("mapping \"{evil}\" from rc11-scoped to ptx-6.0\nR.{evil} => ld.weak\n"));
    write(&root, "m.cat", format!("\"{evil}\"\nlet x = {evil}\n"));
    write(&root, "t.litmus", format!("PTX t{evil}\n{{ x=0; }}\n P0 ;\n st.weak x, {evil} ;\n"));
    write(&root, "q\nno counterexample.map", include_str!("../../mappings/rc11-to-ptx.map"));
    write(&root, "q\nnone.cat", include_str!("../../models/tso.cat"));
    write(&root, "q\nnone.litmus", MP);
    write(&root, "q\nnone.ptx", include_str!("../../tests/kernels/lock.ptx"));
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
                !out(&output).lines().chain(err(&output).lines()).any(|line| line.starts_with("no")),
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
    let asked = [
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
        "-o",
        "t.map",
    ];
    let output = margay_in(&root, &asked);
    assert!(!obeyed(&err(&output)) && !obeyed(&out(&output)), "{}", err(&output));
    let table = std::fs::read_to_string(root.join("t.map")).unwrap_or_default();
    assert!(!obeyed(&table), "{table}");
}

fn who_names_a_file_has_it_read() {
    let root = project("behind-a-link", "");
    write(&root, "elsewhere", "PTX t\n{ x=0; }\n P0 ;\n secret words ;\n");
    link("../elsewhere", &root.join("tests/named.litmus"));
    said(&margay_in(&root.join("tests"), &["run", "named.litmus", "--model", "ptx-8"]), 2, "secret words");
    std::fs::remove_file(root.join("tests/expected.txt")).expect("it is there");
    let in_folder = margay_in(&root.join("tests"), &["run", ".", "--model", "ptx-8"]);
    assert!(!err(&in_folder).contains("secret words") && err(&in_folder).contains("link"), "{}", err(&in_folder));
}

fn deep_and_many() {
    let root = folder("security/deep");
    let deep = write(&root, "deep.ptx", format!(".version 8.0\n.target sm_90\n.func f()\n{}", "{".repeat(10_000)));
    said(&margay(&["extract", "--ptx", &deep]), 2, "expected `}` for the `{` in line 4");
    let head = "mapping \"x\" from rc11-scoped to ptx-6.0\n";
    let start = std::time::Instant::now();
    let long = write(&root, "long.map", format!("{head}{} => ld.weak\n", "R.".repeat(100_000)));
    said(&margay(&["check", &long]), 2, "unknown construct");
    let rows: String = (0..5000).map(|n| format!("RX{n}.SC.s => ld.weak\n")).collect();
    let many = write(&root, "many.map", format!("{head}{rows}"));
    let output = margay(&["check", &many]);
    said(&output, 2, "more errors of this kind of input, which are not shown");
    assert!(err(&output).len() < 100_000 && err(&output).contains("950 more errors"), "{}", err(&output).len());
    let errors = json(&margay(&["check", &many, "--format", "json"]));
    assert_eq!(errors["errors"].as_array().map(Vec::len), Some(51));
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

fn a_compiler_that_talks() {
    let root = folder("security/talks");
    script(&root.join("compiler"), "head -c 58000000 /dev/zero | tr '\\0' 'w' >&2\nexit 1");
    let asked =
        ["extract", "llvm-ir", "--cmd", "./compiler {in} {out}", "--arch", "sm_90", "--types", "b32", "--operations", "exch"];
    let start = std::time::Instant::now();
    let output = margay_in(&root, &asked);
    let said = out(&output) + &err(&output);
    assert!(said.contains("prints more than 16 MiB"), "{said}");
    assert!(start.elapsed().as_secs() < 120, "{:?}", start.elapsed());
}

fn sealed_answers() {
    let root = folder("security/sealed");
    let key = root.join("key");
    let check = |key: &Path, more: &[&str]| {
        let asked = ["check", "rc11-to-ptx", "--bound", "3", "--checkpoint", "kept", "--solver", "batsat", "--format", "json"];
        command(&[&asked[..], more].concat()).current_dir(&root).env("MARGAY_KEY", key).output().expect("the program starts")
    };
    let first = check(&key, &[]);
    assert_eq!((first.status.code(), err(&first)), (Some(0), String::new()));
    let again = check(&key, &[]);
    assert_eq!(err(&again), "", "the answers are used");
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&key).expect("it is made").permissions().mode() & 0o777, 0o600);
    }
    let other = check(&root.join("other-key"), &[]);
    assert!(err(&other).contains("sealed with another key"), "{}", err(&other));
    // Without a key nothing is believed, and everything is answered.
    let without = check(Path::new("/dev/null/key"), &[]);
    assert_eq!(without.status.code(), Some(0), "{}", err(&without));
    // It is said once, and not of each answer.
    assert_eq!(err(&without).matches("nobody can tell who wrote them").count(), 1, "{}", err(&without));
    assert_eq!(err(&without).matches("warning").count(), 1, "{}", err(&without));
    let of = |output: &Output| json(output)["verdict"].clone();
    assert_eq!((of(&first), of(&again), of(&other), of(&without)), ("none".into(), "none".into(), "none".into(), "none".into()));
}

fn certificates() {
    let root = folder("security/certificate");
    let certified = margay_in(&root, &["check", "rc11-to-ptx", "--bound", "2", "--certify", "c"]);
    assert_eq!(certified.status.code(), Some(0), "{}", err(&certified));
    assert_eq!(margay_in(&root, &["verify", "c"]).status.code(), Some(0));
    for name in names(&root.join("c")) {
        let file = root.join("c").join(&name);
        let before = std::fs::read(&file).expect("it is there");
        let mut changed = before.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&file, changed).expect("written");
        assert_ne!(margay_in(&root, &["verify", "c"]).status.code(), Some(0), "{name}");
        std::fs::write(&file, before).expect("written");
    }
}

fn results_are_believed() {
    let root = project("results", "");
    let asked = ["gpu", "run", "tests", "--device", "sim", "--instances", "100", "--results", "r.jsonl"];
    assert_eq!(margay_in(&root, &asked).status.code(), Some(0));
    let results = std::fs::read_to_string(root.join("r.jsonl")).expect("written");
    let mut line: serde_json::Value = serde_json::from_str(results.trim()).expect("one line");
    line["violation"] = true.into();
    write(&root, "r.jsonl", format!("{line}\n"));
    assert_eq!(margay_in(&root, &["gpu", "summary", "r.jsonl"]).status.code(), Some(1));
}
