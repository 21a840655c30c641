//! Certificates: a search that ends writes one that is accepted, whatever was asked; one that was
//! changed is refused, also by someone who seals the document again.

use std::path::PathBuf;

use margay_mappings::certificate::{
    self, CaseOutcome, CertifiedLesson, Extent, FILE, HeldSearchTexts, MappingDocument,
    MappingSubject, QuestionOptions, Text,
};
use margay_mappings::check::{
    CheckOptions, CheckVerdict, CoReading, CubeFact, Level, Silent, check,
};
use margay_mappings::compare::{self, CompareOptions, Subjects};
use margay_mappings::language::Mapping;
use margay_mappings::{Backend, verify};
use margay_models::diagnostic::Diagnostic;
use margay_solver::{Factory, Solver, SolverFailure, SolverOptions};

use crate::setup::{ask, names, options, shipped};

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("margay-certificate-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("there is room");
        Self(path)
    }

    fn verify(&self) -> Result<Extent, Vec<Diagnostic>> {
        let document = certificate::read(&self.0).map_err(|e| vec![e])?;
        verify(&document, &self.0, &HeldSearchTexts::default(), (2, &Silent)).map(|v| v.extent)
    }

    fn document(&self) -> MappingDocument {
        certificate::read(&self.0).expect("it was written so")
    }

    fn proofs(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> = std::fs::read_dir(&self.0)
            .expect("it is there")
            .map(|e| e.expect("an entry").path())
            .collect();
        all.retain(|p| p.extension().is_some_and(|e| e == "proof"));
        all.sort();
        all
    }

    /// What is said of the document once it is changed and sealed again.
    fn forged(&self, change: impl FnOnce(&mut MappingDocument)) -> String {
        let document = self.document();
        let mut other = document.clone();
        change(&mut other);
        assert!(document != other, "something is changed");
        certificate::seal(&other, &self.0).expect("there is room");
        let refused = self.verify().expect_err("it is forged");
        certificate::seal(&document, &self.0).expect("there is room");
        refused.iter().map(|d| format!("{}\n", d.message)).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn certified(name: &str, mapping: &Mapping, mut options: CheckOptions) -> (Folder, Vec<usize>) {
    let folder = Folder::new(name);
    options.backend = Backend::default();
    options.certify = Some(folder.0.clone());
    let report = ask(mapping, &options);
    let written = report.certified.expect("it was asked for");
    assert_eq!(
        folder.verify().unwrap_or_else(|e| panic!("{name}: {e:?}")),
        written.extent,
        "{name}"
    );
    let claims: Vec<usize> = written.claims.iter().map(|c| c.none_up_to).collect();
    assert_eq!(claims.iter().min(), Some(&report.established), "{name}");
    // The answers are those of a search without proofs.
    options.certify = None;
    let plain = ask(mapping, &options);
    assert_eq!((plain.verdict, plain.established), (report.verdict, report.established), "{name}");
    (folder, claims)
}

/// Loads that are read-modify-writes, and what becomes of the certificate where a row says
/// something else.
#[test]
fn loads_that_write_back_are_certified() {
    let mapping = shipped("rc11-to-x86-locked-loads");
    let mut some = options(4);
    some.only = names("R.SC,W.SC");
    let (folder, claims) = certified("back", &mapping, some);
    assert_eq!(claims.iter().min(), Some(&4));
    let said = folder.forged(|d| {
        let MappingSubject::Check { mapping, .. } = &mut d.subject else {
            panic!("it is about a mapping")
        };
        mapping.text = mapping.text.replace("lock_xchg or mfence ; load", "load");
    });
    assert!(!said.is_empty(), "another row has another proof");
}

#[test]
fn whatever_was_asked_is_certified() {
    let mapping = shipped("rc11-to-ptx");
    let (_folder, claims) = certified("holds", &mapping, options(3));
    assert_eq!(claims, [3, 3, 3]);

    let mut some = options(3);
    some.axioms = names("SC");
    some.without = names("R.SC,W.SC,RMW.SC");
    some.typed = false;
    let (_folder, claims) = certified("some", &mapping, some);
    assert_eq!(claims, [3]);

    let mut exists = options(4);
    exists.co = CoReading::Exists;
    exists.only = names("R.RLX,W.RLX,RMW.RLX");
    let (_folder, claims) = certified("exists", &mapping, exists);
    assert_eq!(claims, [4]);

    let fallen = shipped("rc11-to-ptx-relaxed-acquire-load");
    let mut one = options(4);
    one.only = names("R.NA,W.NA,R.ACQ,W.REL");
    let (folder, claims) = certified("falls", &fallen, one.clone());
    assert_eq!(claims.iter().min(), Some(&3));
    let answers = |document: &MappingDocument| {
        let answers = document.bounds.iter().flat_map(|e| &e.cases).flat_map(|c| &c.answers);
        answers.filter(|a| a.answer == CaseOutcome::Counterexample).count()
    };
    assert!(answers(&folder.document()) > 0, "the bound that falls is there, and not claimed");
    one.keep_going = true;
    let (_folder, claims) = certified("goes-on", &fallen, one);
    assert!(claims.contains(&4), "{claims:?}");
}

#[test]
fn every_part_of_a_shape_is_certified_and_needed() {
    let mapping = shipped("rc11-to-ptx");
    let mut split = options(5);
    split.axioms = names("Coherence,Atomicity");
    split.split = Some(40);
    let (folder, claims) = certified("split", &mapping, split);
    assert_eq!(claims, [5, 5]);
    let document = folder.document();
    let leaf =
        document.bounds[4].cases.iter().position(|c| !c.cube.is_empty()).expect("a shape is split");
    let part =
        document.bounds[4].cases.iter().position(|c| c.cube.is_empty() && c.answers.len() == 1);
    for gone in [leaf, part.expect("questions are asked apart")] {
        let said = folder.forged(|d| drop(d.bounds[4].cases.remove(gone)));
        assert!(said.contains("up to 4 events, and it claims"), "{said}");
    }
    // A leaf that hangs elsewhere.
    let said = folder.forged(|d| d.bounds[4].cases[leaf].cube[0].1 ^= true);
    assert!(said.contains("another problem"), "{said}");
    let said = folder.forged(|d| assert!(d.bounds[4].cases[leaf].cube.pop().is_some()));
    assert!(said.contains("another problem"), "{said}");
    let said = folder.forged(|d| d.bounds[4].cases[leaf].cube[0].0 = CubeFact::Reads { event: 5 });
    assert!(said.contains("about events or threads that it does not have"), "{said}");
}

#[test]
fn programs_are_certified_with_what_was_learned() {
    let mut programs = options(4);
    programs.level = Level::Program;
    programs.only = names("R.NA,W.NA,R.ACQ,W.REL,W.RLX,RMW.RLX");
    let mapping = shipped("rc11-to-ptx");
    let (folder, claims) = certified("programs", &mapping, programs);
    assert_eq!(claims, [4]);
    let document = folder.document();
    let (bound, case, answer) = document
        .bounds
        .iter()
        .enumerate()
        .flat_map(|(b, e)| e.cases.iter().enumerate().map(move |(c, case)| (b, c, case)))
        .find_map(|(b, c, case)| {
            let races = |a: &certificate::CertifiedAnswer| {
                a.learned.iter().any(|l| matches!(l, CertifiedLesson::Race { .. }))
            };
            Some((b, c, case.answers.iter().position(races)?))
        })
        .expect("races were learned");
    let learned = |document: &mut MappingDocument| {
        std::mem::take(&mut document.bounds[bound].cases[case].answers[answer].learned)
    };
    let without = folder.forged(|d| drop(learned(d)));
    assert!(without.contains("is not accepted"), "{without}");
    for impossible in [
        CertifiedLesson::Race { order: vec![0, 0], sources: None },
        CertifiedLesson::Race { order: vec![1, 99], sources: None },
        CertifiedLesson::Race { order: vec![0, 1], sources: Some(vec![(1, Some(1))]) },
        CertifiedLesson::Order(vec![0, 1, 1]),
        CertifiedLesson::Order(vec![]),
    ] {
        let said =
            folder.forged(|d| d.bounds[bound].cases[case].answers[answer].learned[0] = impossible);
        assert!(said.contains("cannot have been learned"), "{said}");
    }
    // Lessons of a bound are part of the cases of the next.
    let fewer = folder.forged(|d| d.bounds.truncate(1));
    assert!(fewer.contains("its cases show"), "{fewer}");
    let swapped = folder.forged(|d| d.bounds.swap(0, 1));
    assert!(swapped.contains("do not ascend"), "{swapped}");
}

/// A change of the mapping, of the source model, of what was asked.
type Change<'a> = &'a dyn Fn(&mut Text, &mut Text, &mut QuestionOptions);

#[test]
fn what_is_forged_is_refused() {
    let mapping = shipped("rc11-to-ptx");
    let (folder, _) = certified("forged", &mapping, options(3));
    let said = folder.forged(|d| d.claims[0].none_up_to = 4);
    assert!(
        said.contains("its cases show Coherence up to 3 events, and it claims Coherence up to 4"),
        "{said}"
    );
    let said = folder.forged(|d| d.claims[1].axiom = "Causality".to_owned());
    assert!(said.contains("claims Causality"), "{said}");
    let said = folder.forged(|d| drop(d.claims.pop()));
    assert!(said.contains("claims something of 2 questions"), "{said}");
    let said = folder.forged(|d| drop(d.bounds[2].cases.remove(1)));
    assert!(said.contains("up to 2 events, and it claims"), "{said}");
    let said = folder.forged(|d| drop(d.bounds[1].cases[0].answers.pop()));
    assert!(said.contains("more than the case"), "{said}");
    let said =
        folder.forged(|d| d.bounds[1].cases[0].answers[0].answer = CaseOutcome::Counterexample);
    assert!(said.contains("does not prove the answer about Coherence"), "{said}");
    let said = folder.forged(|d| d.bounds[1].cases[0].answers[0].question = 1);
    assert!(said.contains("answers what was not asked"), "{said}");
    let said = folder.forged(|d| d.bounds[2].cases[0].shape = vec![1, 2]);
    assert!(said.contains("no thread shape"), "{said}");
    let said = folder.forged(|d| d.bounds[2].cases[0].shape = vec![2, 2]);
    assert!(said.contains("not one of 3 events"), "{said}");
    let said = folder.forged(|d| d.bounds[2].cases[0].proof.file = "../x.proof".to_owned());
    assert!(said.contains("not the name of a file"), "{said}");
    let said = folder.forged(|d| d.bounds[2].cases[0].proof.clauses += 1);
    assert!(said.contains("does not say of it what it holds"), "{said}");
    let said = folder.forged(|d| d.bounds[2].events = 9);
    assert!(said.contains("not asked about"), "{said}");
    // The proof of another case, and of another question.
    let said = folder.forged(|d| {
        let file = d.bounds[1].cases[0].proof.clone();
        d.bounds[1].cases[0].proof = std::mem::replace(&mut d.bounds[1].cases[1].proof, file);
    });
    assert!(said.contains("another problem"), "{said}");
    let change = |d: &mut MappingDocument, change: Change<'_>| {
        let MappingSubject::Check { mapping, source, given, .. } = &mut d.subject else {
            panic!("it is of a check")
        };
        // Texts of the forger's own: one that is changed is no built-in one.
        (mapping.name, source.model.name) =
            ("rc11-to-ptx.map".to_owned(), "rc11-scoped.cat".to_owned());
        change(mapping, &mut source.model, given);
    };
    let said = folder.forged(|d| {
        change(d, &|m, _, _| m.text = m.text.replacen("ld.acquire.s", "ld.relaxed.s", 1))
    });
    assert!(said.contains("another problem"), "{said}");
    let said =
        folder.forged(|d| change(d, &|_, s, _| s.text = s.text.replace("acyclic", "irreflexive")));
    assert!(said.contains("another problem") || said.contains("its cases show"), "{said}");
    let said = folder.forged(|d| change(d, &|_, _, g| g.typed = false));
    assert!(said.contains("another problem"), "{said}");
    let said = folder.forged(|d| change(d, &|_, _, g| g.level = Level::Program));
    assert!(said.contains("at program level there is no modification order"), "{said}");
    let said = folder
        .forged(|d| change(d, &|_, _, g| (g.level, g.co) = (Level::Program, CoReading::Exists)));
    assert!(
        said.contains("another problem") || said.contains("answers what was not asked"),
        "{said}"
    );
    let said = folder.forged(|d| change(d, &|_, _, g| g.bound = 100_000));
    assert!(said.contains("out of reach"), "{said}");
    let said =
        folder.forged(|d| change(d, &|_, s, _| s.text.push_str("\ninclude \"elsewhere.cat\"\n")));
    assert!(said.contains("the certificate has no such text"), "{said}");
    let said = folder.forged(|d| d.version = 3);
    assert!(said.contains("version 3 of the format"), "{said}");
    let said = folder.forged(|d| d.format = "recipe".to_owned());
    assert!(said.contains("its format is `recipe`"), "{said}");
}

