//! Mappings to architectures that are texts: what is published of those that are shipped
//! (architectures/answers.txt), that each of their rows is needed, that counterexamples are tests
//! which read back, and an architecture that is not in the repository.

use std::collections::BTreeSet;
use std::path::Path;

use margay_mappings::Backend;
use margay_mappings::change::{Fate, weaken};
use margay_mappings::check::{CheckOptions, Level, Silent};
use margay_mappings::language::{LoadOptions, Mapping, load, load_text};
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Scope;

use crate::setup::{ask, backends, falls, names, options, reads_back, shipped};

fn lines(word: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("architectures/answers.txt");
    let text = std::fs::read_to_string(path).expect("the answers");
    text.lines().filter_map(|l| l.strip_prefix(word)).map(str::to_owned).collect()
}

/// The fastest solver of the build: what it answers is confirmed, and does not depend on it.
fn quick(bound: usize) -> CheckOptions {
    let backend = backends().into_iter().next().unwrap_or_else(Backend::batsat);
    options(bound).with(|o| o.backend = backend)
}

#[test]
#[ignore = "takes long; --ignored runs it"]
fn what_is_published() {
    let mut wrong = Vec::new();
    let mut asked = BTreeSet::new();
    for line in lines("asked ") {
        let (question, expected) = line.split_once(": ").expect("a question and its answer");
        let [name, source, axiom, bound, only] = question.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        asked.insert(name.to_owned());
        let file = library::built_in(name).expect("a mapping");
        let instead = LoadOptions { source: Some(source.to_owned()), ..LoadOptions::default() };
        let mapping =
            load_text(&file, None, &instead).unwrap_or_else(|e| panic!("{name}: {e:?}")).mapping;
        let mut options = quick(bound.parse().expect("a bound"));
        options.axioms = names(axiom.trim_matches('-'));
        options.only = names(only.trim_matches('-'));
        let report = ask(&mapping, &options);
        if falls(&report) != expected {
            wrong.push(format!("{line}, but {}", falls(&report)));
        }
        for found in &report.counterexamples {
            reads_back(&mapping, found);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let all: BTreeSet<String> = library::architectures().map(str::to_owned).collect();
    assert_eq!(asked, all, "every mapping has an answer");
}

/// Each row is as weak as it can be, but for those that are known not to be: no row can be weakened
/// without a test that notices.
#[test]
#[ignore = "takes long; --ignored runs it"]
fn every_row_is_needed() {
    let known: BTreeSet<String> = lines("loose ").into_iter().collect();
    let mut loose = BTreeSet::new();
    for name in library::architectures().filter(|n| n.starts_with("rc11")) {
        let mapping = shipped(name);
        let report = weaken(&mapping, &CheckOptions { level: Level::Program, ..quick(5) }, &Silent)
            .expect("a question");
        assert!(report.rows.len() > 5, "{name}: its rows were not weakened");
        for row in &report.rows {
            for weaker in row.weaker.iter().filter(|w| !matches!(w.fate, Fate::Falls(_))) {
                let (head, body) = row.slot.text(&mapping, &weaker.lowering);
                loose.insert(format!("{name}: {head} => {body}"));
            }
        }
    }
    assert_eq!(loose, known);
}

const TOY: &str = r#"// A machine that is in no repository.
architecture "a toy"
tag ACQ on R
tag FULL on F
dependencies ctrl
read get
read get.acquire ACQ
write put
rmw swap
fence full FULL
"#;

const MODEL: &str = r#"toy "a toy"
let rfe = rf & ext
acyclic (po & loc) | rf | co | fr as Coherent
acyclic [ACQ]; po | po; [FULL]; po | ctrl; [W] | [W]; po; [W] | rfe | (co | fr) & ext as Ordered
empty rmw & ((fr & ext); (co & ext)) as Atomic
"#;

const ROWS: &str = r#"mapping "C++ to the toy" from rc11 to toy
R.NA => get
R.RLX => get ; ctrl
R.ACQ => get.acquire
R.SC => get.acquire
W.NA => put
W.RLX => put
W.REL => full ; put
W.SC => full ; put ; full
RMW.RLX => swap ; ctrl
RMW.ACQ => swap ; full
RMW.REL => full ; swap ; full
RMW.ACQ_REL => full ; swap ; full
RMW.SC => full ; swap ; full
F.ACQ => full
F.REL => full
F.ACQ_REL => full
F.SC => full
"#;

/// Text, model and mapping in a folder of their own.
fn folder(word: &str, architecture: &str, model: &str, rows: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for (ending, text) in [("arch", architecture), ("cat", model), ("map", rows)] {
        let name = format!("{word}.{ending}");
        std::fs::write(folder.path().join(name), text).expect("there is room");
    }
    folder
}

fn loaded(architecture: &str, rows: &str) -> Result<Mapping, Vec<Diagnostic>> {
    let folder = folder("toy", architecture, MODEL, rows);
    load(&folder.path().join("toy.map"), &LoadOptions::default()).map(|l| l.mapping)
}

/// A machine with scopes. Tests are read by the text of a word that was read last, and run side by
/// side: each text has a word of its own.
fn loaded_as(word: &str, architecture: &str, rows: &str) -> Result<Mapping, Vec<Diagnostic>> {
    let folder = folder(
        word,
        architecture,
        &SCOPED_MODEL.replacen("toy", word, 1),
        &rows.replace(" toy", &format!(" {word}")),
    );
    load(&folder.path().join(format!("{word}.map")), &LoadOptions::default()).map(|l| l.mapping)
}

#[test]
fn an_architecture_of_ones_own() {
    let mapping = loaded(TOY, ROWS).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(falls(&ask(&mapping, &quick(4))), "none up to 4");
    // It prints as what it reads.
    let again = loaded(TOY, &mapping.to_string()).unwrap_or_else(|e| panic!("{e:?}"));
    let rows =
        |m: &Mapping| m.rows.iter().map(|r| r.alternatives[0].steps.clone()).collect::<Vec<_>>();
    assert_eq!(rows(&again), rows(&mapping));
    assert!(mapping.to_string().contains("get ; ctrl"));
    // Broken rows fall, and what they fall by is a test of the toy.
    for (row, broken, answer) in [
        ("R.ACQ => get.acquire", "R.ACQ => get", "Coherence, SC, No-Thin-Air at 4"),
        ("R.RLX => get ; ctrl", "R.RLX => get", "No-Thin-Air at 4"),
        ("W.SC => full ; put ; full", "W.SC => full ; put", "SC at 4"),
    ] {
        let mapping = loaded(TOY, &ROWS.replace(row, broken)).unwrap_or_else(|e| panic!("{e:?}"));
        let report = ask(&mapping, &quick(4));
        assert_eq!(falls(&report), answer, "{broken}");
        reads_back(&mapping, &report.counterexamples[0]);
    }
    // As a source: its rows begin with its mnemonics.
    let identity = "mapping \"itself\" from toy to toy\nget => get\nget.acquire => get.acquire\nput => put\nswap => swap\nfull => full\n";
    assert_eq!(
        falls(&ask(&loaded(TOY, identity).unwrap_or_else(|e| panic!("{e:?}")), &quick(4))),
        "none up to 4"
    );
    let weaker = identity.replace("=> get.acquire", "=> get");
    assert_eq!(
        falls(&ask(&loaded(TOY, &weaker).unwrap_or_else(|e| panic!("{e:?}")), &quick(4))),
        "Ordered at 4"
    );
}

/// A machine with scopes, without its line of them.
const SCOPED: &str = r#"architecture "a toy with scopes"
tag ACQ on R
tag REL on W
tag ATOM on R W
read get
read get.relaxed ATOM scoped
read get.acquire ACQ ATOM scoped
write put
write put.relaxed ATOM scoped
write put.release REL ATOM scoped
"#;

fn with_scopes(scopes: &str) -> String {
    SCOPED.replacen("tag ACQ", &format!("scopes {scopes}\ntag ACQ"), 1)
}

const SCOPED_MODEL: &str = r#"toy "a toy with scopes"
let com = rf | co | fr
let sync = [REL]; (rf & incl); [ACQ]
let hb = (po | sync)+
irreflexive hb; com+ as Ordered
acyclic (po & loc) | com as Coherent
"#;

/// The rows of C++ with scopes, those of the atomic accesses once for each of the given scopes.
fn scoped_rows(scopes: &[(&str, &str)]) -> String {
    let mut out = "mapping \"C++ to a machine\" from c20-scoped to toy\nR.NA => get\nW.NA => put\n"
        .to_owned();
    let accesses = [
        ("R.RLX", "get.relaxed"),
        ("R.ACQ", "get.acquire"),
        ("W.RLX", "put.relaxed"),
        ("W.REL", "put.release"),
    ];
    for (from, to) in scopes {
        out.extend(accesses.map(|(head, mnemonic)| format!("{head}.{from} => {mnemonic}.{to}\n")));
    }
    let rest = "R.SC W.SC RMW.RLX RMW.ACQ RMW.REL RMW.ACQ_REL RMW.SC F.ACQ F.REL F.ACQ_REL F.SC";
    out.extend(rest.split(' ').map(|construct| format!("{construct}.s => absent\n")));
    out
}

#[test]
fn a_machine_with_scopes_of_ones_own() {
    let (two, four) = (with_scopes("group < all"), with_scopes("wave < wg < agent < system"));
    let to_two = scoped_rows(&[("cta", "group"), ("gpu", "all"), ("sys", "all")]);
    let to_four = scoped_rows(&[("s", "s")]);
    let three = with_scopes("near = cta < far = gpu < all = sys");
    let answers = [
        ("pair", &two, to_two.clone(), "none up to 4"),
        ("trio", &three, to_four.clone(), "none up to 4"),
        ("quad", &four, to_four.clone(), "none up to 4"),
        // A scope that is too narrow, in either machine.
        ("pair", &two, to_two.replace("get.acquire.all", "get.acquire.group"), "Coherence at 4"),
        ("quad", &four, to_four.replace("put.release.s", "put.release.wave"), "Coherence at 4"),
        ("quad", &four, to_four.replace("put.release.s", "put.release.wg"), "Coherence at 4"),
        ("quad", &four, to_four.replace("put.release.s", "put.release.system"), "none up to 4"),
    ];
    for (word, architecture, rows, answer) in answers {
        let mapping =
            loaded_as(word, architecture, &rows).unwrap_or_else(|e| panic!("{e:?}\n{rows}"));
        let report = ask(&mapping, &quick(4));
        assert_eq!(falls(&report), answer, "{rows}");
        for found in &report.counterexamples {
            reads_back(&mapping, found);
        }
        // It prints as what it reads.
        let printed = mapping.to_string();
        let again =
            loaded_as(word, architecture, &printed).unwrap_or_else(|e| panic!("{e:?}\n{printed}"));
        let steps = |m: &Mapping| {
            m.rows.iter().flat_map(|r| &r.alternatives).map(|l| l.steps.clone()).collect::<Vec<_>>()
        };
        assert_eq!(steps(&again), steps(&mapping), "{printed}");
    }
    // As a source and a target at once, by each number of scopes: no program tells a machine from
    // itself, and scopes that are too narrow do.
    for (word, architecture, narrowest) in
        [("pair", &two, "group"), ("trio", &three, "near"), ("quad", &four, "wave")]
    {
        let accesses = "get.relaxed get.acquire put.relaxed put.release".split(' ');
        let rows: String =
            accesses.map(|mnemonic| format!("{mnemonic}.s => {mnemonic}.s\n")).collect();
        let rows = format!("mapping \"itself\" from toy to toy\nget => get\nput => put\n{rows}");
        let same = loaded_as(word, architecture, &rows).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(falls(&ask(&same, &quick(4))), "none up to 4");
        let weaker = rows.replace("=> get.acquire.s", &format!("=> get.acquire.{narrowest}"));
        let weaker = loaded_as(word, architecture, &weaker).unwrap_or_else(|e| panic!("{e:?}"));
        assert_eq!(falls(&ask(&weaker, &quick(4))), "Ordered at 4");
    }
    // A row is weakened to the narrowest scope of the machine, which a test notices.
    let mapping = loaded_as("quad", &four, &to_four).expect("a mapping");
    let report = weaken(&mapping, &CheckOptions { level: Level::Program, ..quick(4) }, &Silent)
        .expect("a question");
    let weaker = report.rows.iter().flat_map(|row| row.weaker.iter().map(move |w| (row, w)));
    let falls = weaker.filter(|(_, w)| matches!(w.fate, Fate::Falls(_)));
    let found: BTreeSet<String> = falls
        .map(|(row, w)| {
            let (head, body) = row.slot.text(&mapping, &w.lowering);
            format!("{head} => {body}")
        })
        .collect();
    for expected in
        ["W.REL.s => put.release.wave", "W.REL.s => put.relaxed.s", "R.ACQ.s => get.acquire.wave"]
    {
        assert!(found.contains(expected), "{found:?}");
    }
}

/// The line `scopes` takes the names that rows use: the source's, and the target's where the source
/// has none.
#[test]
fn the_scopes_that_there_are() {
    let four = with_scopes("wave < wg < agent < system");
    let from_c = |line: &str| {
        let rows = scoped_rows(&[("s", "s")]).replacen('\n', &format!("\nscopes {line}\n"), 1);
        loaded_as("named", &four, &rows)
    };
    for line in ["cta sys", "wg system", "sys wg"] {
        let mapping = from_c(line).unwrap_or_else(|e| panic!("{line}: {e:?}"));
        assert_eq!(mapping.scopes(), [Scope::Cta, Scope::Sys], "{line}");
        assert!(mapping.to_string().contains("\nscopes cta sys\n"), "{mapping}");
    }
    let errors = from_c("wg wagon").expect_err("no scope");
    assert!(errors[0].to_string().contains("`wagon` is no scope"), "{}", errors[0]);
    assert!(
        errors[0]
            .help
            .as_ref()
            .is_some_and(|h| h.contains("cta") && h.contains("wave, wg, agent, system")),
        "{errors:?}"
    );
    // From a machine to itself: without its narrowest scope there is nothing that it is too narrow
    // for.
    let accesses = "get.relaxed get.acquire put.relaxed put.release".split(' ');
    let rows: String = accesses.map(|mnemonic| format!("{mnemonic}.s => {mnemonic}.s\n")).collect();
    let rows = format!(
        "mapping \"itself\" from toy to toy\nscopes agent system\nget => get\nput => put\n{rows}"
    );
    let mapping = loaded_as("named", &four, &rows).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(mapping.scopes(), [Scope::Gpu, Scope::Sys]);
    let again = loaded_as("named", &four, &mapping.to_string())
        .unwrap_or_else(|e| panic!("{e:?}\n{mapping}"));
    assert_eq!(again.scopes(), mapping.scopes());
}

#[test]
fn scopes_that_are_wrong() {
    for (scopes, place, message) in [
        ("", "2:7", "expected the name of a scope"),
        ("wg <", "2:12", "expected the name of a scope"),
        ("wg agent", "2:11", "expected `<` between scopes"),
        ("wg < wg", "2:13", "two scopes `wg`"),
        ("w-g < all", "2:8", "`w-g` is no name for a scope"),
        ("rmw < all", "2:8", "`rmw` is no name for a scope"),
        ("wg = warp < all", "2:20", "of `all` the line does not say which level it is"),
        ("wg = wrap < all = sys", "2:13", "unknown level `wrap`"),
        ("wg = gpu < all = cta", "2:25", "this level is not wider than the one before"),
        ("wg = cta < all = gpu", "2:19", "`all` is the widest scope and not `sys`"),
        ("a < b < c < d < e < g", "2:28", "more than 5 scopes"),
        ("wg < all\nscopes wg < all", "3:1", "a second line `scopes`"),
        ("wg < all\ntag WG on R", "3:5", "`WG` is no name for a tag"),
        ("wg < all\ntag scoped on R", "3:5", "`scoped` is no name for a tag"),
        ("wg < all\nfence get.relaxed.wg", "3:7", "`get.relaxed.wg` is `get.relaxed` with a scope"),
    ] {
        let errors = loaded_as("wrong", &with_scopes(scopes), &scoped_rows(&[("s", "s")]))
            .expect_err(scopes);
        let said = errors[0].to_string();
        assert!(
            said.contains(&format!("wrong.arch:{place}: ")) && said.contains(message),
            "{scopes}\n{said}"
        );
        assert!(errors[0].help.is_some(), "{said}");
    }
    let none = loaded_as("wrong", SCOPED, &scoped_rows(&[("s", "s")])).expect_err("no scopes");
    assert!(
        none[0].to_string().contains("wrong.arch:6:23: error: the architecture has no scopes"),
        "{}",
        none[0]
    );
    let unused = with_scopes("wg < all").replace(" scoped", "");
    let unused = loaded_as("wrong", &unused, &scoped_rows(&[("s", "s")]))
        .expect_err("no instruction has a scope");
    assert!(
        unused[0].to_string().contains("wrong.arch:2:1: error: no instruction takes a scope"),
        "{}",
        unused[0]
    );
    // Rows.
    let two = with_scopes("group < all");
    for (rows, message, help) in [
        (
            scoped_rows(&[("s", "s")]),
            "of the scopes of `c20-scoped`, wrong has none for gpu",
            "`R.RLX.gpu => ... .all`",
        ),
        (
            scoped_rows(&[("s", "all")]).replace("get.acquire.all", "get.acquire"),
            "`get.acquire` needs a scope",
            "`get.acquire.all`",
        ),
        (
            scoped_rows(&[("s", "al")]),
            "`al` is neither a scope nor the scope variable",
            "group, all",
        ),
        (
            scoped_rows(&[("s", "all")]).replace("=> get\n", "=> get.all\n"),
            "unknown wrong instruction `get.all`",
            "",
        ),
        (scoped_rows(&[("cta", "group"), ("gpu", "all")]), "no row for R.RLX.sys", "add a row"),
    ] {
        let errors = loaded_as("wrong", &two, &rows).expect_err(&rows);
        let said = errors[0].to_string();
        assert!(
            said.contains(message) && errors[0].help.as_ref().is_some_and(|h| h.contains(help)),
            "{rows}\n{said}"
        );
        assert!(said.contains("wrong.map:"), "{said}");
    }
}

#[test]
fn texts_that_are_wrong() {
    let cases = [
        ("", "1:1", "the text of the architecture is empty"),
        ("toy \"a\"", "1:1", "expected `architecture`"),
        ("architecture toy", "1:14", "expected the title of the architecture in quotes"),
        ("architecture \"toy\" 7", "1:20", "unexpected text after the title"),
        ("architecture \"toy", "1:14", "this string is never closed"),
        ("architecture \"toy\"\n(* ...", "2:1", "this comment is never closed"),
        ("architecture \"toy\"\nload ld", "2:1", "unknown statement `load`"),
        ("architecture \"toy\"\ntag", "2:4", "expected the name of a tag"),
        ("architecture \"toy\"\ntag RMW on R", "2:5", "`RMW` is no name for a tag"),
        ("architecture \"toy\"\ntag let on R", "2:5", "`let` is no name for a tag"),
        ("architecture \"toy\"\ntag A on X", "2:10", "expected R, W or F, not `X`"),
        ("architecture \"toy\"\ntag A R", "2:7", "expected `on`"),
        ("architecture \"toy\"\ntag A on R\ntag A on W", "3:5", "two tags `A`"),
        ("architecture \"toy\"\ntag A on R\norder A < B", "3:11", "unknown tag `B`"),
        (
            "architecture \"toy\"\ntag A on R\ntag B on R\norder A < B\norder B < A",
            "5:7",
            "the second tag is weaker",
        ),
        ("architecture \"toy\"\norder A B", "2:9", "expected two tags with `<` between them"),
        (
            "architecture \"toy\"\ntag ISB on F\nread get\nwrite put\nfence isb",
            "2:5",
            "no instruction carries the tag `ISB`",
        ),
        ("architecture \"toy\"\ndependencies value", "2:14", "unknown dependency `value`"),
        ("architecture \"toy\"\nread", "2:5", "expected a mnemonic"),
        ("architecture \"toy\"\nread ctrl", "2:6", "`ctrl` is no mnemonic"),
        ("architecture \"toy\"\ntag A on W\nread ld A", "3:9", "do not carry the tag `A`"),
        ("architecture \"toy\"\nread ld\nread ld", "3:6", "two instructions `ld`"),
        (
            "architecture \"toy\"\nread ld\nread lw",
            "3:6",
            "`lw` has the operation and the tags of another instruction",
        ),
        ("architecture \"toy\"\nread ld", "2:8", "no instruction of the operation W"),
    ];
    for (text, place, message) in cases {
        let errors = loaded(text, ROWS).expect_err(text);
        let said = errors[0].to_string();
        assert!(
            said.contains(&format!("toy.arch:{place}: ")) && said.contains(message),
            "{text}\n{said}"
        );
        assert!(errors[0].help.is_some(), "{said}");
    }
    // Rows.
    for (row, broken, message) in [
        ("R.ACQ => get.acquire", "R.ACQ => get.aquire", "unknown toy instruction `get.aquire`"),
        ("W.RLX => put", "W.RLX => put ; ctrl", "nothing is read before `ctrl`"),
        ("R.RLX => get ; ctrl", "R.RLX => ctrl ; get", "nothing is read before `ctrl`"),
        ("R.RLX => get ; ctrl", "R.RLX => get ; ctrl ; ctrl", "a second `ctrl`"),
    ] {
        let errors = loaded(TOY, &ROWS.replace(row, broken)).expect_err(broken);
        assert!(errors[0].to_string().contains(message), "{broken}: {}", errors[0]);
    }
    // The other test of the toy reads its litmus tests by the text that was read last: this one has
    // a word of its own.
    let rows = ROWS.replace(" to toy", " to lacking");
    let folder = folder(
        "lacking",
        &TOY.replace("dependencies ctrl", ""),
        &MODEL.replacen("toy", "lacking", 1),
        &rows,
    );
    let without = load(&folder.path().join("lacking.map"), &LoadOptions::default())
        .expect_err("no dependencies");
    assert!(without.iter().any(|e| e.to_string().contains("unknown name `ctrl`")), "{without:?}");
}

/// An instruction of a text keeps its name, also where tables of C++ have that of a form of another
/// operation.
#[test]
fn an_instruction_may_be_named_as_a_form_is() {
    let folder = tempfile::tempdir().expect("there is room");
    let language =
        "architecture \"named\"\ntag LOCKED on R W\nread R\nwrite W\nrmw RMW\nrmw CAS LOCKED\nrmw ACQREL LOCKED_TOO\nfence F\n"
            .replace("tag LOCKED on R W\n", "tag LOCKED on R W\ntag LOCKED_TOO on R W\n");
    let model = "named \"a language\"\nacyclic po | rf | co | fr as Sc\nempty rmw & (fr; co) as At\nempty [LOCKED | LOCKED_TOO]; rf & po as Tags\n";
    let rows = "mapping \"m\" from named.cat to x86\nR => load\nW => store ; mfence\nRMW => lock_xchg\nCAS => mfence ; lock_xchg\n\
                ACQREL => lock_xchg ; mfence\nF => mfence\n";
    for (file, text) in
        [("named.arch", language.as_str()), ("named.cat", model), ("named.map", rows)]
    {
        std::fs::write(folder.path().join(file), text).expect("there is room");
    }
    let mapping = load(&folder.path().join("named.map"), &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e:?}"))
        .mapping;
    let texts: Vec<String> = mapping
        .to_string()
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(texts, rows.lines().skip(1).collect::<Vec<_>>());
}
