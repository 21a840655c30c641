//! docs/security.md, "What is written"

use super::{MP, link, margay_in, names, project, script};
use crate::program::{command, err, folder, out, shell, text, write};

pub(super) fn nothing_is_written() {
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

pub(super) fn no_way_out() {
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
        assert!(
            err(&output).contains("links are not followed out of this folder"),
            "{arguments:?}: {}",
            err(&output)
        );
        assert_eq!(names(&outside), Vec::<String>::new(), "{arguments:?}");
    }
    // Who writes the place itself means it.
    assert_eq!(margay_in(&root, &["man", text(&outside)]).status.code(), Some(0));
    assert!(names(&outside).len() > 20);
}

pub(super) fn links_in_a_folder() {
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
    write(
        &own,
        ".margay.sha256",
        format!("{sum}  deep/kept\n{sum}  report.json\n{sum}  ../../precious/kept\n"),
    );
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
    assert!(
        std::fs::read_to_string(own.join("report.json")).expect("it was written").starts_with('{')
    );
    std::fs::hard_link(&kept, own.join("margay.1")).expect("a link");
    assert_eq!(margay_in(&root, &["man", "out"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&kept).expect("it is there"), "x");
    // What is listed and changed since stays.
    write(&own, "mine", "changed");
    write(&own, ".margay.sha256", format!("{sum}  mine\n"));
    margay_in(&root, &asked);
    assert!(own.join("mine").is_file() && own.join("report.json").is_file());
}

pub(super) fn nothing_is_lost() {
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

pub(super) fn a_folder_of_its_own() {
    let root = folder("security/scratch");
    let place = root.join("tmp");
    std::fs::create_dir_all(&place).expect("a folder");
    for program in ["ptxas", "nvdisasm"] {
        script(
            &root.join(program),
            "for last; do :; done\nstat -c '%a %n' \"$TMPDIR\"/* >> \"$TMPDIR/../seen\"\nexit 1",
        );
    }
    let test = write(&root, "mp.litmus", MP);
    let mut asked = command(&["gpu", "check", &test, "--toolkit", text(&root)]);
    asked.env("TMPDIR", &place).output().expect("the program starts");
    let seen = std::fs::read_to_string(root.join("seen")).expect("it was started");
    let modes: Vec<&str> = seen.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(!modes.is_empty() && modes.iter().all(|mode| *mode == "700"), "{seen}");
    assert_eq!(names(&place), Vec::<String>::new(), "it is gone");

    // Where everybody may rename it, nothing is made, and nothing is started.
    let mode = |of| {
        std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(of))
            .expect("it is ours")
    };
    std::fs::remove_file(root.join("seen")).expect("it is there");
    mode(0o777);
    let output = asked.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        err(&output).contains("it has no sticky bit") && err(&output).contains("`TMPDIR` names"),
        "{}",
        err(&output)
    );
    assert!(!root.join("seen").exists());
    let mut solved =
        command(&["check", "rc11-to-ptx", "--bound", "2", "--solver", "dimacs:touch seen; false"]);
    let output =
        solved.env("TMPDIR", &place).current_dir(&root).output().expect("the program starts");
    let said = out(&output).replace('\n', " ");
    assert!(said.contains("it has no sticky bit") && !root.join("seen").exists(), "{said}");
    mode(0o1777);
    asked.output().expect("the program starts");
    assert!(root.join("seen").exists());
}