#[test]
fn one_bit_anywhere_is_too_much() {
    let mapping = shipped("rc11-to-ptx");
    let mut small = options(2);
    small.axioms = names("Atomicity");
    small.only = names("R.RLX,W.RLX,RMW.RLX");
    let (folder, _) = certified("bit", &mapping, small);
    let document = folder.0.join(FILE);
    for (file, step) in folder.proofs().into_iter().map(|f| (f, 5)).chain([(document, 97)]) {
        let whole = std::fs::read(&file).expect("it is there");
        for (i, at) in (0..whole.len()).step_by(step).chain([whole.len() - 1]).enumerate() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (i % 8);
            std::fs::write(&file, &bytes).expect("there is room");
            assert!(folder.verify().is_err(), "byte {at} of {}", file.display());
        }
        for cut in (0..whole.len()).step_by(step * 7).chain((whole.len() - 9)..whole.len()) {
            std::fs::write(&file, &whole[..cut]).expect("there is room");
            assert!(folder.verify().is_err(), "{cut} bytes of {}", file.display());
        }
        std::fs::remove_file(&file).expect("it is there");
        let missing = folder.verify().expect_err("a file is missing");
        assert!(
            missing[0].message.contains("annot be read")
                || missing[0].message.contains("cannot read"),
            "{missing:?}"
        );
        std::fs::write(&file, &whole).expect("there is room");
    }
    folder.verify().expect("it is whole again");
}

