//! Models in the dialects of herd7 and Dartagnan. The same base name means another thing there:
//! each test here comes out otherwise if the model is read under Margay's definitions.

use margay_models::judge::Judge;
use margay_models::typing::OnlyBuiltIn;
use margay_models::{Model, SourceFile};

use crate::case::Verdict::{self, Allowed, Forbidden};
use crate::case::cases;
use crate::{shipped, verdict};

/// RC11 as its authors write it for herd7, where a read-modify-write is one event.
const HERD7_RC11: &str = r#"C RC11
include "cos.cat"
let one = [RMW] | rmw
let earlier = (rf^-1; co) \ id
let eco = (rf | co | earlier)+
let atomic = RLX | ACQ | REL | ACQ_REL | SC
let rs = [W]; (po & loc)?; [W & atomic]; (rf; one)*
let sw = [REL | ACQ_REL | SC]; ([F]; po)?; rs; rf; [R & atomic]; (po; [F])?; [ACQ | ACQ_REL | SC]
let hb = (po | sw)+
let elsewhere = po \ loc
let scb = po | elsewhere; hb; elsewhere | (hb & loc) | co | earlier
let psc = ([SC] | [F & SC]; hb?); scb; ([SC] | hb?; [F & SC]) | [F & SC]; (hb | hb; eco; hb); [F & SC]
let conflict = (((W * _) | (_ * W)) & loc) \ ((IW * _) | (_ * IW))
undefined_unless empty (conflict & ext) \ (hb | hb^-1 | A * A) as race
irreflexive hb; eco? as coherence
irreflexive one; eco as one-place
empty one & (earlier; co) as atomicity
acyclic psc as sc
acyclic po | rf as no-thin-air
"#;

/// TSO in the manner of herd7: fences and the halves of locked instructions by its library.
const HERD7_TSO: &str = r#"X86 TSO
include "x86fences.cat"
include "filters.cat"
include "cos.cat"
acyclic po-loc | rf | fr | co
empty rmw & (fre; coe)
let full = mfence | MA(WR(po)) | AM(WR(po))
acyclic full | WW(po) | RM(po) | ((rfe | fr | co); sm) as tso
"#;

/// The causality order of PTX 6.0 in the manner of Dartagnan.
const DARTAGNAN_PTX: &str = r#"PTX
let sync_barrier = syncbar & scta
let co = co+
let fr = rf^-1; co
let strong = (M & (RLX | ACQ | REL)) | F
let ms = (po | po^-1 | ([strong]; sr; [strong])) & (((M * M) & loc) | ((_ * _) \ (M * M))) \ id
let cause = (po?; (sync_fence | sync_barrier); po?)+
empty (([W]; (cause | ms); [W]) & loc) \ (co | co^-1 | id) as co-is-there
empty ([F & SC]; cause; [F & SC]) \ sync_fence as fences
acyclic rf | addr | data | ctrl as thin-air
acyclic (ms & (rf | co | fr)) | po-loc as sc-per-location
irreflexive (rf | fr); cause as causality
"#;

fn model(name: &str, text: &str) -> Model {
    match Model::parse(SourceFile::new(name, text), &OnlyBuiltIn) {
        Ok(loaded) => loaded.model,
        Err(errors) => panic!(
            "{name}: {}",
            errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        ),
    }
}

/// Where a model and a shipped one differ on the cases of the shipped one, and how many cases there
/// are.
fn differences(model: &Model, shipped: &str) -> (Vec<String>, usize) {
    let other = shipped::models().into_iter().find(|m| m.name == shipped).expect("a shipped model");
    let (mut judge, mut judge_other) = (Judge::new(model), Judge::new(&other));
    let cases = cases(shipped);
    let differs = cases.iter().filter_map(|case| {
        let (here, there) =
            (verdict(model, &mut judge, case.text), verdict(&other, &mut judge_other, case.text));
        (here != there).then(|| format!("{}: {here:?}, but {there:?} by {shipped}", case.name))
    });
    (differs.collect(), cases.len())
}

#[test]
fn rc11_of_herd7_is_rc11() {
    let (wrong, asked) = differences(&model("herd7:rc11.cat", HERD7_RC11), "rc11");
    assert!(wrong.is_empty() && asked > 50, "{asked} cases\n{}", wrong.join("\n"));
    // A read-modify-write is one event there, a read and a write, and two in Margay.
    let one_event = |name: &str| {
        let model = model(name, "C empty R & W");
        verdict(&model, &mut Judge::new(&model), "RMW.RLX.sys x=0->1")
    };
    assert_eq!((one_event("herd7:m.cat"), one_event("margay:m.cat")), (Forbidden, Allowed));
}

#[test]
fn tso_of_herd7_is_tso() {
    let (wrong, asked) = differences(&model("herd7:tso.cat", HERD7_TSO), "tso");
    assert!(wrong.is_empty() && asked > 10, "{asked} cases\n{}", wrong.join("\n"));
}

/// What the model in Dartagnan's manner says under Dartagnan's definitions and under Margay's.
fn both(text: &str) -> (Verdict, Verdict) {
    let ask = |name: &str| {
        let model = model(name, DARTAGNAN_PTX);
        verdict(&model, &mut Judge::new(&model), text)
    };
    (ask("dartagnan:m.cat"), ask("margay:m.cat"))
}

#[test]
fn dartagnan_orders_fences_in_every_execution() {
    let sb = "W.RLX.gpu x=1; F.SC.gpu; R.RLX.gpu y=0
              W.RLX.gpu y=1; F.SC.gpu; R.RLX.gpu x=0";
    assert_eq!(both(sb), (Forbidden, Allowed));
    // Of another cta: the scopes do not include each other's threads, and nothing orders the
    // fences.
    assert_eq!(both(&sb.replace("F.SC.gpu", "F.SC.cta")).0, Allowed);
}

#[test]
fn dartagnan_counts_what_a_read_modify_write_reads_as_data() {
    let lb = "a: R.RLX.gpu x=2; W.RLX.gpu y=1 data(a)
              RMW.RLX.RLX.gpu y=1->3; b: R.RLX.gpu y=3; W.RLX.gpu x=2 data(b)";
    assert_eq!(both(lb).0, Forbidden);
    let lb = "RMW.RLX.RLX.gpu x=2->1
              RMW.RLX.RLX.gpu x=1->2";
    assert_eq!(both(lb).0, Forbidden);
}

#[test]
fn dartagnan_synchronises_from_arrivals_to_waits() {
    let mp = "@0.0.0 W.WEAK x=1; ARRIVE 1
              @0.0.0 WAIT 1; R.WEAK x=0";
    assert_eq!(both(mp).0, Forbidden);
    // Nothing leads back from a wait, or from one arrival to another.
    let back = "@0.0.0 ARRIVE 1; R.WEAK x=0
                @0.0.0 W.WEAK x=1; ARRIVE 1
                @0.0.0 WAIT 1";
    assert_eq!(both(back).0, Allowed);
}
