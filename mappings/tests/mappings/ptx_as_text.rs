//! A user's text can say what the text of PTX says: coherence order is partial, an order of fences
//! is chosen, a read-modify-write has other tags than its halves, scopes have several names, one of
//! them is not known to every model. A copy of PTX that is such a text, with the same model and the
//! same rows, gets the same answers as PTX.

use margay_litmus::{explicit, read, sat};
use margay_mappings::check::{CheckOptions, Level, Silent};
use margay_mappings::compare::{CompareOptions, Subjects, compare};
use margay_mappings::language::{LoadOptions, Mapping, load};
use margay_models::diagnostic::SourceFile;
use margay_models::signature::{BaseRelation, BaseSet, Signature};
use margay_models::{Model, library};

use crate::setup::{ask, backends, falls, names, options, reads_back, shipped};

const COPY: &str = r#"architecture "what PTX is, as a text of a user's"
coherence partial
chosen sync_fence on SC
scopes cta|block|wg = cta < cluster = cluster < gpu|dev|device|gl = gpu < sys|system = sys
optional cluster except copy
dependencies addr data ctrl
tag RLX on R W
tag ACQ on R F
tag REL on W F
tag ACQ_REL|AR on F
tag SC on F
order RLX < ACQ
order RLX < REL
order ACQ < ACQ_REL
order REL < ACQ_REL
order ACQ_REL < SC
halves ACQ = ACQ RLX
halves REL = RLX REL
halves ACQ_REL = ACQ REL
sets WEAK
relations same-cta|scta same-gpu|sgpu
print sync_fence as sc
read ld.weak
read ld.relaxed RLX scoped
read ld.acquire ACQ scoped
write st.weak
write st.relaxed RLX scoped
write st.release REL scoped
rmw atom.relaxed RLX scoped
rmw atom.acquire ACQ scoped
rmw atom.release REL scoped
rmw atom.acq_rel ACQ_REL scoped
fence fence.acquire ACQ scoped
fence fence.release REL scoped
fence fence.acq_rel ACQ_REL scoped
fence fence.sc SC scoped
"#;

/// The text of `ptx-6.0` as one of the copy, which has no barriers.
fn model() -> String {
    let text = library::built_in("ptx-6.0").expect("a model").text.clone();
    let copied = text.replacen("PTX \"", "copy \"", 1).replace("| sync_barrier ", "");
    assert!(copied.contains("copy \"PTX 6.0") && !copied.contains("| sync_barrier"));
    copied
}