/// BatSat, without its proofs.
struct WithoutProofs;

impl Factory for WithoutProofs {
    fn name(&self) -> &str {
        "without-proofs"
    }

    fn version(&self) -> String {
        "BatSat without proofs".to_owned()
    }

    fn start(&self, options: &SolverOptions) -> Result<Box<dyn Solver>, SolverFailure> {
        Backend::batsat().start(options)
    }
}

#[test]
fn what_cannot_be_certified_is_said() {
    let mapping = shipped("rc11-to-ptx");
    let folder = Folder::new("refused");
    let mut other = options(2);
    other.certify = Some(folder.0.clone());
    other.backend = Backend::new(WithoutProofs);
    let errors = check(&mapping, &other, &Silent).expect_err("it writes no proofs");
    assert!(errors[0].message.contains("`without-proofs` writes no proofs"), "{errors:?}");
    assert!(
        errors[0].help.as_deref().is_some_and(|help| help.contains("--solver auto")),
        "{errors:?}"
    );
    other.backend = Backend::default();
    other.techniques.first_use = false;
    assert!(check(&mapping, &other, &Silent).is_err());

    // A folder that cannot be written to costs the certificate and not the answer, and the reason
    // is said.
    let mut nowhere = options(2);
    nowhere.backend = Backend::default();
    nowhere.certify = Some(folder.0.join("not-there"));
    let report = ask(&mapping, &nowhere);
    assert_eq!(
        (&report.verdict, report.established, &report.certified),
        (&CheckVerdict::None, 2, &None)
    );
    let said: Vec<&str> = report.uncertified.iter().map(|d| d.message.as_str()).collect();
    assert!(
        said.len() == 2
            && said[0].contains("cannot be written")
            && said[1].contains("cannot write the certificate"),
        "{said:?}"
    );
    let [old, new] = models(["sc", "tso"]);
    let mut compared = CompareOptions::new(3);
    (compared.backend, compared.certify) = (Backend::default(), nowhere.certify.clone());
    let report = compare::compare(Subjects::Models(&old, &new), &compared, &Silent)
        .expect("they can be compared");
    assert!(
        report.undecided().is_none() && report.certified.is_none() && report.uncertified.len() == 2
    );

    // Without time there is a certificate, of nothing.
    let mut hurried = options(3);
    hurried.backend = Backend::default();
    hurried.certify = Some(folder.0.clone());
    hurried.deadline = Some(std::time::Instant::now());
    let report = ask(&mapping, &hurried);
    assert!(matches!(report.verdict, CheckVerdict::Undecided(_)));
    let claims = report.certified.expect("it was asked for").claims;
    assert!(claims.iter().all(|c| c.none_up_to == 0), "{claims:?}");
    folder.verify().expect("it claims nothing");

    assert!(certificate::folder(&folder.0, false).is_err_and(|e| e.message.contains("not empty")));
}

