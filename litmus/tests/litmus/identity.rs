//! Canonical forms: the same for isomorphic tests, and only for tests with the same verdicts.

use std::collections::BTreeMap;

use margay_litmus::corpus;
use margay_litmus::identity::{IdentityForm, Name, Shape, classic};
use margay_litmus::read;
use margay_litmus::test::*;
use margay_models::diagnostic::SourceFile;
use proptest::prelude::*;

fn parse(text: &str) -> Test {
    match read::test(&SourceFile::new("test", text)) {
        Ok(read) => read.test,
        Err(errors) => {
            panic!("{}\n{text}", errors.iter().map(|e| format!("{e}\n")).collect::<String>())
        }
    }
}

fn form(test: &Test) -> IdentityForm {
    IdentityForm::of(test).unwrap_or_else(|e| panic!("{e}\n{test}"))
}

/// Replaces whole words.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len());
        let word = &from[..end];
        out.push_str(before);
        out.push_str(names.iter().find(|(old, _)| *old == word).map_or(word, |(_, new)| new));
        rest = &from[end..];
    }
    out + rest
}

fn map_threads(p: &mut Proposition, to: &dyn Fn(ThreadId) -> ThreadId) {
    match p {
        Proposition::True | Proposition::False => {}
        Proposition::Not(p) => map_threads(p, to),
        Proposition::And(parts) | Proposition::Or(parts) => {
            parts.iter_mut().for_each(|p| map_threads(p, to))
        }
        Proposition::Compare { left, right, .. } => {
            for operand in [left, right] {
                if let ConditionOperand::Variable(Variable::Register { thread, .. }) = operand {
                    *thread = to(*thread);
                }
            }
        }
    }
}

