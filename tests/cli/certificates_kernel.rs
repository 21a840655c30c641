//! `margay kernel --certify` and `margay verify` of it: each test in which nothing was found comes
//! with its proof, and nothing more is claimed than that.

use std::path::{Path, PathBuf};

use margay_models::certificate::open;
use serde_json::{Value, json};

use crate::certificates::{refused, verify};
use crate::certificates_run::{files, forged};
use crate::program::{err, folder, json, margay, out, words};

const LOCKS: &str = "tests/kernels/locks.ptx";

/// A certificate of kernels of a file, in a folder of the test, and the answer.
fn certificate(name: &str, arguments: &[&str]) -> (PathBuf, Value) {
    let folder = folder(&format!("certificates-kernel/{name}")).join("certificate");
    let path = folder.to_str().expect("a path of text");
    let more = ["--certify", path, "--format", "json", "--without-repair"];
    let output = margay(&[&["kernel"], arguments, &more].concat());
    assert_eq!(err(&output), "");
    (folder, json(&output))
}

fn lock(name: &str) -> (PathBuf, Value) {
    certificate(name, &[LOCKS, "--kernel", "cas_lock"])
}

fn document(folder: &Path) -> Value {
    open(folder).expect("it is whole").parse().expect("it is JSON")
}

fn verified(folder: &Path) -> Value {
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["verify", path, "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    json(&output)
}

#[test]
fn what_is_not_found_in_a_kernel_has_a_proof() {
    let (folder, answer) = lock("verified");
    assert_eq!(answer["verdict"], "none");
    let proofs = &answer["kernels"][0]["proofs"];
    assert_eq!(proofs["launches"], json!(["2x1", "3x1"]));
    let proved = proofs["proved"].as_u64().expect("a number");
    assert!(proved >= 4, "{proofs}");
    // Whether the lock's threads come to their ends is seen as they take turns.
    assert!(proofs["unproved"].to_string().contains("take turns"), "{proofs}");
    let first = answer["kernels"][0]["answer"].as_str().expect("a line");
    for said in [
        &format!("; {proved} questions about 2 launches have a proof (of ")[..],
        "2 have none (2: answered by threads that take turns)",
        "the way from the kernel to its tests is not certified",
    ] {
        assert!(first.contains(said), "{first}");
    }
    let report = verified(&folder);
    assert_eq!(report["kind"], "kernel");
    assert_eq!(report["extent"], answer["certificate"]["extent"]);
    assert_eq!(report["asked_for"].as_array().map(Vec::len), Some(proved as usize));
    // The rounds that are looked at are a part of what is asked.
    let rounds: Vec<&Value> = report["claims"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|claim| &claim["given"]["rounds"])
        .collect();
    assert!(rounds.contains(&&json!("racing")) && rounds.contains(&&json!("last")), "{rounds:?}");
    for claim in report["claims"].as_array().expect("a list") {
        assert_eq!(claim["reachable"], false);
        // Of the last rounds nothing is said of races.
        let racy = if claim["given"]["rounds"] == "last" { Value::Null } else { json!(false) };
        assert_eq!(claim["racy"], racy);
        assert!(claim["model_file"].as_str().is_some_and(|file| file.starts_with("<built-in>/")));
    }
    // The models are Margay's own, and the tests the certificate's.
    for text in report["texts"].as_array().expect("a list") {
        let known = text["standing"] != "not compared";
        assert_eq!(known, text["role"] != "test", "{text}");
    }
    let text = words(&out(&verify(&folder)));
    for said in [
        "race-free) about",
        "That they were made of a kernel, and which kernel, launch and question each was asked for, is what the author of the certificate says",
        "`cas_lock` of tests/kernels/locks.ptx in launch 2x1: data races",
        "of a loop that tries again the last round alone, which says nothing of executions with a race",
        "without a solver",
    ] {
        assert!(text.contains(said), "`{said}` is missing in\n{text}");
    }
}

#[test]
fn the_same_kernels_have_the_same_certificate() {
    let (one, _) = certificate("one", &[LOCKS]);
    let (two, _) = certificate("two", &[LOCKS]);
    assert!(files(&one) == files(&two), "the same bytes");
    // What was proved of kernels in which something goes wrong is not kept.
    let labels = document(&one)["subject"]["asked"].to_string();
    assert!(labels.contains("cas_lock_twice") && !labels.contains("relaxed"), "{labels}");
    let named = document(&one)["claims"].to_string();
    for (name, _) in files(&one) {
        assert!(name == "certificate.json" || named.contains(&name), "{name} is of no claim");
    }
}

#[test]
fn nothing_is_certified_where_something_goes_wrong() {
    let (folder, answer) = certificate("wrong", &[LOCKS, "--kernel", "cas_lock_relaxed"]);
    assert_eq!(answer["verdict"], "counterexample");
    let first = answer["kernels"][0]["answer"].as_str().expect("a line");
    assert!(first.ends_with("; nothing is certified, since something goes wrong"), "{first}");
    assert_eq!(answer["kernels"][0]["proofs"]["proved"], 0);
    assert_eq!(answer["certificate"]["answers"], 0);
    let text = out(&verify(&folder));
    assert!(text.starts_with("verified: it answers nothing about 0 litmus tests"), "{text}");
    // A second run would write beside it.
    let path = folder.to_str().expect("a path of text");
    let output = margay(&["kernel", LOCKS, "--certify", path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("the folder is not empty"), "{}", err(&output));
    let output = margay(&["kernel", LOCKS, "--certify", LOCKS]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("cannot write a certificate into"), "{}", err(&output));
}

#[test]
fn what_was_not_asked_is_not_certified() {
    let asked = [LOCKS, "--kernel", "cas_lock", "--timeout", "0s"];
    let (folder, answer) = certificate("stopped", &asked);
    assert_eq!(answer["verdict"], "undecided");
    let first = answer["kernels"][0]["answer"].as_str().expect("a line");
    assert!(first.ends_with("; no answer has a proof"), "{first}");
    assert_eq!(verified(&folder)["claims"], json!([]));
    // Of a launch that is answered what was proved is kept beside one that is not.
    let launches = ["--launch", "2x1@cluster=2", "--launch", "2x2@cluster=2"];
    let kernel = ["tests/kernels/clusters.ptx", "--kernel", "sent_to_neighbour"];
    let asked = [&kernel[..], &launches].concat();
    let (folder, answer) = certificate("kept", &asked);
    assert_eq!(answer["verdict"], "undecided");
    let launches = &answer["kernels"][0]["proofs"]["launches"];
    assert!(launches.to_string().contains("2x1@cluster=2"), "{launches}");
    assert!(verified(&folder)["claims"].as_array().is_some_and(|claims| !claims.is_empty()));
}

#[test]
fn a_comparison_certifies_the_new_version() {
    let (folder, answer) =
        certificate("against", &[LOCKS, "--kernel", "cas_lock", "--against", LOCKS]);
    assert_eq!(answer["verdict"], "none");
    assert_eq!(files(&folder), files(&lock("alone").0));
}

#[test]
fn a_log_of_findings_says_what_is_certified() {
    let folder = folder("certificates-kernel/sarif").join("certificate");
    let path = folder.to_str().expect("a path of text");
    let output =
        margay(&["kernel", LOCKS, "--kernel", "cas_lock", "--certify", path, "--format", "sarif"]);
    let log: Value = serde_json::from_str(&out(&output)).expect("it is JSON");
    let run = &log["runs"][0];
    let said =
        run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].to_string();
    assert!(said.contains("the way from the kernel to its tests is not certified"), "{said}");
    let properties = &run["properties"];
    assert_eq!(properties["certificate"]["folder"], path);
    assert_eq!(properties["proofs"][0]["kernel"], "cas_lock");
    assert_eq!(properties["proofs"][0]["launches"], json!(["2x1", "3x1"]));
}

#[test]
fn one_bit_in_any_file_is_refused() {
    let (folder, _) = lock("bit");
    for (name, whole) in files(&folder) {
        let file = folder.join(&name);
        for place in (0..whole.len()).step_by(whole.len() / 5 + 1) {
            let mut changed = whole.clone();
            changed[place] ^= 1 << (place % 8);
            std::fs::write(&file, &changed).expect("there is room");
            refused(&folder, &["certificate.json", &name][usize::from(name.ends_with(".proof"))..]);
        }
        std::fs::write(&file, &whole[..whole.len() / 2]).expect("there is room");
        refused(&folder, &[]);
        std::fs::remove_file(&file).expect("it is there");
        refused(&folder, &[]);
        std::fs::write(&file, &whole).expect("there is room");
    }
    verified(&folder);
}

#[test]
fn a_forged_certificate_claims_nothing() {
    let (folder, _) = lock("forged");
    let whole = document(&folder);
    let claims = whole["claims"].as_array().expect("a list").len();
    let given = whole["subject"]["given"].as_array().expect("a list").len();
    assert!(claims >= 4 && given == 2, "{claims} claims, {given} ways to ask");
    // Another test, another model, another proof.
    let swap = |list: &'static str| {
        move |d: &mut Value| {
            let all = d.pointer_mut(list).expect("it is there").as_array_mut().expect("a list");
            let (first, last) = (all[0]["text"].clone(), all.len() - 1);
            all[0]["text"] = all[last]["text"].clone();
            all[last]["text"] = first;
        }
    };
    forged(&folder, swap("/subject/tests"), &["is not accepted"]);
    forged(
        &folder,
        |d| d["subject"]["models"].as_array_mut().expect("a list").swap(0, 1),
        &["is not accepted"],
    );
    let proof = |d: &mut Value, claim: usize, of: Value| {
        d["claims"][claim]["sessions"][0]["proof"] = of;
    };
    let other = whole["claims"][1]["sessions"][0]["proof"].clone();
    forged(&folder, |d| proof(d, 0, other), &["two cases have the proof"]);
    forged(&folder, |d| proof(d, 0, Value::Null), &["has no proof of it"]);
    forged(
        &folder,
        |d| d["claims"][0]["sessions"][0]["proof"]["file"] = json!("../certificate.json"),
        &["is not the name of a file beside it"],
    );
    // Other rounds than were looked at.
    let way = |rounds: &str| {
        let at = |g: &Value| g["rounds"].to_string().contains(rounds);
        whole["subject"]["given"].as_array().expect("a list").iter().position(at).expect("there")
    };
    let (last, racing) = (way("last"), way("racing"));
    let rounds = |way: usize, rounds: Value| {
        move |d: &mut Value| d["subject"]["given"][way]["rounds"] = rounds
    };
    forged(&folder, rounds(racing, json!("last")), &["which say nothing of races"]);
    forged(&folder, rounds(last, json!({"racing": null})), &["nothing of another outcome"]);
    let far = json!({"racing": 60_000});
    forged(&folder, rounds(racing, far), &["at a location that the test has not"]);
    forged(&folder, rounds(racing, json!("few")), &["unknown variant"]);
    // Places that are not there, and lists that do not fit.
    let set = |at: &'static str, to: Value| {
        move |d: &mut Value| *d.pointer_mut(at).expect("it is there") = to
    };
    forged(&folder, set("/claims/0/model", json!(9)), &["claims about tests or models"]);
    forged(&folder, set("/claims/0/test", json!(u64::MAX)), &["claims"]);
    let with_way = |d: &mut Value| d["claims"][claims - 1]["given"] = json!(7);
    forged(&folder, with_way, &["in a way that it does not say"]);
    let labelled = "it does not say of each of its claims";
    forged(&folder, set("/subject/asked/0/claim", json!(u64::from(u32::MAX))), &[labelled]);
    forged(&folder, set("/subject/asked", json!([])), &[labelled]);
    let without_claim = |d: &mut Value| drop(d["claims"].as_array_mut().map(|all| all.remove(0)));
    forged(&folder, without_claim, &[labelled]);
    let doubled = |d: &mut Value| {
        let labels = d["subject"]["asked"].as_array_mut().expect("a list");
        labels.push(labels[0].clone());
    };
    forged(&folder, doubled, &["does not ascend"]);
    let unused = |d: &mut Value| {
        let ways = d["subject"]["given"].as_array_mut().expect("a list");
        ways.push(json!({"unroll": 9}));
    };
    forged(&folder, unused, &["that no claim is about"]);
    let waiting = |d: &mut Value| d["subject"]["given"][racing]["skips_waiting"] = json!(false);
    forged(&folder, waiting, &["is asked about in 2 sessions"]);
    // As that of a run it would be of all rounds.
    let run = |d: &mut Value| {
        let of = d["subject"]["given"][0].clone();
        d["subject"]["kind"] = json!("run");
        d["subject"]["given"] = of;
        d["subject"].as_object_mut().expect("an object").remove("asked");
        for claim in d["claims"].as_array_mut().expect("a list") {
            claim.as_object_mut().expect("an object").remove("given");
        }
    };
    forged(&folder, run, &["a run looks at all rounds of loops"]);
    // A claim that is not shown.
    forged(&folder, set("/claims/0/reachable", json!(true)), &["and it claims"]);
    verified(&folder);
}