/// Two models as they ship.
fn models(names: [&str; 2]) -> [margay_models::Model; 2] {
    names.map(|n| {
        margay_models::library::load(n, &[]).unwrap_or_else(|e| panic!("{n}: {e:?}")).model
    })
}

#[test]
fn comparisons_of_outcomes_are_certified_with_what_explained_them() {
    // An axiom about orders that nobody sees: with three stores, another order explains what it
    // forbids.
    let odd = |name: &str, axiom: &str| {
        let text = format!(
            "{}\n{axiom} as Odd\n",
            margay_models::library::built_in(name).expect("it is shipped").text
        );
        let file = margay_models::diagnostic::SourceFile::new("odd.cat", text);
        let odd = margay_models::Model::parse(file, &margay_models::typing::FilesThenBuiltIn)
            .expect("a model")
            .model;
        [margay_models::library::load(name, &[]).expect("it is shipped").model, odd]
    };
    for (name, axiom) in [
        ("rc11-lb", "empty [W & RLX]; (co & ext); [W & REL]; (co & ext)"),
        ("ptx-6.0", "empty [W & RLX]; (co & ext); [W & REL]; (co & ext)"),
    ] {
        let ([old, new], bound) = (odd(name, axiom), 3);
        let folder = Folder::new(&format!("outcomes-{name}"));
        let mut options = CompareOptions::new(bound);
        (options.backend, options.level) = (Backend::default(), Level::Program);
        options.certify = Some(folder.0.clone());
        let report = compare::compare(Subjects::Models(&old, &new), &options, &Silent)
            .expect("they can be compared");
        let written = report.certified.clone().expect("it was asked for");
        assert_eq!(folder.verify().unwrap_or_else(|e| panic!("{name}: {e:?}")), written.extent);
        assert!(written.claims.iter().any(|c| c.none_up_to == bound), "{:?}", written.claims);
        let document = folder.document();
        let places = document
            .bounds
            .iter()
            .enumerate()
            .flat_map(|(b, e)| (0..e.cases.len()).map(move |c| (b, c)));
        let taught =
            |&(b, c): &(usize, usize)| !document.bounds[b].cases[c].answers[0].learned.is_empty();
        let (b, c) = places.into_iter().find(taught).expect("some outcome has another explanation");
        fn learned(
            document: &mut MappingDocument,
            b: usize,
            c: usize,
        ) -> &mut Vec<CertifiedLesson> {
            &mut document.bounds[b].cases[c].answers[0].learned
        }
        let said = folder.forged(|d| assert!(learned(d, b, c).pop().is_some()));
        assert!(said.contains("is not accepted"), "{said}");
        let said = folder.forged(|d| {
            let again = learned(d, b, c)[0].clone();
            learned(d, b, c).push(again);
        });
        assert!(said.contains("is not accepted"), "{said}");
        // A cycle, an order that is none, an event that is not there.
        for wrong in [vec![(0, 1), (1, 0)], vec![(0, 1), (1, 2)], vec![(0, 99)]] {
            let said = folder.forged(|d| {
                learned(d, b, c)[0] =
                    CertifiedLesson::Orders { coherence: wrong, fences: Vec::new() }
            });
            assert!(said.contains("cannot have been learned"), "{said}");
        }
        let said = folder.forged(|d| {
            let MappingSubject::Diff { given, .. } = &mut d.subject else {
                panic!("it is of a comparison")
            };
            given.level = Level::Execution;
        });
        assert!(said.contains("is not accepted"), "{said}");
    }
}

