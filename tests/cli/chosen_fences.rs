//! A source whose executions choose an order of their fences: what `check` and `prove` say of it,
//! and what `diff` refuses.

use std::path::Path;

use crate::program::{err, folder, json, margay, out, words, write};

const SOURCE: &str = "language \"fences are ordered\"
let order = po; [FULL] | [FULL]; po | (po & loc) | sync_fence
let hb = (order | rf & ext)+
empty (FULL * FULL) \\ (sync_fence | sync_fence^-1 | id) as Fences
irreflexive hb as Hb
irreflexive hb; (co | rf^-1; co) as Coh
empty rmw & (fr; co) as At
";

/// A mapping to `nop`s that order nothing, one to sequential consistency, and one to the language
/// itself.
fn mappings(name: &str) -> [String; 3] {
    let dir = folder(name);
    write(
        &dir,
        "language.arch",
        "architecture \"a language\"\ntag FULL on F\nchosen sync_fence on FULL\nread ld\nwrite st\nrmw at\nfence full FULL\n",
    );
    write(&dir, "source.cat", SOURCE);
    let machine = "machine \"nothing is ordered\"\nacyclic (po & loc) | rf | co | fr as Loc\nempty rmw & (fr; co) as At\n";
    write(
        &dir,
        "machine.arch",
        "architecture \"machine\"\ntag NOP on F\nread ld\nwrite st\nrmw at\nfence nop NOP\n",
    );
    write(&dir, "machine.cat", machine);
    let rows = |load, store, swap, fence| {
        format!("ld => {load}\nst => {store}\nat => {swap}\nfull => {fence}\n")
    };
    [
        write(
            &dir,
            "wrong.map",
            format!(
                "mapping \"wrong\" from source.cat to machine.cat\n{}",
                rows("ld", "st", "at", "nop")
            ),
        ),
        write(
            &dir,
            "right.map",
            format!("mapping \"right\" from source.cat to sc\n{}", rows("R", "W", "RMW", "F")),
        ),
        write(
            &dir,
            "same.map",
            format!(
                "mapping \"same\" from source.cat to source.cat\n{}",
                rows("ld", "st", "at", "full")
            ),
        ),
    ]
}

#[test]
fn a_counterexample_is_legal_in_no_order() {
    let [wrong, right, _] = mappings("chosen-fences");
    let found = margay(&["check", &wrong, "--bound", "6", "--only", "ld,st,full"]);
    assert_eq!(found.status.code(), Some(1), "{}{}", out(&found), err(&found));
    assert!(
        words(&out(&found)).contains("every other order of the fences violates an axiom, too"),
        "{}",
        out(&found)
    );
    let document = json(&margay(&[
        "check",
        &wrong,
        "--bound",
        "6",
        "--only",
        "ld,st,full",
        "--format",
        "json",
    ]));
    let explanation = document["counterexamples"][0]["explanation"].to_string();
    assert!(explanation.contains("every other order of the fences"), "{document}");
    let holds = margay(&["check", &right, "--bound", "4", "-v"]);
    assert_eq!(holds.status.code(), Some(0), "{}{}", out(&holds), err(&holds));
    assert!(
        words(&out(&holds)).contains("no order of them makes a counterexample legal"),
        "{}",
        out(&holds)
    );
}

/// The orders that explained candidates are part of a certificate, at both levels.
#[test]
fn what_has_no_counterexample_is_certified() {
    let [.., same] = mappings("chosen-fences-certified");
    for (name, level) in [("executions", &["--level", "execution"][..]), ("programs", &[])] {
        let folder = folder(&format!("chosen-fences-certified/{name}"));
        let folder = folder.to_str().expect("a name").to_owned();
        let asked = ["check", &same, "--bound", "5", "--only", "ld,st,full", "--certify", &folder];
        let written = margay(&[&asked[..], level].concat());
        assert_eq!(written.status.code(), Some(0), "{}{}", out(&written), err(&written));
        let text: String = std::fs::read_dir(Path::new(&folder))
            .expect("it was written")
            .flatten()
            .filter_map(|entry| std::fs::read_to_string(entry.path()).ok())
            .collect();
        assert!(text.contains("\"orders\""), "no order explained a candidate");
        let verified = margay(&["verify", &folder]);
        assert_eq!(verified.status.code(), Some(0), "{}{}", out(&verified), err(&verified));
    }
}

