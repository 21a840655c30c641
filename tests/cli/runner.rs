//! `margay sim` and `margay gpu` as a user meets them.

use serde_json::Value;

use crate::program::{err, folder, json, lines, margay, out};

const CORR: &str = "tests/corpus/ptx-isa/corr.litmus";
const MP: &str = "tests/corpus/asplos2019/fig5-mp.litmus";

#[test]
fn a_histogram_beside_a_model() {
    let arguments = ["sim", MP, "--runs", "20000", "--model", "ptx-6.0", "--format", "json"];
    let output = margay(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let answer = lines(&output).remove(0);
    let outcomes = answer["outcomes"].as_array().expect("a list");
    let total: u64 = outcomes.iter().map(|o| o["count"].as_u64().expect("a number")).sum();
    assert_eq!(total, 20_000);
    assert!(outcomes.iter().all(|o| o["model"] == "allowed"), "{answer}");
    assert_eq!(
        lines(&margay(&arguments))[0]["outcomes"],
        answer["outcomes"],
        "the same seed gives the same runs"
    );
    let other = margay(&[
        "sim", MP, "--runs", "20000", "--seed", "2", "--model", "ptx-6.0", "--format", "json",
    ]);
    assert_ne!(lines(&other)[0]["outcomes"], answer["outcomes"], "another seed gives other runs");
}

#[test]
fn what_a_model_forbids_is_a_difference() {
    let weak = margay(&["sim", CORR, "--exhaustive", "--model", "ptx-6.0"]);
    assert_eq!(weak.status.code(), Some(1), "{}", err(&weak));
    assert!(
        out(&weak).contains("P1:r0=1 /\\ P1:r1=0  reached  forbidden, seen  *"),
        "{}",
        out(&weak)
    );
    let strong =
        margay(&["sim", CORR, "--exhaustive", "--model", "ptx-6.0", "--machine", "strong"]);
    assert_eq!(strong.status.code(), Some(0), "{}", out(&strong));
}

#[test]
fn what_the_machine_cannot_run_is_said() {
    for (arguments, said) in [
        (["sim", "tests/corpus/asplos2019/fig12a-isa2.litmus", "--runs", "10"], "this is a C test"),
        (
            ["sim", "tests/corpus/ptx-isa/cowr-alias.litmus", "--runs", "10"],
            "cowr-alias.litmus:3:19",
        ),
        (["sim", MP, "--model", "no-such-model"], "no-such-model"),
        (["sim", "no-such-file.litmus", "--runs", "10"], "no-such-file.litmus"),
        (["sim", MP, "--exhaustive", "--runs=10"], "cannot be used with"),
    ] {
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn kernels_are_printed() {
    let output = margay(&["gpu", "emit", MP, "--target", "sm_80"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    for expected in [
        ".target sm_80",
        "margay_reset(",
        "margay_test(",
        "margay_collect(",
        "st.release.gpu.global",
        "ld.acquire.gpu.global",
    ] {
        assert!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    let stressed = margay(&[
        "gpu",
        "emit",
        MP,
        "--environment",
        "stress-ctas=8,stress-sequence=st-st-ld,spin=0",
        "--format",
        "json",
    ]);
    let answer = json(&stressed);
    assert_eq!(answer["grid"], 1032);
    assert_eq!(answer["instances"], 65_536);
    let ptx = answer["ptx"].as_str().expect("a text");
    assert_eq!(ptx.matches("st.volatile.global.u32 [%y], %b").count(), 2);
    assert!(!ptx.contains("$WAIT0"), "without spin nobody waits");
    // As some tests are run: an instruction between the two accesses of each thread.
    let apart = json(&margay(&["gpu", "emit", MP, "--apart", "--format", "json"]));
    let between = |answer: &serde_json::Value| {
        answer["ptx"].as_str().map(|t| t.matches("pmevent.mask 0xffff;").count())
    };
    assert_eq!(
        (&apart["apart"], between(&apart), between(&answer)),
        (&true.into(), Some(2), Some(0))
    );
}

#[test]
fn kernels_that_cannot_be_are_explained() {
    let cluster = "tests/corpus/isa-8/scope-cluster-one-cluster.litmus";
    for (arguments, said) in [
        (vec!["gpu", "emit", cluster, "--target", "sm_80"], "sm_90"),
        (vec!["gpu", "emit", MP, "--target", "sm_61"], "expected sm_70 or later"),
        (
            vec!["gpu", "emit", MP, "--environment", "spins=1"],
            "there is no setting `spins`; there are groups, warps",
        ),
        (vec!["gpu", "emit", MP, "--environment", "warps=99"], "expected a number from 1 to 32"),
        (vec!["gpu", "emit", MP, "--environment", "groups=65536,warps=32"], "4194304 are the most"),
        (
            vec!["gpu", "emit", "tests/corpus/isa-8/proxy-fence.litmus"],
            "PTX has no fence.proxy.surface",
        ),
        (vec!["gpu", "emit", MP, "--environment", "bank=on"], "bank=on needs parallel=off"),
        (
            vec!["gpu", "emit", MP, "--environment", "stress-regions=65"],
            "expected a number from 1 to 64",
        ),
        (vec!["gpu", "emit", MP, "--environment", "idle-warps=31"], "1024 are the most"),
        (vec!["gpu", "run", MP, "--toolkit", "/no/such/folder"], "/usr/local/cuda"),
        (
            vec!["gpu", "emit", MP, "--environment", "stress-spread=9,stress-regions=8"],
            "needs as many regions",
        ),
        (
            vec!["gpu", "emit", MP, "--environment", "stress=heavy"],
            "expected sequence, random or cache",
        ),
        (
            vec!["gpu", "emit", MP, "--environment", "stride=1024,warps=8,groups=65536"],
            "instances a launch",
        ),
        (vec!["gpu", "check", MP, "--toolkit", "/no/such/folder"], ".ci/toolkit"),
    ] {
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", out(&output));
        assert!(err(&output).contains(said), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn results_are_added_to_and_never_overwritten() {
    let folder = folder("runner/results");
    let file = folder.join("results.jsonl");
    let path = file.to_str().expect("a path of text");
    let arguments = [
        "gpu",
        "run",
        CORR,
        "--device",
        "sim",
        "--instances",
        "5000",
        "--model",
        "ptx-6.0",
        "--results",
        path,
    ];
    for count in 1..=2 {
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(1), "the weak machine shows CoRR: {}", err(&output));
        let text = std::fs::read_to_string(&file).expect("the file of results");
        assert_eq!(text.lines().count(), count);
        let line: Value =
            serde_json::from_str(text.lines().next().unwrap_or_default()).expect("an object");
        assert_eq!((&line["schema"], &line["instances"]), (&Value::from(1), &Value::from(5000)));
    }
    for (text, said) in
        [("{\"schema\": 99}\n", "version 99"), ("seconds,counts\n", "line 1 is no result")]
    {
        std::fs::write(&file, text).expect("a file");
        let output = margay(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(said), "{}", err(&output));
        assert_eq!(std::fs::read_to_string(&file).expect("the file"), text, "it is left alone");
    }
}

/// Without a GPU, one sentence and exit code 3; with one, a histogram.
#[test]
fn a_gpu_or_a_sentence() {
    let output = margay(&["gpu", "run", MP, "--instances", "1000"]);
    match output.status.code() {
        Some(3) => assert!(err(&output).contains("CUDA driver"), "{}", err(&output)),
        Some(0) => assert!(out(&output).contains("instances"), "{}", out(&output)),
        other => panic!("{other:?}: {}", err(&output)),
    }
}