#[test]
fn comparisons_are_certified() {
    let [old, new] = models(["sc", "tso"]);
    let folder = Folder::new("compared");
    let mut options = CompareOptions::new(3);
    options.backend = Backend::default();
    options.jobs = 2;
    options.certify = Some(folder.0.clone());
    let report = compare::compare(Subjects::Models(&old, &new), &options, &Silent)
        .expect("they can be compared");
    let written = report.certified.clone().expect("it was asked for");
    assert_eq!(folder.verify().unwrap_or_else(|e| panic!("{e:?}")), written.extent);
    let open = report.questions.iter().filter(|q| !q.by_text);
    let established: Vec<usize> = open.map(|q| q.established).collect();
    assert_eq!(written.claims.iter().map(|c| c.none_up_to).collect::<Vec<_>>(), established);
    options.certify = None;
    let plain = compare::compare(Subjects::Models(&old, &new), &options, &Silent)
        .expect("they can be compared");
    let verdicts = |r: &compare::CompareReport| {
        r.questions.iter().map(|q| (q.verdict.clone(), q.established)).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&plain), verdicts(&report));

    // Forged: a claim, a case, a model, a lesson.
    let question = written
        .claims
        .iter()
        .position(|c| c.none_up_to == 3)
        .expect("stores pass no stores in either");
    let said = folder.forged(|d| d.claims[question].none_up_to = 4);
    assert!(said.contains("and it claims"), "{said}");
    let said = folder.forged(|d| drop(d.bounds[1].cases.pop()));
    assert!(said.contains("and it claims"), "{said}");
    let said = folder.forged(|d| {
        let MappingSubject::Diff { new, .. } = &mut d.subject else {
            panic!("it is of a comparison")
        };
        new.model.name = "tso.cat".to_owned();
        new.model.text = new.model.text.replacen("acyclic", "irreflexive", 1);
    });
    assert!(said.contains("another problem") || said.contains("questions"), "{said}");
    let said = folder.forged(|d| {
        d.bounds[1].cases[0].answers[0].learned.push(CertifiedLesson::Order(vec![0, 1]))
    });
    assert!(said.contains("cannot have been learned"), "{said}");

    // The models of a mapping.
    let mapping = shipped("rc11-to-ptx");
    let folder = Folder::new("across");
    let mut across = CompareOptions::new(2);
    across.backend = Backend::default();
    across.certify = Some(folder.0.clone());
    let report = compare::compare(Subjects::Mapping(&mapping), &across, &Silent)
        .expect("they can be compared");
    assert_eq!(
        folder.verify().unwrap_or_else(|e| panic!("{e:?}")),
        report.certified.expect("it was asked for").extent
    );

    across.backend = Backend::new(WithoutProofs);
    let errors = compare::compare(Subjects::Models(&old, &new), &across, &Silent)
        .expect_err("it writes no proofs");
    assert!(errors[0].message.contains("writes no proofs"), "{errors:?}");
}
