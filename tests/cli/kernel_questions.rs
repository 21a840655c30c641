//! `margay kernel`: harnesses, which fences are needed, what could be weaker, two versions of a
//! file, SARIF, and files that are no kernels.

use serde_json::Value;

use crate::program::{err, folder, json, margay, out, text, write};

const LOCK: &str = "tests/kernels/papers/cuda_by_example.ptx";

/// A harness beside a file is read, and its launches and conditions stand in the first line.
#[test]
fn a_harness_beside_the_file_is_read() {
    let text = out(&margay(&["kernel", LOCK, "--kernel", "cbe_dot_fences"]));
    assert!(text.starts_with("none: `cbe_dot_fences` has no data race"), "{text}");
    assert!(text.contains("and arg3 == 31 at the end in launch 2x1 under ptx-8"), "{text}");
    // What is named counts in place of it.
    let files = folder("kernel-harness");
    let other = write(
        &files,
        "other.harness",
        "launch 3x1 # three\nkernel cbe_dot_fences\nfinal arg3 == 0\n",
    );
    let text = out(&margay(&["kernel", LOCK, "--kernel", "cbe_dot_fences", "--harness", &other]));
    assert!(
        text.starts_with("none: `cbe_dot_fences`")
            && text.contains("arg3 == 0 at the end in launch 3x1"),
        "{text}"
    );
    // Comments of the text say the same; the command line's launches count.
    let ptx = std::fs::read_to_string(LOCK).expect("a kernel");
    let commented = write(
        &files,
        "commented.ptx",
        format!("// margay: launch 2x1\n// margay: final arg0 == 0\n{ptx}"),
    );
    let text = out(&margay(&["kernel", &commented, "--kernel", "cbe_dot_fences"]));
    assert!(text.contains("and arg0 == 0 at the end in launch 2x1"), "{text}");
    let text =
        out(&margay(&["kernel", &commented, "--kernel", "cbe_dot_fences", "--launch", "1x1"]));
    assert!(text.contains("and arg0 == 0 at the end in launch 1x1"), "{text}");
}

#[test]
fn wrong_harnesses_are_refused_at_their_line() {
    let files = folder("kernel-harness-wrong");
    let ptx = std::fs::read_to_string(LOCK).expect("a kernel");
    for (n, (harness, parts)) in [
        ("launch 2x1\nlunch 2x1\n", ["h0.harness:2:1", "found `lunch`"]),
        ("launch 2x1\n\nkernel cbe_dott\n", ["h1.harness:3:8", "did you mean `cbe_dot`?"]),
        ("arg 0=array:x\n", ["h2.harness:1:1", "expected the number of a parameter"]),
        ("kernel cbe_dot\nfinal nowhere == 1\n", ["there is no array `nowhere`", "h3.harness:2:7"]),
        ("unroll no\n", ["h4.harness:1:1", "expected a number from 1"]),
    ]
    .into_iter()
    .enumerate()
    {
        let path = write(&files, &format!("h{n}.harness"), harness);
        let output = margay(&["kernel", LOCK, "--harness", &path]);
        assert_eq!(output.status.code(), Some(2), "{harness}: {}", out(&output));
        assert!(
            parts.iter().all(|part| err(&output).contains(part)),
            "{harness}: {}",
            err(&output)
        );
    }
    let commented = write(&files, "commented.ptx", format!("{ptx}\n// margay: launch x\n"));
    let output = margay(&["kernel", &commented]);
    assert!(
        err(&output).contains("expected blocks and threads")
            && err(&output).contains("commented.ptx:"),
        "{}",
        err(&output)
    );
    let output = margay(&["kernel", LOCK, "--harness", "no-such.harness"]);
    assert!(err(&output).contains("cannot read the harness no-such.harness"), "{}", err(&output));
}

/// One fence more than the program has, at its line; and the same in the document.
#[test]
fn the_fences_that_are_needed_are_told() {
    let arguments = ["kernel", LOCK, "--kernel", "cbe_dot_titan", "--harden", "--without-repair"];
    let output =
        crate::program::command(&arguments).env("COLUMNS", "200").output().expect("it starts");
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "2 fences are enough in launch 2x1 under ptx-8, out of 1 fence of its own and one behind each of 4 accesses. No fewer are enough.",
        "to add: `fence.sc.gpu` (in CUDA: __threadfence()) behind cuda_by_example.cu:7",
        "needed: cuda_by_example.cu:11",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let found = json(&margay(&[&arguments[..], &["--format", "json"]].concat()));
    let hardening = &found["kernels"][0]["hardening"];
    assert_eq!(
        (&hardening["least"], &hardening["own"], &hardening["reason"]),
        (&2.into(), &1.into(), &Value::Null)
    );
    // Threads of a warp that no barrier joins.
    let warp =
        ["kernel", "tests/kernels/papers/within_a_warp.ptx", "--kernel", "warp_vote", "--harden"];
    assert!(out(&margay(&warp)).contains("what goes wrong is not mended by fences alone"));
}

