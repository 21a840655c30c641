//! `margay app`: applications run many times.

use std::fs;

use serde_json::Value;

use crate::program::{command, folder, margay, out, text};

pub(crate) fn json(arguments: &[&str]) -> (Value, Option<i32>) {
    let output = margay(&[&["app"], arguments, &["--format", "json"]].concat());
    (
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", out(&output))),
        output.status.code(),
    )
}

#[test]
fn the_last_block_without_its_fence_is_wrong_with_weak_memory_only() {
    let (wrong, code) = json(&["test", "tests/kernels/last_block.toml"]);
    assert_eq!((code, wrong["verdict"].as_str()), (Some(1), Some("counterexample")), "{wrong}");
    assert!(
        wrong["answer"].as_str().unwrap().starts_with("wrong with weak memory only: "),
        "{wrong}"
    );
    assert_eq!(wrong["environments"][0]["errors"], 0);
    assert!(wrong["environments"][1]["errors"].as_u64() > Some(0), "{wrong}");
    let (right, code) = json(&["test", "tests/kernels/last_block_fenced.toml"]);
    assert_eq!((code, right["verdict"].as_str()), (Some(0), Some("none")), "{right}");
    assert!(right["answer"].as_str().unwrap().contains("which is no proof"), "{right}");
}

#[test]
fn the_same_seed_gives_the_same_runs() {
    let of = |seed: &str| {
        json(&["test", "tests/kernels/last_block.toml", "--runs", "200", "--seed", seed]).0["environments"].clone()
    };
    assert_eq!(of("5"), of("5"));
    assert_ne!(of("5"), of("5000"));
}

/// Times are no part of the answer, which is the same each time: they are said to who asks for
/// more.
#[test]
fn how_fast_the_machine_is_is_said_on_demand() {
    let file = "tests/kernels/last_block.toml";
    let [plain, verbose] = [
        &["app", "test", file, "--runs", "100"][..],
        &["app", "test", file, "--runs", "100", "-v"],
    ]
    .map(margay);
    assert!(!out(&plain).contains("a second and core"), "{}", out(&plain));
    let said: Vec<String> = out(&verbose)
        .lines()
        .filter(|l| l.contains("million a second and core."))
        .map(str::to_owned)
        .collect();
    assert_eq!(said.len(), 2, "{}", out(&verbose));
    assert!(said[0].starts_with("in order: ") && said[1].starts_with("weak: "), "{said:?}");
    let (tested, _) = json(&["test", file, "--runs", "100"]);
    let rates = tested["rates"].as_array().unwrap();
    assert_eq!(rates.len(), 2, "{tested}");
    assert!(rates.iter().all(|rate| rate["per_core_second"].as_f64() > Some(0.0)), "{tested}");
}

#[test]
fn the_one_fence_that_is_missing_is_found() {
    let of = || json(&["harden", "tests/kernels/last_block.toml", "--runs", "300"]);
    let (hardened, code) = of();
    // Runs go on in parallel: which of them ends first must not show.
    assert_eq!(of().0["runs"], hardened["runs"]);
    assert_eq!((code, hardened["verdict"].as_str()), (Some(0), Some("none")), "{hardened}");
    let fences = hardened["fences"].as_array().unwrap();
    assert_eq!(fences.len(), 1, "{hardened}");
    assert_eq!(fences[0]["function"], "last_block_without_fence");
    assert!(fences[0]["access"].as_str().unwrap().starts_with("atom."), "{hardened}");
    let (right, _) = json(&["harden", "tests/kernels/last_block_fenced.toml", "--runs", "200"]);
    assert_eq!(right["fences"].as_array().map(Vec::len), Some(0), "{right}");
    assert!(
        right["answer"].as_str().unwrap().contains("last_block_fenced.toml, without any no run of"),
        "{right}"
    );
}

