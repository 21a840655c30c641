//! Certificates of one question that are said to be of another: several things are changed so that
//! they agree with each other.

use std::path::Path;

use margay_mappings::certificate::HeldSearchTexts;
use margay_mappings::certificate::{
    BasisStanding, HeldModel, MappingDocument, MappingSubject, ModelText,
};
use margay_mappings::check::{CheckOptions, CoReading, Level, Silent, check};
use margay_mappings::compare::{CompareOptions, Subjects};
use margay_models::certificate::{seal, wrong};
use margay_models::diagnostic::SourceFile;
use margay_models::library;

use super::searches::{Truth, certified, certified_comparison, mapping, names, verify, with_axiom};

fn document(folder: &Path) -> MappingDocument {
    margay_mappings::certificate::read(folder).expect("it was written so")
}

/// Verifies another document in the place of that of the folder.
fn forged(
    folder: &Path,
    document: &MappingDocument,
    held: &HeldSearchTexts,
) -> Result<Vec<BasisStanding>, String> {
    seal(document, folder).expect("there is room");
    let verified = margay_mappings::verify(document, folder, held, (1, &Silent));
    let said = |errors: Vec<margay_models::Diagnostic>| {
        errors.iter().map(|e| format!("{}\n", e.message)).collect::<String>()
    };
    verified.map(|v| v.bases.into_iter().map(|b| b.standing).collect()).map_err(said)
}

/// Every combination of the options, true or refused.
fn every_label(folder: &Path) -> usize {
    let whole = document(folder);
    let truth = Truth::default();
    let mut refused = 0;
    for level in [Level::Execution, Level::Program] {
        for co in [CoReading::Universal, CoReading::Exists] {
            for guards in [None, Some(0), Some(1)] {
                for typed in [true, false] {
                    for without in ["", "R.SC", "RMW.RLX"] {
                        let mut other = whole.clone();
                        let MappingSubject::Check { given, .. } = &mut other.subject else {
                            panic!("it is of a check")
                        };
                        (given.level, given.co, given.guards, given.typed) =
                            (level, co, guards, typed);
                        given.without = without
                            .split(',')
                            .filter(|w| !w.is_empty())
                            .map(str::to_owned)
                            .collect();
                        seal(&other, folder).expect("there is room");
                        match verify(folder) {
                            Ok((document, verified)) => truth.agrees(&document, &verified),
                            Err(_) => refused += 1,
                        }
                    }
                }
            }
        }
    }
    seal(&whole, folder).expect("there is room");
    refused
}

#[test]
fn no_modification_order_is_not_some_one() {
    // A source with an axiom about an order of stores that nobody can see.
    let mut mapping = mapping("rc11-to-ptx", "rc11-scoped");
    mapping.source =
        with_axiom("rc11-scoped", "empty [W & RLX]; (mo & ext); [W & REL]; (mo & ext)");
    let mut options = CheckOptions::published(3);
    (options.only, options.axioms, options.co) =
        (names("R.RLX,W.RLX,W.REL"), names("Odd"), CoReading::Exists);
    let folder = certified("relabelled-exists", &mapping, options.clone());
    let whole = document(&folder);
    let mut lie = whole.clone();
    let MappingSubject::Check { given, .. } = &mut lie.subject else { panic!("it is of a check") };
    given.co = CoReading::Universal;
    lie.claims[0].none_up_to = 3;
    let universal = check(&mapping, &CheckOptions { co: CoReading::Universal, ..options }, &Silent)
        .expect("it can be asked");
    assert_eq!(universal.established, 2, "what is claimed is false");
    let said = forged(&folder, &lie, &HeldSearchTexts::default()).expect_err("it is false");
    assert!(
        said.contains(
            "cannot have been learned at execution level with modification order universal"
        ),
        "{said}"
    );
    seal(&whole, &folder).expect("there is room");
    assert!(every_label(&folder) > 60);
}

#[test]
fn programs_are_not_executions() {
    let mut options = CheckOptions::published(3);
    (options.level, options.only) = (Level::Program, names("R.NA,W.NA,R.ACQ,W.REL,W.RLX"));
    let folder = certified("relabelled-programs", &mapping("rc11-to-ptx", "rc11-scoped"), options);
    let whole = document(&folder);
    let MappingSubject::Check { given, .. } = &whole.subject else { panic!("it is of a check") };
    assert_eq!(given.co, CoReading::Exists, "there is one reading");
    let mut other = whole.clone();
    let MappingSubject::Check { given, .. } = &mut other.subject else {
        panic!("it is of a check")
    };
    given.co = CoReading::Universal;
    let said = forged(&folder, &other, &HeldSearchTexts::default())
        .expect_err("there is no such question");
    assert!(said.contains("no modification order `universal` to ask about"), "{said}");
    given_of(&mut other).level = Level::Execution;
    given_of(&mut other).guards = Some(1);
    let said = forged(&folder, &other, &HeldSearchTexts::default())
        .expect_err("there is no such question");
    assert!(said.contains("limits guards, which executions have not"), "{said}");
    seal(&whole, &folder).expect("there is room");
    assert!(every_label(&folder) > 60);
}