/// Of a stack fewer rounds of its loops are looked at than there are: a certificate of all of them
/// would be of other clauses, or only up to a bound.
#[test]
fn fewer_rounds_are_not_all() {
    let stack = ["tests/kernels/lockless.ptx", "--kernel", "treiber_stack", "--launch", "2x1"];
    let (folder, answer) = certificate("rounds", &stack);
    assert_eq!(answer["verdict"], "none", "{answer}");
    let given = document(&folder)["subject"]["given"].as_array().expect("a list").clone();
    for rounds in ["racing", "last"] {
        let is_of = |g: &Value| g["rounds"].to_string().contains(rounds);
        let way = given.iter().position(is_of).expect("it is there");
        let all = |d: &mut Value| d["subject"]["given"][way]["rounds"] = json!("all");
        forged(&folder, all, &["is not accepted"]);
    }
    verified(&folder);
}

/// What a test was asked for is the author's word: it may be any, and `verify` says that nothing
/// shows it.
#[test]
fn a_label_is_only_said() {
    let (folder, _) = lock("label");
    let mut changed = document(&folder);
    for label in changed["subject"]["asked"].as_array_mut().expect("a list") {
        label["kernel"] = json!("another\u{1b}[31m");
        label["launch"] = json!("64x1024");
    }
    let labels = changed["subject"]["asked"].as_array_mut().expect("a list");
    labels.sort_by_key(|l| (l["question"].to_string(), l["claim"].as_u64()));
    margay_models::certificate::seal(&changed, &folder).expect("there is room");
    let output = verify(&folder);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(words(&text).contains("and nothing here shows it"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_link_in_the_folder_is_refused() {
    let (folder, _) = lock("link");
    let (name, _) = files(&folder).into_iter().find(|(n, _)| n.ends_with(".proof")).expect("one");
    let (file, elsewhere) = (folder.join(&name), folder.with_file_name("elsewhere.proof"));
    std::fs::rename(&file, &elsewhere).expect("renamed");
    std::os::unix::fs::symlink(&elsewhere, &file).expect("linked");
    refused(&folder, &[&name, "cannot be read"]);
    std::fs::remove_file(&file).expect("it is there");
    std::os::unix::fs::symlink("/dev/zero", &file).expect("linked");
    refused(&folder, &[&name, "cannot be read"]);
}