#[test]
fn what_is_wrong_with_a_file_is_said_at_its_place() {
    let dir = folder("app");
    fs::copy("tests/kernels/last_block.ptx", dir.join("last_block.ptx")).unwrap();
    let good = fs::read_to_string("tests/kernels/last_block.toml").unwrap();
    let path = dir.join("app.toml");
    let cases = [
        (
            "program = \"last_block.ptx\"",
            "program = \"../../Cargo.toml\"",
            "is not beside this file",
        ),
        ("program = \"last_block.ptx\"", "program = \"nothing.ptx\"", "app.toml:2:11"),
        ("out[0] == 66", "out[1] == 66", "`out` has 1 words"),
        ("out[0] == 66", "out[0] != 4294967296", "no number of 32 bits"),
        ("out[0] == 66", "oui[0] == 66", "there is no array `oui`"),
        ("out[0] == 66", "out[0]", "expected a condition"),
        ("post = [\"out[0] == 66\"]", "", "there is no post-condition"),
        ("last_block_without_fence", "last_bloc", "did you mean `last_block`?"),
        (
            "\"partial\", \"out\", \"count\"]",
            "\"partial\", \"out\"]",
            "takes 4 arguments, 3 are given",
        ),
        (
            "\"partial\", \"out\", \"count\"]",
            "\"partial\", \"out\", \"cout\"]",
            "there is no array `cout`",
        ),
        ("threads = 2", "threads = 2\nthread = 3", "unknown field `thread`"),
        ("threads = 2", "threads = 0", "at least one"),
        ("threads = 2", "threads = 5000", "at most 1,024"),
        ("threads = 2", "threads = [65536, 65536, 65536]", "at most 1,024"),
        ("threads = 2", "threads = -1", "expected a number of 32 bits"),
        ("blocks = 6", "blocks = 0", "at least one"),
        ("blocks = 6", "blocks = [65536, 65536, 65536]", "65,535 in y and z"),
        ("blocks = 6", "blocks = [1, 65536, 1]", "65,535 in y and z"),
        ("threads = 2", "threads = [1, 1, 128]", "64 in z"),
        (
            "threads = 2",
            "threads = 2\nshared = 99999999",
            "a block has at most 232448 (227 KB) in all",
        ),
        (
            "threads = 2",
            "threads = 2\nshared = 232449",
            "a block has at most 232448 (227 KB) in all",
        ),
        ("\"out\", \"count\"]", "\"out\", [7]]", "expected the name of an array"),
        ("words = 6", "words = 999999999999", "more than"),
        ("words = 6", "words = 6\nfill = 1\ncount_from = 1", "has `fill` and `count_from`"),
        ("words = 6", "words = 6\ncount_from = 4294967291", "counts to 4294967296"),
        ("words = 6", "words = 6\ncount_from = -2147483649", "counts to -2147483649"),
        ("places = 6", "places = 0", "without a block"),
        ("places = 6", "places = 6\nsteps = 0", "without a step"),
        ("[[launch]]", "[[launch", "app.toml:"),
    ];
    for (from, to, expected) in cases {
        assert!(good.contains(from), "{from}");
        fs::write(&path, good.replace(from, to)).unwrap();
        let output = margay(&["app", "test", text(&path), "--runs", "3"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{to}: {error}");
        assert!(error.contains(expected), "{to}: {error}");
    }
    fs::write(&path, good.replace("places = 6", "places = 2")).unwrap();
    let (restricted, _) = json(&["test", text(&path), "--runs", "3"]);
    assert!(
        restricted["answer"].as_str().unwrap().contains("app.toml with 2 of 6 blocks at once, "),
        "{restricted}"
    );
    for (option, most) in [("--runs", "1000000000"), ("--seed", "4611686018427387904")] {
        for kind in ["test", "harden"] {
            let wrong = margay(&["app", kind, text(&path), option, "18446744073709551615"]);
            assert_eq!(wrong.status.code(), Some(2), "{}", out(&wrong));
            let last = margay(&["app", kind, text(&path), option, most, "--timeout", "50ms"]);
            assert!(last.status.code().is_some_and(|code| [0, 1, 3].contains(&code)), "{last:?}");
        }
    }
    fs::write(&path, "").unwrap();
    assert_eq!(margay(&["app", "test", text(&path)]).status.code(), Some(2));
    assert_eq!(margay(&["app", "test", text(&dir.join("none.toml"))]).status.code(), Some(2));
}

#[test]
fn a_kernel_that_never_ends_and_one_that_leaves_its_array_are_named() {
    let dir = folder("app-faults");
    fs::copy("tests/kernels/flag.ptx", dir.join("flag.ptx")).unwrap();
    let path = dir.join("app.toml");
    let application = |words: u32| {
        let arrays = format!(
            "[[array]]\nname = \"a\"\nwords = 1\n[[array]]\nname = \"f\"\nwords = 1\n[[array]]\nname = \"o\"\nwords = {words}\n"
        );
        let launch = "[[launch]]\nkernel = \"KERNEL\"\nblocks = 2\nthreads = 1\narguments = [\"a\", \"f\", \"o\"]\n";
        format!("program = \"flag.ptx\"\npost = [\"a[0] == 42\"]\nsteps = 20000\n{arrays}{launch}")
    };
    fs::write(&path, application(2).replace("KERNEL", "flag_that_stays")).unwrap();
    let (endless, code) = json(&["test", text(&path), "--runs", "5"]);
    assert_eq!(code, Some(1));
    assert_eq!(endless["environments"][0]["time_outs"], 5, "{endless}");
    assert!(
        endless["environments"][0]["instructions"].as_u64() >= Some(5 * 20_000),
        "instructions of runs without an end: {endless}"
    );
    assert!(
        endless["answer"].as_str().unwrap().starts_with("wrong without weak memory: "),
        "{endless}"
    );
    // Where none of the first runs has an end, the others say nothing new.
    let (endless, code) = json(&["test", text(&path), "--runs", "100000"]);
    assert_eq!(
        (code, endless["bounded"].as_bool(), endless["environments"][0]["runs"].as_u64()),
        (Some(1), Some(true), Some(64))
    );
    assert!(
        endless["answer"]
            .as_str()
            .unwrap()
            .contains("64 not at an end in 64 of 100 000 runs in order"),
        "{endless}"
    );
    assert!(
        endless["notes"][0].as_str().unwrap().contains("none of the first 64 runs has an end"),
        "{endless}"
    );
    fs::write(&path, application(1).replace("KERNEL", "fenced_flag")).unwrap();
    let (outside, _) = json(&["test", text(&path), "--runs", "5"]);
    let said = "an access outside of every array (4 bytes behind the start of `o`, which has 4 bytes) in `fenced_flag`, flag.cu:";
    assert!(outside["environments"][0]["first"].as_str().unwrap().starts_with(said), "{outside}");
    // No fence mends what is wrong in order: that is said first.
    let (hardened, code) = json(&["harden", text(&path), "--runs", "5"]);
    assert_eq!(
        (code, hardened["verdict"].as_str()),
        (Some(1), Some("counterexample")),
        "{hardened}"
    );
    assert!(
        hardened["answer"].as_str().unwrap().starts_with("wrong without weak memory: "),
        "{hardened}"
    );
    assert!(
        hardened["first"].as_str().unwrap().starts_with("in order, seed 1: an access outside"),
        "{hardened}"
    );
    assert_eq!(hardened["fences"].as_array().map(Vec::len), Some(0), "{hardened}");
}

/// Programs of PLDI 2016 without their fences (results/papers.md): the machine finds as many as the
/// model asks for.
#[test]
fn the_papers_programs_take_the_fences_that_the_model_asks_for() {
    for (name, fences) in [("cbe_dot", 2), ("tpo_tm", 2), ("sdk_red_nf", 2), ("cub_scan_nf", 3)] {
        let file = format!("tests/kernels/papers/{name}.toml");
        let (tested, code) = json(&["test", &file, "--runs", "200"]);
        assert_eq!(code, Some(1), "{tested}");
        assert!(
            tested["answer"].as_str().unwrap().starts_with("wrong with weak memory only: "),
            "{tested}"
        );
        let (hardened, code) = json(&["harden", &file, "--runs", "500"]);
        assert_eq!(code, Some(0), "{hardened}");
        assert_eq!(hardened["fences"].as_array().map(Vec::len), Some(fences), "{hardened}");
    }
}

/// What other threads stored in front of a barrier is handed on by a fence behind their stores: one
/// behind the flag comes too late, also where the flag is raised right in front of it.
#[test]
fn a_fence_behind_the_flag_is_too_late() {
    let dir = folder("app-flag-behind-a-barrier");
    fs::copy("tests/cli/applications/hand_over.cu", dir.join("hand_over.cu")).unwrap();
    let arrays = [("data", 4), ("flag", 1), ("out", 4)]
        .map(|(name, words)| format!("[[array]]\nname = \"{name}\"\nwords = {words}\n"))
        .concat();
    let launch = "[[launch]]\nkernel = \"hand_over\"\nblocks = 2\nthreads = 4\narguments = [\"data\", \"flag\", \"out\"]\n";
    let path = dir.join("app.toml");
    fs::write(
        &path,
        format!("program = \"hand_over.cu\"\nsteps = 100000\npost = [\"out[0] == 1\", \"out[3] == 4\"]\n{arrays}{launch}"),
    )
    .unwrap();
    let arguments = ["app", "harden", text(&path), "--runs", "300", "--format", "json"];
    let hardened = command(&arguments).env_remove("MARGAY_TOOLKIT").output().unwrap();
    let hardened: Value = serde_json::from_slice(&hardened.stdout).unwrap();
    let left: Vec<u64> = hardened["fences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fence| fence["line"].as_u64().unwrap())
        .collect();
    assert_eq!(left, [5, 9], "{hardened}");
}

/// Where a fence goes is said by the source's file and line; runs that were stopped are no answer,
/// and the first line begins with that.
#[test]
fn a_fence_is_at_its_line_and_stopped_runs_are_undecided() {
    let hardened = margay(&["app", "harden", "tests/kernels/last_block.toml", "--runs", "300"]);
    let text = out(&hardened);
    assert!(text.starts_with("1 of 9 fences is left: "), "{text}");
    assert!(
        text.contains("\n  last_block.cu:14, `last_block_without_fence`: a fence behind `atom."),
        "{text}"
    );
    let stopped = margay(&[
        "app",
        "test",
        "tests/kernels/last_block_fenced.toml",
        "--runs",
        "100000000",
        "--timeout",
        "200ms",
    ]);
    let text = out(&stopped);
    assert_eq!(stopped.status.code(), Some(3), "{text}");
    assert!(
        text.starts_with(
            "undecided: tests/kernels/last_block_fenced.toml, stopped; none was wrong of "
        ),
        "{text}"
    );
}

/// Many applications: each has its answer, and the environments are summed up; one that cannot be
/// read keeps none of the others from being run.
#[test]
fn a_suite_sums_up_what_environments_show() {
    let dir = folder("app-suite");
    let broken = dir.join("broken.toml");
    std::fs::write(&broken, "program = ").unwrap();
    let files =
        ["tests/kernels/last_block.toml", "tests/kernels/papers/tpo_tm.toml", text(&broken)];
    let output =
        margay(&[&["app", "suite"], &files[..], &["--runs", "200", "--format", "json"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sum = |n: usize, key: &str| document["environments"][n][key].as_u64().unwrap();
    assert_eq!(
        (sum(0, "applications"), sum(0, "wrong"), sum(0, "effective")),
        (2, 0, 0),
        "in order nothing is wrong"
    );
    assert_eq!(
        (sum(1, "applications"), sum(1, "wrong"), sum(1, "effective")),
        (2, 2, 1),
        "of one 5 % of the runs and more are wrong"
    );
    assert_eq!(document["not_run"][0]["file"], text(&broken));
    let right = margay(&["app", "suite", "tests/kernels/last_block_fenced.toml", "--runs", "20"]);
    assert_eq!(right.status.code(), Some(0));
    let left = margay(&[
        "app",
        "suite",
        "tests/kernels/last_block_fenced.toml",
        text(&broken),
        "--runs",
        "20",
    ]);
    assert_eq!(left.status.code(), Some(3), "what was not run is not counted as right");
    let answer = "undecided: no run was wrong, 1 not run: 2 applications, 20 runs in each environment on the machine of the CPU";
    assert!(out(&left).starts_with(&format!("{answer}\n")), "the sum comes first: {}", out(&left));
    assert!(
        out(&left).contains("last_block_fenced"),
        "what came of each stands below: {}",
        out(&left)
    );
}

/// What was stopped is not said to have been run as often as asked.
#[test]
fn a_suite_that_was_stopped_is_undecided() {
    let file = "tests/kernels/last_block_fenced.toml";
    let (stopped, code) = json(&["suite", file, "--runs", "1000000", "--timeout", "100ms"]);
    assert_eq!((code, stopped["verdict"].as_str()), (Some(3), Some("undecided")), "{stopped}");
    let answer = stopped["answer"].as_str().unwrap();
    assert!(
        answer.starts_with("undecided: no run was wrong, 1 not run to the end: 1 application, "),
        "{answer}"
    );
}

/// What only a GPU takes is not passed over in silence.
#[test]
fn options_of_the_gpu_need_the_gpu() {
    let file = "tests/kernels/last_block_fenced.toml";
    for option in [["--environments", "sys-str+"], ["--profile", "none.txt"], ["--watchdog", "1s"]]
    {
        for command in ["test", "suite", "harden"] {
            let refused = margay(&[&["app", command, file, "--runs", "2"], &option[..]].concat());
            let error = String::from_utf8_lossy(&refused.stderr).into_owned();
            assert_eq!(refused.status.code(), Some(2), "{command} {option:?}: {error}");
            assert!(error.contains(option[0]) && error.contains("--device cuda"), "{error}");
        }
    }
}

/// Four applications of which each needs one order: only the machine that reorders such pairs, and
/// the weak one, show it wrong.
#[test]
fn machines_that_reorder_one_kind_of_pairs_find_what_needs_that_order_and_nothing_else() {
    let pairs = ["store-store", "store-load", "load-load", "load-store"];
    for needed in pairs {
        let file = format!("tests/kernels/orders/{needed}.toml");
        let (tested, code) =
            json(&["test", &file, "--environments", &format!("weak,{}", pairs.join(","))]);
        let environments = tested["environments"].as_array().unwrap();
        let of = |e: &Value, key: &str| e[key].as_u64().unwrap();
        let wrong: Vec<&str> = environments
            .iter()
            .filter(|e| of(e, "errors") + of(e, "time_outs") > 0)
            .map(|e| e["memory"].as_str().unwrap())
            .collect();
        assert_eq!((code, wrong), (Some(1), vec!["weak", needed]), "{tested}");
        let answer = tested["answer"].as_str().unwrap();
        assert!(
            answer.starts_with("wrong, and not in order: ")
                && answer.contains(&format!(" wrong in {needed} (")),
            "{answer}"
        );
        let (alone, code) = json(&["test", &file, "--environments", needed]);
        let answer = alone["answer"].as_str().unwrap().to_owned();
        assert_eq!(code, Some(1));
        assert!(
            answer.starts_with(&format!("wrong with {needed} pairs reordered, and not in order: ")),
            "{answer}"
        );
        let (hardened, code) = json(&["harden", &file, "--environments", needed, "--runs", "100"]);
        let answer = hardened["answer"].as_str().unwrap();
        assert!(
            code == Some(0) && answer.contains(&format!("with {needed} pairs reordered")),
            "{hardened}"
        );
        assert_ne!(hardened["fences"].as_array().unwrap().len(), 0, "{hardened}");
    }
    let on_gpu = margay(&[
        "app",
        "test",
        "tests/kernels/orders/load-load.toml",
        "--device",
        "cuda",
        "--environments",
        "load-load",
    ]);
    let error = String::from_utf8_lossy(&on_gpu.stderr).into_owned();
    assert!(
        on_gpu.status.code() == Some(2) && error.contains("memory of the machine of the CPU"),
        "{error}"
    );
    let two = margay(&[
        "app",
        "harden",
        "tests/kernels/orders/load-load.toml",
        "--environments",
        "load-load,weak",
    ]);
    assert!(String::from_utf8_lossy(&two.stderr).contains("one environment at a time"), "{two:?}");
}

/// A number is given to a kernel as it is written, or not at all; an address has eight bytes.
#[test]
fn arguments_fit_their_parameters() {
    let dir = folder("app-arguments");
    let kernel = ".visible .entry k(.param .u32 n)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [n];\nst.global.u32 [o], %r1;\nret;\n}\n";
    let head = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 o;\n";
    fs::write(dir.join("k.ptx"), format!("{head}{kernel}")).unwrap();
    let path = dir.join("app.toml");
    let cases = [
        ("5", true),
        ("4294967295", true),
        ("-2147483648", true),
        ("4294967296", false),
        ("-2147483649", false),
        ("\"a\"", false),
    ];
    let byte = format!("{head}.visible .global .u8 b;\n{kernel}");
    fs::write(dir.join("byte.ptx"), byte).unwrap();
    let launch = "[[launch]]\nkernel = \"k\"\nblocks = 1\nthreads = 1\narguments = [1]\n";
    fs::write(&path, format!("program = \"byte.ptx\"\npost = [\"b[*] == 9\"]\n{launch}")).unwrap();
    let empty = margay(&["app", "test", text(&path), "--runs", "1"]);
    assert_eq!(empty.status.code(), Some(2), "no word of it is looked at: {empty:?}");
    for (argument, is_taken) in cases {
        let text_of = format!(
            "program = \"k.ptx\"\npost = [\"o[0] != 7\"]\n[[array]]\nname = \"a\"\nwords = 1\n[[launch]]\nkernel = \"k\"\n\
             blocks = 1\nthreads = 1\narguments = [{argument}]\n"
        );
        fs::write(&path, text_of).unwrap();
        let output = margay(&["app", "test", text(&path), "--runs", "1"]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(if is_taken { 0 } else { 2 }), "{argument}: {error}");
        assert!(is_taken || error.contains("app.toml:10:"), "{argument}: {error}");
    }
}

/// Without a GPU that is said, and what to do; environments have the names of the paper.
#[test]
fn an_application_on_a_gpu_that_is_not_there() {
    let file = "tests/kernels/last_block.toml";
    let named = margay(&["app", "test", file, "--device", "cuda", "--environments", "sys-str"]);
    assert_eq!(named.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&named.stderr).contains("sys-str+"), "{named:?}");
    if std::path::Path::new("/dev/nvidia0").exists() {
        eprintln!("skipped: there is a GPU here");
        return;
    }
    for command in ["test", "harden"] {
        let absent = margay(&["app", command, file, "--device", "cuda", "--runs", "3"]);
        assert_eq!(absent.status.code(), Some(2), "{absent:?}");
        let said = String::from_utf8_lossy(&absent.stderr).into_owned();
        assert!(said.contains("no GPU") || said.contains("no CUDA driver"), "{said}");
        assert!(said.contains("machine of the CPU"), "{said}");
    }
    let two =
        margay(&["app", "harden", file, "--device", "cuda", "--environments", "sys-str+,no-str+"]);
    assert!(String::from_utf8_lossy(&two.stderr).contains("one environment at a time"), "{two:?}");
}