#[test]
fn what_could_be_weaker_is_told() {
    let kernel = [
        "kernel",
        "tests/kernels/papers/work_stealing.ptx",
        "--kernel",
        "ct_octree_steal_figure",
        "--weaker",
    ];
    let found = json(&margay(&[&kernel[..], &["--format", "json"]].concat()));
    let changes = found["kernels"][0]["weaker"]["changes"].as_array().expect("changes").clone();
    let ways: Vec<&Value> = changes.iter().map(|c| &c["to"]).collect();
    assert_eq!(
        ways,
        [&Value::from("fence.acquire.gpu"), &Value::Null, &Value::from("fence.release.gpu")]
    );
    // Of a kernel that is wrong nothing is asked.
    let wrong = ["kernel", LOCK, "--kernel", "cbe_dot", "--weaker", "--without-repair"];
    assert!(out(&margay(&wrong)).contains("What could be weaker was not asked"));
    let wrong = json(&margay(&[&wrong[..], &["--format", "json"]].concat()));
    assert_eq!(wrong["kernels"][0]["weaker"], Value::Null);
}

/// What is new since an older version, whatever the lines; and that nothing is.
#[test]
fn two_versions_are_compared() {
    let files = folder("kernel-against");
    let new = std::fs::read_to_string(LOCK).expect("a kernel");
    let worse = write(&files, "worse.ptx", new.replace("membar.gl;", "\n\n"));
    let harness = "tests/kernels/papers/cuda_by_example.harness";
    let two = [
        "--kernel",
        "cbe_dot",
        "--kernel",
        "cbe_dot_fences",
        "--harness",
        harness,
        "--without-repair",
    ];
    let output = margay(&[&["kernel", &worse, "--against", LOCK], &two[..]].concat());
    let text = out(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", err(&output));
    assert!(
        text.starts_with("different: 2 findings are new, 0 gone, 2 in both, from tests/kernels"),
        "{text}"
    );
    let back = ["kernel", LOCK, "--against", &worse];
    let output = margay(&[&back[..], &two[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
    assert!(
        out(&output).starts_with("none: no finding is new, 2 gone, 2 in both, from "),
        "{}",
        out(&output)
    );
    let found = json(&margay(&[&back[..], &two[..], &["--format", "json"]].concat()));
    assert_eq!(
        (&found["verdict"], &found["against"]["gone"][0]["kernel"]),
        (&"none".into(), &"cbe_dot_fences".into())
    );
    let log: Value = serde_json::from_str(&out(&margay(
        &[&back[..], &two[..], &["--format", "sarif"]].concat(),
    )))
    .expect("JSON");
    let states: Vec<&Value> = log["runs"][0]["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|r| &r["baselineState"])
        .collect();
    assert_eq!(states, ["unchanged", "unchanged"]);
    // A result without a place is refused by code hosts, and what is gone has none.
    let said = log["runs"][0]["invocations"][0]["toolExecutionNotifications"].to_string();
    let gone = ["Data race", "The condition does not always hold"]
        .map(|what| format!("{what} in kernel `cbe_dot_fences` of {worse} is gone"));
    assert!(gone.iter().all(|gone| said.contains(gone)), "{said}");
    // A launch tells of one race, so that an old one can hide a new one: that is not known, unless
    // the code is the same.
    let one = "\
.version 8.7\n.target sm_90\n.address_size 64\n.visible .entry b(.param .u64 p) {\n.reg .b64 %d<2>;\nld.param.u64 %d1,[p];\n\
st.global.u32 [%d1],1;\nret;\n}\n";
    let two = one.replace("ret;", "st.global.u32 [%d1+64],1;\nret;");
    let moved = one
        .replace("ret;", "// the end\n.loc 1 7 0\nret;")
        .replace(".address_size 64\n", ".address_size 64\n.file 1 \"b.cu\"\n");
    let [old, hidden, moved] = [("old.ptx", one), ("two.ptx", &two), ("moved.ptx", &moved)]
        .map(|(name, text)| write(&files, name, text));
    let against = |new: &str| {
        margay(&["kernel", new, "--launch", "2x1", "--without-repair", "--against", &old])
    };
    let output = against(&hidden);
    assert!(
        out(&output).starts_with("undecided: no finding is new, 0 gone, 1 in both, "),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("what else goes wrong in the new one"), "{}", out(&output));
    assert_eq!(
        (output.status.code(), against(&moved).status.code()),
        (Some(3), Some(0)),
        "{}",
        out(&against(&moved))
    );
}

/// Results at the lines of the source that lies beside the PTX; else at those of the PTX. The first
/// lines are notifications. Another reading of the ISA is named wherever the model is: in the first
/// line, in what confirms a finding, and in the document.
#[test]
fn a_reading_is_named_by_its_answers() {
    let text = std::fs::read_to_string("tests/kernels/clusters.ptx").expect("a kernel");
    let files = folder("kernel-reading");
    let narrow = write(
        &files,
        "narrow.ptx",
        text.replace("try_wait.parity.acquire.cluster", "try_wait.parity.acquire.cta"),
    );
    let ask = |more: &[&str]| {
        let all = [
            "kernel",
            &narrow,
            "--kernel",
            "sent_to_neighbour",
            "--launch",
            "2x1@cluster=2",
            "--without-repair",
        ];
        margay(&[&all[..], more].concat())
    };
    let letter = ask(&[]);
    assert_eq!(letter.status.code(), Some(1));
    let said = out(&letter).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("ask about the whole kernel with `--model ptx-8-mbarriers-order-shared`"),
        "{said}"
    );
    let reading = ["--model", "ptx-8-mbarriers-order-shared"];
    let other = ask(&reading);
    assert!(
        out(&other).starts_with("none: ")
            && out(&other).contains(" under ptx-8-mbarriers-order-shared"),
        "{}",
        out(&other)
    );
    assert_eq!(json(&ask(&[&reading[..], &["--format", "json"]].concat()))["model"], reading[1]);
    let plain = out(&margay(&[
        "kernel",
        "tests/kernels/lock.ptx",
        "--kernel",
        "lock_without_fences",
        "--without-repair",
        reading[0],
        reading[1],
    ]));
    assert!(plain.contains("--model ptx-8-mbarriers-order-shared-races.cat"), "{plain}");
    let weaker = ask(&["--model", "ptx-8-waits-by-branch"]);
    assert_eq!(weaker.status.code(), Some(2));
}

#[test]
fn sarif_is_at_the_lines_of_the_source() {
    let read = |file: &str, kernel: &str| -> Value {
        let output = margay(&[
            "kernel",
            file,
            "--kernel",
            kernel,
            "--launch",
            "2x1",
            "--without-repair",
            "--format",
            "sarif",
        ]);
        let log: Value = serde_json::from_str(&out(&output)).expect("JSON");
        assert_eq!(
            (&log["version"], &log["runs"][0]["tool"]["driver"]["name"]),
            (&"2.1.0".into(), &"margay".into())
        );
        log["runs"][0].clone()
    };
    let run = read(LOCK, "cbe_dot");
    assert_eq!(
        run["automationDetails"]["id"],
        "margay kernel tests/kernels/papers/cuda_by_example.ptx/"
    );
    let rules: Vec<&Value> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|r| &r["id"])
        .collect();
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2);
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        let at = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            at["artifactLocation"]["uri"], "tests/kernels/papers/cuda_by_example.cu",
            "{result}"
        );
        assert!(at["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result}");
    }
    let said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
        .as_str()
        .expect("a text");
    assert!(
        said.starts_with("counterexample: `cbe_dot`") && said.contains("in launch 2x1 under ptx-8"),
        "{said}"
    );
    let files = folder("kernel-sarif");
    let alone = write(&files, "alone one.ptx", std::fs::read_to_string(LOCK).expect("a kernel"));
    let uri = |file: &str| {
        let uri = read(file, "cbe_dot")["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
        uri.as_str().unwrap_or_else(|| panic!("{uri}")).to_owned()
    };
    // Code hosts take places of the repository: paths from the working folder, whatever way a file
    // was named.
    let inside = uri(&alone);
    assert!(
        inside.ends_with("/alone%20one.ptx")
            && !inside.starts_with(['/', '.'])
            && !inside.contains(':'),
        "{inside}"
    );
    let source = "tests/kernels/papers/cuda_by_example.cu";
    assert_eq!(uri("./tests/cli/../kernels/papers/cuda_by_example.ptx"), source);
    let whole = std::env::current_dir().expect("a folder").join(LOCK);
    assert_eq!(uri(text(&whole)), source);
    let elsewhere = std::env::temp_dir().join(format!("margay-sarif-{}.ptx", std::process::id()));
    std::fs::write(&elsewhere, std::fs::read_to_string(LOCK).expect("a kernel"))
        .expect("it is written");
    let shown = uri(text(&elsewhere));
    std::fs::remove_file(&elsewhere).expect("it is there");
    assert_eq!(shown, format!("file://{}", elsewhere.display()));
    for rule in run["tool"]["driver"]["rules"].as_array().expect("rules") {
        for part in ["shortDescription", "fullDescription", "help"] {
            let text = rule[part]["text"].as_str().expect("a text");
            assert!(text.starts_with(char::is_uppercase), "{rule}");
        }
        assert!(
            rule["helpUri"]
                .as_str()
                .is_some_and(|to| to.starts_with("https://") && to.ends_with("docs/kernels.md")),
            "{rule}"
        );
    }
    // Wrong input is a log that says so, with its line, and no empty file.
    let broken = write(&files, "broken.ptx", ".version 8.7\n.target sm_90\n(\n");
    for (file, line) in [(broken.as_str(), Some(3)), ("no/such.ptx", None)] {
        let output = margay(&["kernel", file, "--format", "sarif"]);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains("error: "), "{}", err(&output));
        let log: Value = serde_json::from_str(&out(&output)).expect("JSON");
        let invocation = &log["runs"][0]["invocations"][0];
        assert_eq!(
            (&invocation["executionSuccessful"], &log["runs"][0]["results"]),
            (&false.into(), &Value::Array(Vec::new()))
        );
        let said = &invocation["toolExecutionNotifications"][0];
        assert_eq!(said["level"], "error");
        assert_eq!(
            said["locations"][0]["physicalLocation"]["region"]["startLine"].as_u64(),
            line,
            "{said}"
        );
    }
    let output = margay(&["models", "--format", "sarif"]);
    assert!(err(&output).contains("only `margay kernel` has one"), "{}", err(&output));
}

/// Files of other kinds are sent to their commands.
#[test]
fn files_that_are_no_kernels_are_named() {
    for (file, part) in [
        ("tests/corpus/pldi2016/MP.litmus", "this is a litmus test, and no GPU kernel"),
        ("mappings/rc11-to-ptx.map", "this is a mapping, and no GPU kernel"),
        ("models/sc.cat", "this is a memory model, and no GPU kernel"),
        ("tests/kernels/triton/kernels.py", "this is no PTX"),
        ("tests/kernels/papers/reduction.harness", "name the .ptx or .cu file beside it"),
    ] {
        let output = margay(&["kernel", file]);
        assert_eq!(output.status.code(), Some(2), "{file}");
        assert!(err(&output).contains(part), "{file}: {}", err(&output));
    }
}

/// Whole programs for GPUs are sent to `kernel` by the commands that ask about litmus tests.
#[test]
fn kernels_are_no_litmus_tests() {
    let files = folder("kernel-no-litmus");
    let cuda = write(
        &files,
        "list.cu",
        "#include <cuda/atomic>\nstruct Node { int x; };\n__global__ void k(int* a) { a[threadIdx.x] = 1; }\n",
    );
    let unnamed = write(
        &files,
        "list.txt",
        "// a kernel\n__device__ int flag;\n__global__ void k() { flag = 1; }\n",
    );
    let part = "this is a GPU kernel, and no litmus test";
    for file in [cuda.as_str(), &unnamed, LOCK] {
        for command in ["run", "fence", "explain"] {
            let output = margay(&[command, file, "--model", "ptx-8"]);
            assert_eq!(output.status.code(), Some(2), "{command} {file}");
            let said = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                said.contains(part)
                    && said.contains(&format!("`margay kernel {file}` asks about its kernels")),
                "{said}"
            );
        }
    }
}

