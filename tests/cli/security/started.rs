//! docs/security.md, "What is started"

use super::{margay_in, project, script};
use crate::program::{command, err, folder, margay, out, said, shell, write};

pub(super) fn nothing_of_the_working_directory() {
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
    write(&root, "m.cat", include_str!("../../../models/sc.cat"));
    let own = std::env::var("PATH").unwrap_or_default();
    let run_with = |path: &str, arguments: &[&str]| {
        let mut command = command(arguments);
        command
            .current_dir(&root)
            .env("PATH", path)
            .env_remove("MARGAY_TOOLKIT")
            .env_remove("MARGAY_COMPILERS");
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

pub(super) fn the_toolkit_that_is_named() {
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

pub(super) fn a_front_end_is_a_script() {
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
    said(
        &margay_in(&root, &[&asked[..], &["sm_90;touch pwned"]].concat()),
        2,
        "is no name of an architecture",
    );
    assert!(!root.join("pwned").exists());
}

pub(super) fn a_command_is_yours() {
    let root = project("command", "[kernel]\ncmd = 'touch pwned; cat {in}'\n");
    let lock = std::fs::read_to_string("tests/kernels/lock.ptx").expect("a kernel");
    std::fs::write(root.join("lock.ptx"), &lock).expect("ours");
    said(
        &margay_in(&root, &["kernel", "lock.ptx"]),
        2,
        "`cmd` cannot be set by the file of a project",
    );
    // The name of a file is one word, whatever is in it.
    let name = "x';touch pwned;'$(touch pwned).cu";
    std::fs::write(root.join(name), lock).expect("ours");
    let asked =
        ["kernel", name, "--no-config", "--kernel", "ticket_lock", "--launch", "2x1", "--cmd"];
    let output = margay_in(&root, &[&asked[..], &["cat {in} > {out}"]].concat());
    assert!(out(&output).contains("compiled by the command of --cmd"), "{}", err(&output));
    assert!(!root.join("pwned").exists());
}

pub(super) fn a_solver_is_named() {
    let root = folder("security/solver");
    script(&root.join("solver"), "touch started");
    margay_in(&root, &["check", "rc11-to-ptx", "--bound", "1", "--solver", "dimacs:./solver"]);
    assert!(root.join("started").exists());
}

pub(super) fn git_alone() {
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
        shell(
            &root,
            &format!("git config {key} \"$PWD/evil\"; git config log.showSignature true"),
            &[],
        );
    }
    let _ = std::fs::remove_file(root.join("pwned"));
    let output = margay_in(&root, &["diff", "mine.cat", "--git", "HEAD", "--bound", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(!root.join("pwned").exists());
}