fn given_of(document: &mut MappingDocument) -> &mut margay_mappings::certificate::QuestionOptions {
    let MappingSubject::Check { given, .. } = &mut document.subject else {
        panic!("it is of a check")
    };
    given
}

/// A certificate of another mapping or model under the name of a built-in one.
#[test]
fn names_of_built_in_texts_are_theirs() {
    let mut options = CheckOptions::published(2);
    options.only = names("R.RLX,W.RLX");
    let own = {
        let mut mapping = mapping("rc11-to-ptx", "rc11");
        mapping.file = SourceFile::new("mine.map", format!("{}# mine\n", mapping.file.text));
        mapping
    };
    let folder = certified("names", &own, options);
    let whole = document(&folder);
    let standing =
        forged(&folder, &whole, &HeldSearchTexts::default()).expect("it says that it is its own");
    assert_eq!(standing[..2], [BasisStanding::Own, BasisStanding::BuiltIn]);

    let texts = |d: &mut MappingDocument,
                 change: &dyn Fn(
        &mut margay_mappings::certificate::Text,
        &mut ModelText,
        &mut ModelText,
    )| {
        let MappingSubject::Check { mapping, source, target, .. } = &mut d.subject else {
            panic!("it is of a check")
        };
        change(mapping, source, target);
    };
    let said = |change: &dyn Fn(
        &mut margay_mappings::certificate::Text,
        &mut ModelText,
        &mut ModelText,
    )| {
        let mut other = whole.clone();
        texts(&mut other, change);
        forged(&folder, &other, &HeldSearchTexts::default())
            .expect_err("the name is another text's")
    };
    for name in [
        "rc11-to-ptx-no-release-rmw.map",
        "nothing-of-the-kind.map",
        "rc11-to-ptx",
        "../rc11-to-ptx.map",
        "sc.cat",
    ] {
        let said = said(&|mapping, _, _| mapping.name = format!("<built-in>/{name}"));
        assert!(said.contains("not the built-in one of that name"), "{name}: {said}");
    }
    let said_of = said(&|_, source, _| source.model.name = "<built-in>/rc11-scoped.cat".to_owned());
    assert!(said_of.contains("`<built-in>/rc11-scoped.cat`"), "{said_of}");
    let said_of =
        said(&|_, source, target| std::mem::swap(&mut source.model.name, &mut target.model.name));
    assert!(said_of.contains("not the built-in one"), "{said_of}");
    let said_of = said(&|_, source, _| source.model.text.push_str("(* and so on *)"));
    assert!(said_of.contains("not the built-in one"), "{said_of}");
    let said_of = said(&|mapping, source, _| source.model.name.clone_from(&mapping.name));
    assert!(said_of.contains("two texts of the name `mine.map`"), "{said_of}");
    let said_of = said(&|mapping, _, _| mapping.name = "  ".to_owned());
    assert!(said_of.contains("its mapping has no name"), "{said_of}");

    // What the reader holds decides, whatever the names are; a built-in text is known by any name.
    let mut anonymous = whole.clone();
    texts(&mut anonymous, &|mapping, source, target| {
        mapping.name = "<built-in>/other.map".to_owned();
        source.model.name = "theirs.cat".to_owned();
        target.model.name = "sc.cat".to_owned();
    });
    let held = |mapping: &SourceFile, source: &str| HeldSearchTexts {
        mapping: Some(SourceFile::new("yours.map", mapping.text.clone())),
        baseline: None,
        models: [Some(held_model(source)), None],
    };
    let standing =
        forged(&folder, &anonymous, &held(&own.file, "rc11")).expect("it is about these");
    assert_eq!(
        standing,
        ["yours.map", "rc11", "<built-in>/ptx-6.0.cat"]
            .map(|name| BasisStanding::Held(name.to_owned()))
    );
    let shipped = margay_mappings::library::built_in("rc11-to-ptx").expect("it is shipped");
    let said =
        forged(&folder, &whole, &held(&shipped, "rc11")).expect_err("it is about another mapping");
    assert!(
        said.contains("another mapping than `yours.map`: its `mine.map` differs from line"),
        "{said}"
    );
    let said =
        forged(&folder, &whole, &held(&own.file, "c20")).expect_err("it is about another model");
    assert!(said.contains("another source than `c20`"), "{said}");
    assert!(wrong(&folder, "x").message.contains("is wrong: x"));
}

fn held_model(name: &str) -> HeldModel {
    let model = library::load(name, &[]).expect("it is shipped").model;
    HeldModel { name: name.to_owned(), texts: ModelText::of(&model).expect("it is shipped") }
}