/// A shipped mapping to PTX as one to the copy.
fn mapping(name: &str) -> Mapping {
    let folder = tempfile::tempdir().expect("there is room");
    let rows = margay_mappings::library::built_in(name).expect("a mapping").text.replacen(
        "to ptx-6.0",
        "to copy",
        1,
    );
    for (file, text) in [("copy.arch", COPY.to_owned()), ("copy.cat", model()), ("copy.map", rows)]
    {
        std::fs::write(folder.path().join(file), text).expect("there is room");
    }
    load(&folder.path().join("copy.map"), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"))
        .mapping
}

fn quick(bound: usize) -> CheckOptions {
    let mut options = options(bound);
    options.backend = backends().remove(0);
    options
}

#[test]
fn the_copy_says_what_the_text_of_ptx_says() {
    let copy = mapping("rc11-to-ptx").target.signature;
    let ptx = Signature::PTX;
    assert!(copy.tabular().is_some() && ptx.tabular().is_none());
    assert!(!copy.total_coherence() && !ptx.total_coherence());
    assert_eq!(copy.ordered_fences().map(BaseSet::name), ptx.ordered_fences().map(BaseSet::name));
    assert_eq!(copy.scopes(true), ptx.scopes(true));
    assert_eq!(copy.scopes(false), ptx.scopes(false));
    assert_eq!(copy.printed(BaseRelation::SyncFence), "sc");
    for word in [
        "cta", "block", "wg", "cluster", "gpu", "dev", "device", "gl", "sys", "system", "warp",
        "agent",
    ] {
        assert_eq!(copy.scope_named(word), ptx.scope_named(word), "{word}");
    }
    for name in BaseSet::names(copy) {
        assert!(BaseSet::from_name(name, ptx).is_some(), "{name}");
    }
    // Every operation is weaker by the same steps.
    let (ours, theirs) = (copy.constructs(), ptx.constructs());
    assert_eq!(ours.len(), theirs.len());
    for (mine, other) in ours.iter().zip(&theirs) {
        let at = |all: &[_], found: Vec<_>| {
            found.iter().map(|c| all.iter().position(|a| a == c)).collect::<Vec<_>>()
        };
        assert_eq!(at(&ours, mine.weaker(copy)), at(&theirs, other.weaker(ptx)), "{mine:?}");
        assert_eq!(mine.has_scope(copy), other.has_scope(ptx), "{mine:?}");
    }
}

#[test]
fn rows_fall_as_those_to_ptx_do() {
    for (name, level) in [
        ("rc11-to-ptx-no-fence-sc-load", Level::Program),
        ("rc11-to-ptx-acq_rel-sc-fence", Level::Execution),
        ("rc11-to-ptx-relaxed-acquire-load", Level::Program),
        ("rc11-to-ptx-weak-relaxed-load", Level::Execution),
        ("rc11-to-ptx-cta-release-store", Level::Execution),
    ] {
        let copy = mapping(name);
        let options = quick(4).with(|o| o.level = level);
        let (ours, theirs) = (ask(&copy, &options), ask(&shipped(name), &options));
        assert_eq!(falls(&ours), falls(&theirs), "{name}");
        for found in &ours.counterexamples {
            reads_back(&copy, found);
        }
    }
    // Without Fence-SC order, or with coherence total, other rows would do.
    assert_eq!(falls(&ask(&mapping("rc11-to-ptx"), &quick(4))), "none up to 4");
}

/// Tests in which coherence order must be left open, fences must be ordered, and neither: by both
/// engines.
#[test]
fn tests_are_decided_as_those_of_ptx_are() {
    let copy = mapping("rc11-to-ptx").target;
    let ptx = library::load("ptx-6.0", &[]).expect("a model").model;
    let mut allowed = Vec::new();
    for (name, program) in [
        // Weak writes of two threads race: neither is before the other, and each thread may see its
        // own order.
        (
            "coherence",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | st.weak x, 2 ;\n ld.weak r0, x | ld.weak r1, x ;\nexists (P0:r0 == 2 /\\ P1:r1 == 1)",
        ),
        (
            "fences",
            "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.relaxed.cta x, 1 | st.relaxed.cta y, 1 ;\n fence.sc.cta | fence.sc.cta ;\n ld.relaxed.cta r0, y | ld.relaxed.cta r1, x ;\nexists (P0:r0 == 0 /\\ P1:r1 == 0)",
        ),
        (
            "narrow-fences",
            "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 ;\n fence.sc.cta | fence.sc.cta ;\n ld.relaxed.gpu r0, y | ld.relaxed.gpu r1, x ;\nexists (P0:r0 == 0 /\\ P1:r1 == 0)",
        ),
        (
            "weak-fences",
            "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.relaxed.cta x, 1 | st.relaxed.cta y, 1 ;\n fence.acq_rel.cta | fence.acq_rel.cta ;\n ld.relaxed.cta r0, y | ld.relaxed.cta r1, x ;\nexists (P0:r0 == 0 /\\ P1:r1 == 0)",
        ),
    ] {
        let decided = |word: &str, model: &Model| {
            let file = SourceFile::new(
                "t.litmus",
                format!("{word} {name}\n{{ x=0; y=0; }}\n {program}\n"),
            );
            let test = read::test(&file).unwrap_or_else(|e| panic!("{e:?}\n{}", file.text)).test;
            let explicit =
                explicit::run(&test, model, &explicit::Options::default()).expect("a verdict");
            let other = sat::run(&test, model, &explicit::Options::default()).expect("a verdict");
            assert_eq!(explicit.reachable, other.reachable, "{word} {name}: the engines differ");
            explicit.reachable
        };
        let ours = decided("copy", &copy);
        assert_eq!(ours, decided("PTX", &ptx), "{name}");
        allowed.push((name, ours));
    }
    assert_eq!(allowed.iter().filter(|(_, ours)| *ours).count(), 3, "{allowed:?}");
}

/// Two models of the copy are compared as two of PTX are.
#[test]
fn models_differ_as_those_of_ptx_do() {
    let folder = tempfile::tempdir().expect("there is room");
    std::fs::write(folder.path().join("copy.arch"), COPY).expect("there is room");
    let model = |word: &str, name: &str, edit: (&str, &str)| {
        let text = model().replacen("copy ", &format!("{word} "), 1);
        assert!(text.contains(edit.0), "{}", edit.0);
        let path = folder.path().join(format!("{word}-{name}.cat"));
        std::fs::write(&path, text.replace(edit.0, edit.1)).expect("there is room");
        Model::load(&path).unwrap_or_else(|e| panic!("{e:?}")).model
    };
    let differences = |word: &str, edit: (&str, &str)| {
        let (old, new) = (model(word, "old", ("", "")), model(word, "new", edit));
        let mut options = CompareOptions::new(4);
        (options.jobs, options.backend) = (2, backends().remove(0));
        options.search.only = names("R,W,F");
        let report = compare(Subjects::Models(&old, &new), &options, &Silent)
            .unwrap_or_else(|e| panic!("{e:?}"));
        report.questions.iter().map(|q| (q.allows, format!("{:?}", q.verdict))).collect::<Vec<_>>()
    };
    for edit in [
        // Fences no longer synchronise; writes that are not related must be; nothing of what
        // differs is within the bound.
        ("| sync_fence\n", "\n"),
        ("empty ((W * W) & morally-strong)", "empty ((W * W) & loc)"),
        ("irreflexive sync_fence; cause as Fence-SC", ""),
    ] {
        assert_eq!(differences("copy", edit), differences("PTX", edit), "{}", edit.0);
    }
    let fences = differences("copy", ("| sync_fence\n", "\n"));
    assert!(fences.iter().any(|(_, verdict)| verdict.contains("Different")), "{fences:?}");
}