#[test]
fn one_order_is_not_all_orders() {
    let [wrong, right, _] = mappings("chosen-fences-refused");
    let of_one = margay(&["prove", &right, "--axiom", "Hb"]);
    assert_eq!(of_one.status.code(), Some(2), "{}", out(&of_one));
    assert!(words(&err(&of_one)).contains("are taken together"), "{}", err(&of_one));
    let dir = Path::new(&wrong).parent().expect("a folder");
    let model = |name: &str| dir.join(name).to_str().expect("a name").to_owned();
    let compared =
        margay(&["diff", &model("source.cat"), &model("machine.cat"), "--mapping", &wrong]);
    assert_eq!(compared.status.code(), Some(2), "{}", out(&compared));
    let said = words(&err(&compared));
    assert!(
        said.contains("one of them chooses the order `sync_fence` of full")
            && said.contains("`--without full`"),
        "{said}"
    );
    let one = margay(&["check", &wrong, "--level", "execution", "--axiom", "Hb"]);
    assert_eq!(one.status.code(), Some(2), "{}", out(&one));
    assert!(words(&err(&one)).contains("are taken together"), "{}", err(&one));
}

/// The first line says which order the theorem is about, its certificate is followed again, and a
/// file of axioms that are proved one by one is not written.
#[test]
fn an_order_is_taken_from_the_target() {
    let [wrong, right, same] = mappings("chosen-fences-proved");
    for (mapping, order) in [
        (&right, "with full in any total order that keeps what SC orders"),
        (&same, "with full ordered as the target orders what they become"),
    ] {
        let kept = format!("{mapping}.theorem");
        let proved = margay(&["prove", mapping, "--bound", "3", "--certify", &kept]);
        assert_eq!(proved.status.code(), Some(0), "{}{}", out(&proved), err(&proved));
        let said = words(&out(&proved));
        assert!(
            said.starts_with("theorem for executions of every size, ") && said.contains(order),
            "{said}"
        );
        let verified = margay(&["verify", &kept]);
        assert_eq!(verified.status.code(), Some(0), "{}{}", out(&verified), err(&verified));
        assert!(words(&out(&verified)).contains(order), "{}", out(&verified));
        // Fewer axioms would be a claim about an order that the others may forbid.
        let folder = Path::new(&kept);
        let mut document: serde_json::Value = margay_models::certificate::open(folder)
            .expect("it is whole")
            .parse()
            .expect("it is JSON");
        document["theorems"] = serde_json::json!(["Fences"]);
        margay_models::certificate::seal(&document, folder).expect("there is room");
        let forged = margay(&["verify", &kept]);
        assert_eq!(forged.status.code(), Some(2), "{}{}", out(&forged), err(&forged));
        assert!(words(&err(&forged)).contains("are taken together"), "{}", err(&forged));
    }
    let kept = format!("{wrong}.theorem");
    let open = margay(&["prove", &wrong, "--bound", "3", "--certify", &kept]);
    assert_eq!(open.status.code(), Some(3), "{}{}", out(&open), err(&open));
    assert!(
        words(&err(&open)).contains("its axioms are taken together")
            && !Path::new(&kept).join("certificate.json").exists()
    );
    let found = margay(&["prove", &wrong, "--bound", "6", "--only", "ld,st,full"]);
    assert_eq!(found.status.code(), Some(1), "{}{}", out(&found), err(&found));
    assert!(words(&out(&found)).contains("Fences counterexample with 6 events"), "{}", out(&found));
}