/// The names of two models exchanged, with all that speaks of them.
#[test]
fn the_models_of_a_comparison_are_not_exchanged() {
    let [old, new] = ["sc", "tso"].map(|n| library::load(n, &[]).expect("it is shipped").model);
    let folder =
        certified_comparison("exchanged", Subjects::Models(&old, &new), CompareOptions::new(2));
    let whole = document(&folder);
    let exchange = |document: &mut MappingDocument| {
        let MappingSubject::Diff { old, new, .. } = &mut document.subject else {
            panic!("it is of a comparison")
        };
        std::mem::swap(&mut old.model.name, &mut new.model.name);
        for claim in &mut document.claims {
            let words = claim.axiom.split(' ').map(|w| {
                match w.trim_matches(|c: char| !c.is_alphanumeric()) {
                    "sc" => w.replace("sc", "tso"),
                    "tso" => w.replace("tso", "sc"),
                    _ => w.to_owned(),
                }
            });
            claim.axiom = words.collect::<Vec<_>>().join(" ");
        }
    };
    let mut other = whole.clone();
    exchange(&mut other);
    assert_ne!(other.claims, whole.claims, "claims speak of the models");
    let said = forged(&folder, &other, &HeldSearchTexts::default())
        .expect_err("each has the other's name");
    assert!(said.contains("not the built-in one"), "{said}");

    // With names of the author's own it is accepted, and the texts are known by their own.
    let MappingSubject::Diff { old, new, .. } = &mut other.subject else {
        panic!("it is of a comparison")
    };
    (old.model.name, new.model.name) = ("tso.cat".to_owned(), "sc.cat".to_owned());
    let standing =
        forged(&folder, &other, &HeldSearchTexts::default()).expect("it is about the texts in it");
    assert_eq!(
        standing,
        ["<built-in>/sc.cat", "<built-in>/tso.cat"]
            .map(|name| BasisStanding::Held(name.to_owned()))
    );
    let held = HeldSearchTexts {
        mapping: None,
        baseline: None,
        models: [Some(held_model("tso")), Some(held_model("sc"))],
    };
    let said = forged(&folder, &other, &held).expect_err("they are exchanged");
    assert!(
        said.contains("another old than `tso`") && said.contains("another new than `sc`"),
        "{said}"
    );
    let held = HeldSearchTexts {
        mapping: Some(margay_mappings::library::built_in("rc11-to-ptx").expect("it is shipped")),
        ..HeldSearchTexts::default()
    };
    let said = forged(&folder, &whole, &held).expect_err("it is about no mapping");
    assert!(said.contains("about no mapping"), "{said}");
}

/// What a model includes is a part of it.
#[test]
fn what_is_included_is_bound() {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("forge/included-models");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    write("part.cat", "let order = po | rf | co | fr\n");
    write(
        "whole.cat",
        "\"Whole\"\ninclude \"part.cat\"\ninclude \"tso.cat\"\nacyclic order as All\n",
    );
    let old = margay_models::Model::load(&folder.join("whole.cat")).expect("a model").model;
    let new = library::load("sc", &[]).expect("it is shipped").model;
    let certificate =
        certified_comparison("included", Subjects::Models(&old, &new), CompareOptions::new(2));
    let whole = document(&certificate);
    let held = |file: &str| HeldSearchTexts {
        mapping: None,
        baseline: None,
        models: [
            Some(HeldModel {
                name: file.to_owned(),
                texts: ModelText::of(
                    &margay_models::Model::load(&folder.join(file)).expect("a model").model,
                )
                .expect("it is there"),
            }),
            None,
        ],
    };
    let standing = forged(&certificate, &whole, &held("whole.cat")).expect("it is about these");
    assert_eq!(
        standing.iter().filter(|s| matches!(s, BasisStanding::Held(_))).count(),
        3,
        "{standing:?}"
    );
    let standing =
        forged(&certificate, &whole, &HeldSearchTexts::default()).expect("it is about these");
    assert_eq!(
        standing,
        [BasisStanding::Own, BasisStanding::Own, BasisStanding::BuiltIn, BasisStanding::BuiltIn]
    );
    let said = |change: &dyn Fn(&mut ModelText), held: &HeldSearchTexts| {
        let mut other = whole.clone();
        let MappingSubject::Diff { old, .. } = &mut other.subject else {
            panic!("it is of a comparison")
        };
        change(old);
        forged(&certificate, &other, held).expect_err("it is another model")
    };
    let none = HeldSearchTexts::default();
    let extra = said(
        &|old| {
            old.includes.push(margay_mappings::certificate::Included {
                path: "more.cat".to_owned(),
                ..old.includes[0].clone()
            })
        },
        &none,
    );
    assert!(extra.contains("which includes no such file"), "{extra}");
    let twice = said(&|old| old.includes.push(old.includes[0].clone()), &none);
    assert!(twice.contains("which includes no such file"), "{twice}");
    let gone = said(&|old| drop(old.includes.remove(0)), &none);
    assert!(gone.contains("no such text"), "{gone}");
    let built_in = said(&|old| old.includes[1].file.text.push(' '), &none);
    assert!(built_in.contains("not the built-in one"), "{built_in}");
    let other = said(&|old| old.includes[0].file.text.push_str("(* *)\n"), &held("whole.cat"));
    assert!(other.contains("what that includes is not the same"), "{other}");
    let renamed = said(&|old| old.includes[0].file.name = "<built-in>/rc11.cat".to_owned(), &none);
    assert!(renamed.contains("not the built-in one"), "{renamed}");
}
