//! `margay gen`, `classify`, `explain` and `fence` as a user or a program meets them.

use serde_json::Value;

use crate::program::{command, err, folder, json, lines, margay, out, write};

#[test]
fn generated_tests_are_distinct_and_listed() {
    let folder = folder("families/gen");
    let dir = folder.to_str().expect("a path of text");
    let output = margay(&[
        "gen",
        "--orders",
        "weak,relaxed",
        "--scopes",
        "cta,gpu",
        "--places",
        "cta,gpu",
        "--out",
        dir,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let index = std::fs::read_to_string(folder.join("index.tsv")).expect("an index");
    let entries = std::fs::read_dir(&folder).expect("a folder").flatten();
    let files = entries.filter(|e| e.path().extension().is_some_and(|e| e == "litmus")).count();
    assert_eq!(index.lines().count() - 1, files);
    assert!(files >= 300, "{files}");
    let output = margay(&["classify", dir, "--distinct", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let found = json(&output);
    assert_eq!(found["tests"].as_array().map(Vec::len), Some(files));
    assert_eq!(found["duplicates"], serde_json::json!([]));
    // The index has the names that classify finds.
    let shapes: std::collections::BTreeSet<&str> =
        index.lines().skip(1).filter_map(|l| l.split('\t').nth(1)).collect();
    let shapes: Vec<&str> = shapes.into_iter().collect();
    assert_eq!(shapes, ["2+2W", "LB", "MP", "R", "S", "SB"]);
}

#[test]
fn the_same_seed_draws_the_same_tests() {
    let draw = |seed: &str| {
        let all = "Rf*,Fr*,Co*,Po*,Dp*,FenceSc*";
        out(&margay(&[
            "gen", "--seed", seed, "--count", "20", "--size", "4..7", "--edges", all, "--format",
            "json",
        ]))
    };
    assert_eq!(draw("1"), draw("1"));
    assert_ne!(draw("1"), draw("2"));
    assert_eq!(draw("1").lines().count(), 20);
}

#[test]
fn wrong_edges_and_filters_are_said() {
    for (arguments, part) in [
        (&["--edges", "Rfe,Fre,PodRX"][..], "did you mean `PodRR`?"),
        (&["--edges", "Rfe,Banana"], "edges are Rfe Fre Coe"),
        (&["--only", "PodWW", "--without", "PodWW"], "`PodWW` is in --only and in --without"),
        (&["--without", "*e"], "no edge between threads"),
        (&["--only", "MP", "--without", "MP"], "`MP` is in --only and in --without"),
        (&["--only", "MPP"], "neither an edge nor a shape"),
        (&["--orders", "acquire"], "one that a write may have"),
        (&["--orders", "sc"], "one that a read may have"),
        (&["--size", "3", "--threads", "5"], "no test fits"),
        (&["--caches", "ca"], "--caches is for --language ptx-2015"),
        (&["--spaces", "shared"], "--spaces is for --language ptx-2015"),
        (&["--places", "warp"], "--places warp is for --language ptx-2015"),
        (
            &["--language", "ptx-2015", "--edges", "Rfe,Fre,FenceAcqReld**"],
            "its only fence is `membar`",
        ),
        (&["--language", "ptx-2015", "--orders", "relaxed"], "accesses of 2015 have no orders"),
        (&["--language", "ptx-2015", "--scopes", "cluster"], "`membar` has no cluster scope"),
        (&["--language", "ptx-2015", "--places", "sys"], "warps and ctas of one gpu"),
        (&["--language", "ptx-2015", "--caches", "ca"], "one that a store may have"),
        (&["--language", "ptx-2015", "--caches", "cx"], "possible values: ca, cg, cv, wb, wt"),
        (&["--edges", "Rfe,Fre,MembarGpud**"], "did you mean"),
        (&["PodWW Rfe"], "is no cycle"),
        (&["PodWR Fre PodWR Fre", "--without", "Fre"], "which the filters leave out"),
    ] {
        let output = margay(&[&["gen"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(err(&output).contains(part), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn a_cycle_that_the_shell_has_taken_apart() {
    let output = margay(&["gen", "PodWR", "Fre", "PodWR", "Fre"]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(
        said.contains("a cycle is one argument")
            && said.contains("margay gen \"PodWR Fre PodWR Fre\""),
        "{said}"
    );
    let output = margay(&["gen", "BarSyncdWR Fre BarSyncdWR Fre", "--language", "c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("`BarSync` is an edge of PTX"), "{}", err(&output));
    let text = out(&margay(&["gen", "Rmw PodWW Rfe PodRR Fre Rfe"]));
    assert!(text.contains("atom.relaxed.gpu.exch r0"), "{text}");
}

#[test]
fn duplicates_in_two_languages() {
    let folder = folder("families/classify");
    let ptx = "PTX a\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n \
               ld.relaxed.gpu r0, y | ld.relaxed.gpu r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n";
    let call = |f: &str, l: &str| {
        format!("atomic_{f}_explicit({l}memory_order_relaxed, memory_scope_device)")
    };
    let thread = |t: u8, mine: &str, other: &str| {
        let (store, load) =
            (call("store", &format!("{mine}, 1, ")), call("load", &format!("{other}, ")));
        format!(
            "P{t}@wg {t},dev 0 (atomic_int* x, atomic_int* y) {{ {store}; int r0 = {load}; }}\n"
        )
    };
    let c = format!(
        "C b\n{{ x=0; y=0; }}\n{}{}exists (0:r0=0 /\\ 1:r0=0)\n",
        thread(0, "x", "y"),
        thread(1, "y", "x")
    );
    let files = [
        write(&folder, "a.litmus", ptx),
        write(&folder, "b.litmus", c),
        write(
            &folder,
            "c.litmus",
            ptx.replace("PTX a", "PTX c")
                .replace(" x, ", " z, ")
                .replace("x=0", "z=0")
                .replace("r0, x", "r0, z"),
        ),
    ];
    let arguments: Vec<&str> = ["classify", "--format", "json"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let found = json(&margay(&arguments));
    assert_eq!(found["duplicates"], serde_json::json!([[files[0], files[2]]]));
    assert_eq!(found["counterparts"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        found["tests"][1]["canonical_name"],
        "SB+rlx.gpu-po-rlx.gpu+rlx.gpu-po-rlx.gpu@P0,P1"
    );
    let output = margay(&["classify", "--distinct", folder.to_str().expect("a path of text")]);
    assert_eq!(output.status.code(), Some(1));
    let human = out(&output);
    assert!(
        human.starts_with("3 tests: 2 different; 1 duplicate; 1 in two languages\n"),
        "{human}"
    );
    assert!(human.contains("SB+rlx"), "{human}");
}

#[test]
fn every_edge_of_a_cycle_has_its_line() {
    let test = "tests/corpus/asplos2019/fig5-mp.litmus";
    let output = margay(&["explain", test, "--model", "ptx-6.0", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let found = json(&output);
    assert_eq!(found["verdict"], "forbidden");
    let axiom = &found["axioms"][0];
    assert_eq!(axiom["axiom"], "Causality");
    let model = std::fs::read_to_string("models/ptx-6.0.cat").expect("the model");
    let cycle = axiom["cycle"].as_array().expect("a cycle");
    let relations: Vec<&str> = cycle.iter().filter_map(|e| e["relation"].as_str()).collect();
    assert_eq!(relations, ["fr", "po", "rf", "po"]);
    for edge in cycle {
        let line = edge["line"].as_u64().expect("a line") as usize;
        assert_eq!(model.lines().nth(line - 1).map(str::trim), edge["text"].as_str());
    }
    // They lead round.
    let ends: Vec<(&Value, &Value)> = cycle.iter().map(|e| (&e["from"], &e["to"])).collect();
    assert_eq!(ends[0].0, ends[ends.len() - 1].1);
    assert!(ends.windows(2).all(|w| w[0].1 == w[1].0), "{ends:?}");
    let human = out(&margay(&["explain", test, "--model", "ptx-6.0"]));
    assert!(human.starts_with("forbidden: fig5-mp under ptx-6.0\n"), "{human}");
    assert!(human.contains("line 75   irreflexive (rf | fr); cause as Causality"), "{human}");
    let narrow = out(&command(&["explain", test, "--model", "ptx-6.0"])
        .env("COLUMNS", "60")
        .output()
        .expect("it starts"));
    assert!(
        narrow.contains("line 75\n    irreflexive (rf | fr); cause as Causality\n"),
        "{narrow}"
    );
}

#[test]
fn what_would_forbid_an_outcome() {
    let test = "tests/corpus/asplos2015/cas-sl.litmus";
    let output = margay(&["explain", test, "--model", "ptx-6.0"]);
    let human = out(&output);
    assert!(
        human.starts_with("allowed: cas-sl under ptx-6.0\n")
            && human.contains("  + @r2 membar.gl\n"),
        "{human}"
    );
    let output = margay(&["fence", test, "--model", "ptx-6.0", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let found = json(&output);
    assert_eq!((&found["verdict"], &found["cost"]), (&"repairable".into(), &120.into()));
    let changes = found["repairs"][0]["changes"].as_array().expect("changes");
    assert_eq!(changes.len(), 2);
    assert_eq!(changes[1]["after"], "@r2 membar.gl");
    // Without fences there is nothing else in the form of 2015.
    let output = margay(&["fence", test, "--model", "ptx-6.0", "--use", "orders,scopes"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(out(&output).starts_with("no way by orders and scopes alone: "), "{}", out(&output));
    let fenced =
        margay(&["fence", "tests/corpus/asplos2015/cas-sl+fences.litmus", "--model", "ptx-6.0"]);
    assert_eq!(fenced.status.code(), Some(0));
    assert!(out(&fenced).starts_with("nothing to do: "));
    let limited =
        margay(&["fence", test, "--model", "ptx-6.0", "--timeout", "0s", "--format", "json"]);
    assert_eq!((limited.status.code(), &json(&limited)["verdict"]), (Some(3), &"undecided".into()));
}

#[test]
fn wrong_costs_are_said_with_their_place() {
    let folder = folder("families/costs");
    let costs = write(&folder, "costs.toml", "# mine\n\"fence.cs.gpu\" = 3\n");
    let test = "tests/corpus/asplos2015/cas-sl.litmus";
    let output = margay(&["fence", test, "--model", "ptx-6.0", "--costs", &costs]);
    assert_eq!(output.status.code(), Some(2));
    let said = err(&output);
    assert!(
        said.contains("there is no operation `fence.cs.gpu`") && said.contains("costs.toml:2:1"),
        "{said}"
    );
    assert!(said.contains("did you mean `fence.sc.gpu`?"), "{said}");
    let missing = margay(&["fence", "nowhere.litmus", "--model", "nothing"]);
    assert_eq!(missing.status.code(), Some(2));
    assert_eq!(
        lines(&margay(&["gen", "PodWR Fre PodWR Fre", "--format", "json"]))[0]["shape"],
        "SB"
    );
}