/// The threads in another order: thread `order[i]` comes i-th.
fn reordered(test: &Test, order: &[usize]) -> Test {
    let mut out = test.clone();
    let to = |t: ThreadId| {
        ThreadId(order.iter().position(|&o| o == t.index()).unwrap_or(t.index()) as u16)
    };
    let place = |t: usize| Some(test.placement(ThreadId(t as u16)));
    out.threads = order
        .iter()
        .map(|&t| Thread {
            placement: if test.dialect == Dialect::Generic { None } else { place(t) },
            ..test.threads[t].clone()
        })
        .collect();
    out.registers.iter_mut().for_each(|r| r.thread = to(r.thread));
    map_threads(&mut out.condition.proposition, &to);
    out.filter.iter_mut().for_each(|f| map_threads(f, &to));
    for variable in &mut out.observed {
        if let Variable::Register { thread, .. } = variable {
            *thread = to(*thread);
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Threads in any order, and other names for locations and registers: the same test.
    #[test]
    fn renaming_changes_nothing(test in crate::generate::any_test(), order in Just(vec![0usize, 1, 2, 3]).prop_shuffle()) {
        let Ok(before) = IdentityForm::of(&test) else { return Ok(()) };
        let order: Vec<usize> = order.into_iter().filter(|&t| t < test.threads.len()).collect();
        let other = reordered(&test, &order);
        prop_assert_eq!(&before, &form(&other), "{}\n{}", test, other);
        // The 2015 form has the types of registers by name; a name of the test may be one of these
        // words.
        if test.dialect != Dialect::GpuPtx {
            let names = [("x", "here"), ("y", "there"), ("flag", "f"), ("r0", "r7"), ("r1", "r8"), ("r7", "r1"), ("array", "a")];
            let text = renamed(&other.to_string(), &names);
            let Ok(read) = read::test(&SourceFile::new("renamed", text.clone())) else { return Ok(()) };
            prop_assert_eq!(&before, &form(&read.test), "{}\n{}", test, text);
        }
    }
}

const MP: &str = "PTX MP\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r0, y ;\n \
                  st.release.gpu y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";

#[test]
fn values_are_renamed_where_nothing_is_computed_with_them() {
    let same = MP.replace("x=0", "x=5").replace("x, 1", "x, 9").replace("r1 == 0", "r1 == 5");
    assert_eq!(form(&parse(MP)), form(&parse(&same)));
    let other_outcome = MP.replace("r1 == 0", "r1 == 1");
    assert_ne!(form(&parse(MP)), form(&parse(&other_outcome)));
    let add = "PTX add\n{ x=0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n atom.relaxed.gpu.add r0, x, 1 | ld.weak r0, x ;\n\
               exists (P1:r0 == 1)\n";
    assert_ne!(
        form(&parse(add)),
        form(&parse(&add.replace("x=0", "x=1").replace("P1:r0 == 1", "P1:r0 == 0")))
    );
}

#[test]
fn everything_that_a_model_can_see_counts() {
    let original = form(&parse(MP));
    for (old, new) in [
        ("st.weak", "st.relaxed.gpu"),
        ("release.gpu", "release.sys"),
        ("ld.acquire", "ld.relaxed"),
        ("cta 1,gpu 0", "cta 0,gpu 0"),
        ("cta 1,gpu 0", "cta 1,gpu 1"),
        ("r0, y", "r0, x"),
        ("ld.weak r1, x ;", "ld.weak r1, x ;\n  | fence.sc.gpu ;"),
    ] {
        assert_ne!(original, form(&parse(&MP.replace(old, new))), "{old} -> {new}");
    }
    for (old, new) in [
        ("exists", "~exists"),
        ("PTX MP", "PTX other"),
        ("x=0; y=0;", "unused=7; x=0; y=0;"),
        ("P1:r0 == 1 /\\ P1:r1 == 0", "1 == P1:r0 /\\ P1:r1 == 0 /\\ P1:r0 == 1 /\\ x == 1"),
        ("cta 0,gpu 0 | P1@cta 1,gpu 0", "cta 4,gpu 2 | P1@cta 3,gpu 2"),
    ] {
        assert_eq!(original, form(&parse(&MP.replace(old, new))), "{old} -> {new}");
    }
}

#[test]
fn a_test_in_c_has_its_counterpart_in_ptx() {
    let c = "C MP\n{ x=0; y=0; }\nP0@wg 0,dev 0 (int* x, atomic_int* y) { *x = 1; \
             atomic_store_explicit(y, 1, memory_order_release, memory_scope_device); }\n\
             P1@wg 1,dev 0 (int* x, atomic_int* y) { int r0 = atomic_load_explicit(y, memory_order_acquire, memory_scope_device); \
             int r1 = *x; }\nexists (1:r0=1 /\\ 1:r1=0)\n";
    let (ptx, c) = (form(&parse(MP)), form(&parse(c)));
    assert!(ptx != c && ptx.counterpart(&c), "{ptx}\n{c}");
}

#[test]
fn classic_shapes_are_all_different_and_found_again() {
    let mut seen = BTreeMap::new();
    for classic in &classic::CLASSICS {
        let test = classic.test();
        assert_eq!(Name::of(&test).map(|n| n.classic), Ok(Some(classic.name)));
        let shape = Shape::of(&test).map(|s| s.form).map_err(|e| e.to_string());
        assert_eq!(seen.insert(shape, classic.name), None, "{}", classic.name);
    }
}

#[test]
fn names_say_what_is_between_the_accesses_and_where_the_threads_are() {
    let name = |text: &str| Name::of(&parse(text)).map(|n| n.to_string()).unwrap_or_default();
    assert_eq!(name(MP), "MP+po-rel.gpu+acq.gpu-po@P0,P1");
    let sb = "PTX t\n{ x=0; y=0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n fence.sc.cta | ;\n \
              ld.weak r0, y | ld.weak r0, x ;\nexists (P0:r0 == 0 /\\ P1:r0 == 0)\n";
    assert_eq!(name(sb), "SB+fence.sc.cta+po@P0P1");
    // The same, from the other side.
    assert_eq!(name(&reordered(&parse(sb), &[1, 0]).to_string()), "SB+fence.sc.cta+po@P0P1");
}

/// In the corpus, tests with equal forms have equal verdicts under each model.
#[test]
fn equal_forms_have_equal_verdicts() {
    let folders = crate::corpora::folders();
    let mut verdicts: BTreeMap<(IdentityForm, String), (String, corpus::Expected)> =
        BTreeMap::new();
    let (mut compared, mut forms) = (0, BTreeMap::new());
    for folder in &folders {
        for line in &folder.lines {
            let path = folder.path.join(&line.file);
            let form = forms.entry(path.clone()).or_insert_with(|| {
                let read = read::load(&path).unwrap_or_else(|e| panic!("{e:?}"));
                form(&read.test)
            });
            let named = (path.display().to_string(), line.expected);
            if let Some((other, expected)) =
                verdicts.insert((form.clone(), line.model.clone()), named)
            {
                compared += 1;
                // Of PTX a line need not say whether there is a race.
                let asked = expected.racy.and(line.expected.racy).is_some();
                let of =
                    |e: corpus::Expected| corpus::Expected { racy: e.racy.filter(|_| asked), ..e };
                assert_eq!(
                    of(expected),
                    of(line.expected),
                    "{other} and {} under {}",
                    path.display(),
                    line.model
                );
            }
        }
    }
    assert!(compared > 20, "{compared}");
}