/// A launch that a kernel is not meant for is not chosen, and the first line says why; one that is
/// named is asked about.
#[test]
fn a_launch_that_is_not_meant_is_not_chosen() {
    let flat = |arguments: &[&str]| {
        out(&margay(arguments)).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let flag =
        flat(&["kernel", "tests/kernels/flag.ptx", "--kernel", "fenced_flag", "--without-repair"]);
    assert!(
        flag.starts_with("none:")
            && flag.contains("(blocks of one thread: it does not ask which thread it is"),
        "{flag}"
    );
    let files = folder("kernel-meant");
    let text = ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<4>;\n\
                ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\nret;\n}\n";
    let kernel = write(&files, "one_block.ptx", text);
    let said = flat(&["kernel", &kernel, "--without-repair"]);
    assert!(
        said.starts_with("none:")
            && said.contains("1x2, 1x4, 1x33 (one block: it does not ask which block it is in)"),
        "{said}"
    );
    let named = flat(&["kernel", &kernel, "--launch", "2x1", "--without-repair"]);
    assert!(named.starts_with("counterexample:") && !named.contains("does not ask"), "{named}");
    // What waits for a lock is meant for several blocks.
    let alike = flat(&[
        "kernel",
        "tests/kernels/lock.ptx",
        "--kernel",
        "lock_without_fences",
        "--without-repair",
    ]);
    assert!(
        alike.contains("in launch 2x1 (blocks of one thread")
            && !alike.contains("ask with `--launch 1x1`"),
        "{alike}"
    );
}
