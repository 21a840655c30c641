//! Mappings that extend others: which rows are whose, what is refused, and where mistakes are
//! shown.

use std::fs;
use std::path::Path;

use margay_mappings::check::{CheckOptions, CheckVerdict, Silent, check};
use margay_mappings::language::{LoadOptions, LoadedMapping};
use margay_mappings::library;
use margay_models::diagnostic::Diagnostic;
use margay_models::execution::Scope;

/// A folder with these mappings.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("there is room");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("there is room");
        fs::write(path, text).expect("there is room");
    }
    folder
}

fn load(folder: &Path, name: &str) -> Result<LoadedMapping, Vec<Diagnostic>> {
    library::find(folder.join(name).to_str().expect("a name"), &LoadOptions::default())
}

/// The text of each row of a loaded mapping.
fn rows(folder: &Path, name: &str) -> Vec<String> {
    let mapping = load(folder, name).expect("it is complete").mapping;
    let of = |row: &margay_mappings::language::Row| {
        let forms = row.forms();
        let line = |form| {
            format!(
                "{} => {}",
                row.head(mapping.source.signature, form),
                row.body(mapping.target.signature, form)
            )
        };
        forms.into_iter().map(line).collect::<Vec<_>>()
    };
    mapping.rows.iter().flat_map(of).collect()
}

/// Message, and the places with their files, of the only error.
fn refused(folder: &Path, name: &str) -> String {
    let errors = load(folder, name).expect_err("it is wrong");
    let shown = |e: &Diagnostic| {
        let places = e.labels.iter().map(|l| {
            let (line, column) = l.file.position(l.span.start);
            let file =
                Path::new(&l.file.name).file_name().expect("a name").to_string_lossy().into_owned();
            format!("{file}:{line}:{column} `{}`", &l.file.text[l.span.start..l.span.end])
        });
        format!(
            "{e} [{}] {}",
            places.collect::<Vec<_>>().join(", "),
            e.help.as_deref().unwrap_or_default()
        )
    };
    let shown: Vec<String> = errors.iter().map(shown).collect();
    shown
        .join("\n")
        .replace(&format!("{}/", folder.display()), "")
        .replace(&folder.display().to_string(), "FOLDER")
}

const HEADER: &str = "mapping \"mine\" from rc11-scoped to ptx-6.0\n";

#[test]
fn rows_of_the_same_name_are_replaced_and_all_others_inherited() {
    let text = format!("{HEADER}extends rc11-to-ptx\nR.ACQ.s => ld.relaxed.s\n");
    let folder = folder(&[("mine.map", &text)]);
    let (mine, base) = (rows(folder.path(), "mine.map"), {
        let mapping =
            library::find("rc11-to-ptx", &LoadOptions::default()).expect("it is shipped").mapping;
        mapping
            .rows
            .iter()
            .map(|r| {
                r.head(mapping.source.signature, margay_mappings::language::LoweringForm::Usual)
            })
            .collect::<Vec<_>>()
    });
    assert!(mine.contains(&"R.ACQ.s => ld.relaxed.s".to_owned()), "{mine:#?}");
    assert!(mine.contains(&"W.REL.s => st.release.s".to_owned()), "{mine:#?}");
    // In the order of the other table, each once.
    let heads: Vec<&str> = mine
        .iter()
        .filter(|r| !r.starts_with("CAS"))
        .filter_map(|r| r.split(" =>").next())
        .collect();
    assert_eq!(heads, base);
    let mapping = load(folder.path(), "mine.map").expect("it is complete").mapping;
    assert_eq!(mapping.title, "mine");
    // The text is a whole mapping: certificates and checkpoints need no other file.
    assert!(!mapping.file.text.contains("extends"));
    let again = margay_mappings::language::Mapping::between(
        &mapping.file,
        mapping.source.clone(),
        mapping.target.clone(),
    );
    assert_eq!(again.expect("it reads back").rows, mapping.rows);
    let report = check(&mapping, &CheckOptions::new(4), &Silent).expect("the options fit");
    assert_eq!(report.verdict, CheckVerdict::Counterexample);
}

#[test]
fn a_row_of_one_scope_is_of_that_scope_alone() {
    let text = format!("{HEADER}extends rc11-to-ptx\nR.ACQ.cta => ld.relaxed.cta\n");
    let folder = folder(&[("mine.map", &text)]);
    let mapping = load(folder.path(), "mine.map").expect("it is complete").mapping;
    let acquire = |scope: Scope| {
        let is = |r: &&margay_mappings::language::Row| {
            r.head(mapping.source.signature, Default::default()).starts_with("R.ACQ.")
        };
        let row = mapping
            .rows
            .iter()
            .filter(is)
            .find(|r| r.scope == margay_mappings::language::ScopePattern::Named(scope));
        row.map(|r| r.body(mapping.target.signature, Default::default()))
    };
    assert_eq!(acquire(Scope::Cta).as_deref(), Some("ld.relaxed.cta"));
    assert_eq!(acquire(Scope::Gpu).as_deref(), Some("ld.acquire.gpu"));
    assert_eq!(acquire(Scope::Sys).as_deref(), Some("ld.acquire.sys"));
}

#[test]
fn a_row_for_all_scopes_takes_the_place_of_rows_for_each() {
    let base = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nW.REL.cta => st.release.cta\nW.REL.gpu => st.relaxed.gpu\nW.REL.sys => st.release.sys\n";
    let mine = format!("{HEADER}extends \"base.map\"\nW.REL.t => st.release.t\n");
    let folder = folder(&[("base.map", base), ("mine.map", &mine)]);
    assert!(rows(folder.path(), "base.map").contains(&"W.REL.gpu => st.relaxed.gpu".to_owned()));
    let mine = rows(folder.path(), "mine.map");
    assert_eq!(
        mine.iter().filter(|r| r.starts_with("W.REL.")).collect::<Vec<_>>(),
        ["W.REL.t => st.release.t"],
        "{mine:#?}"
    );
}

#[test]
fn what_a_row_says_more_stays() {
    let base = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nRMW.ACQ.s b8 => atom.acquire.s.b32\nRMW.ACQ.s => atom.acquire.s\n";
    let mine = format!(
        "{HEADER}extends base\nevidence looked read \"the source\"\nRMW.ACQ.s => atom.acq_rel.s [looked]\n"
    );
    let folder = folder(&[("base.map", base), ("mine.map", &mine)]);
    let mapping = load(folder.path(), "mine.map").expect("it is complete").mapping;
    let text = mapping.to_string();
    assert!(text.contains("RMW.ACQ.s b8") && text.contains("atom.acquire.s.b32"), "{text}");
    assert!(text.contains("atom.acq_rel.s [looked]"), "{text}");
}

#[test]
fn what_cannot_be_extended_is_said_where_it_is_written() {
    let with = |line: &str| format!("{HEADER}{line}\n");
    let broken =
        "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nR.ACQ.s => ld.acquird.s\n";
    let missing = "mapping from rc11-scoped to ptx-6.0\nR.ACQ.s => ld.acquire.s\n";
    let doubled = "mapping from rc11-scoped to ptx-6.0\nextends rc11-to-ptx\nR.ACQ.s => ld.acquire.s\n\nR.ACQ.s => ld.relaxed.s\n";
    let folder = folder(&[
        ("a.map", &with("extends b")),
        ("b.map", &with("extends \"a.map\"")),
        ("self.map", &with("extends self")),
        ("none.map", &with("extends nowhere")),
        ("nothing.map", &with("extends")),
        ("mistyped.map", &with("extend rc11-to-ptx")),
        ("two.map", &with("extends rc11-to-ptx\nextends rc11-to-ptx")),
        ("many.map", &with("extends rc11-to-ptx rc11-to-ptx")),
        ("up.map", &with("extends \"../secret.map\"")),
        ("root.map", &with("extends \"/etc/passwd\"")),
        ("text.map", &with("extends \"notes.txt\"")),
        ("notes.txt", "a secret"),
        ("broken.map", broken),
        ("of-broken.map", &with("extends broken")),
        ("missing.map", missing),
        ("of-missing.map", &with("extends missing")),
        ("of-doubled.map", &with("extends doubled")),
        ("doubled.map", doubled),
        ("model.map", "let r = po\n"),
        ("of-model.map", &with("extends model")),
        ("evidence.map", &with("extends of-evidence\nevidence e ran \"x\"")),
        ("of-evidence.map", &with("extends rc11-to-ptx\nevidence e read \"y\"")),
    ]);
    let names = [
        "a.map",
        "self.map",
        "none.map",
        "nothing.map",
        "mistyped.map",
        "two.map",
        "many.map",
        "up.map",
        "root.map",
        "text.map",
        "broken.map",
        "of-broken.map",
        "of-missing.map",
        "of-doubled.map",
        "of-model.map",
        "evidence.map",
    ];
    let all: Vec<String> =
        names.iter().map(|name| format!(">>> {name}\n{}", refused(folder.path(), name))).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn links_lead_nowhere_else() {
    let outside = folder(&[("secret.map", "mapping from rc11-scoped to ptx-6.0\n")]);
    let inside = folder(&[("mine.map", &format!("{HEADER}extends link\n"))]);
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path().join("secret.map"), inside.path().join("link.map"))
        .expect("there is room");
    #[cfg(unix)]
    assert!(refused(inside.path(), "mine.map").contains("is a link to"));
    drop((outside, inside));
}

/// A table with rows for single scopes is read under models that do not speak of scopes: a
/// construct has the row of the whole system, or that of the only scope there is.
#[test]
fn rows_for_scopes_work_without_scopes() {
    let rows = "R.NA => ld.weak\nW.NA => st.weak\nR.RLX.sys => ld.relaxed.sys\nR.ACQ.cta => ld.relaxed.cta\nR.ACQ.sys => ld.acquire.sys\n\
                R.SC.gpu => fence.sc.gpu ; ld.acquire.gpu\nW.RLX => st.relaxed.sys\nW.REL => st.release.sys\nW.SC => fence.sc.sys ; st.release.sys\n\
                RMW.RLX => atom.relaxed.sys\nRMW.ACQ => atom.acquire.sys\nRMW.REL => atom.release.sys\nRMW.ACQ_REL => atom.acq_rel.sys\n\
                RMW.SC => fence.sc.sys ; atom.acq_rel.sys\nF.ACQ => fence.acquire.sys\nF.REL => fence.release.sys\nF.ACQ_REL => fence.acq_rel.sys\n\
                F.SC => fence.sc.sys\n";
    let text = format!("mapping from rc11-lb to ptx-6.0\n{rows}");
    let none = text.replace("R.ACQ.sys => ld.acquire.sys\n", "R.ACQ.gpu => ld.acquire.gpu\n");
    let folder = folder(&[("mine.map", &text), ("none.map", &none)]);
    let read = self::rows(folder.path(), "mine.map");
    for row in [
        "R.RLX => ld.relaxed.sys",
        "R.ACQ => ld.acquire.sys",
        "R.SC => fence.sc.gpu ; ld.acquire.gpu",
    ] {
        assert!(read.contains(&row.to_owned()), "{row}: {read:#?}");
    }
    assert!(!read.iter().any(|r| r.contains("cta")), "{read:#?}");
    let said = refused(folder.path(), "none.map");
    assert!(said.contains("rows for several, none of them for `sys`"), "{said}");
    // A row for all scopes is that of the whole system, and one of another scope beside it, for
    // some types, is in no program.
    for (row, kept) in
        [("R.ACQ.cta b8 => ld.relaxed.cta", false), ("R.ACQ.sys b8 => ld.relaxed.sys", true)]
    {
        let mixed = text.replace(
            "R.ACQ.cta => ld.relaxed.cta\nR.ACQ.sys => ld.acquire.sys",
            &format!("R.ACQ.s => ld.acquire.s\n{row}"),
        );
        fs::write(folder.path().join("mixed.map"), mixed).expect("there is room");
        let read = self::rows(folder.path(), "mixed.map");
        assert_eq!(
            read.iter().any(|r| r.contains("R.ACQ") && r.contains("ld.relaxed")),
            kept,
            "{row}: {read:#?}"
        );
    }
    // Two rows that say as much as each other stay an error, as they are where there are scopes.
    fs::write(folder.path().join("doubled.map"), text.replace("R.ACQ.sys =>", "R.ACQ.s =>"))
        .expect("there is room");
    assert!(refused(folder.path(), "doubled.map").contains("two rows for `R.ACQ`"));
}

/// Damaged texts are read or refused, and what is wrong is shown in a text that is there.
#[test]
fn damaged_extensions_are_read_or_refused() {
    let text = format!(
        "{HEADER}extends rc11-to-ptx\nscopes cta gpu sys\ntypes b8 b32\nevidence e read \"x\"\nR.ACQ.cta => ld.relaxed.cta [e] // no\n\
         W.REL.t => st.release.t ; fence.sc.t or\n  st.relaxed.t\nRMW.ACQ.s exch b8 => absent \"why\"\nRMW.ACQ.s => atom.acquire.s.b32\nCAS.REL/ACQ.gpu => atom.release.gpu\nCAS.REL.gpu => atom.release.gpu\n"
    );
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n.max(1) as u64) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + below(3) {
            let at = below(letters.len());
            let end = (at + 1 + below(8)).min(letters.len());
            match below(4) {
                0 => drop(letters.drain(at..end)),
                1 => {
                    let piece = letters[at..end].to_vec();
                    let to = below(letters.len());
                    letters.splice(to..to, piece);
                }
                2 => {
                    letters[at] = ['.', '\n', ';', '=', '"', '/', 's', '[', '\u{e9}', '(', '#', ' ']
                        [below(12)]
                }
                _ => letters.truncate(end),
            }
        }
        let file = margay_models::diagnostic::SourceFile::new(
            "damaged.map",
            letters.iter().collect::<String>(),
        );
        let options = LoadOptions { shipped: Some(library::built_in), ..LoadOptions::default() };
        match margay_mappings::language::load_text(&file, None, &options) {
            Ok(loaded) => {
                read += 1;
                let again = loaded.mapping.to_string();
                let again = margay_models::diagnostic::SourceFile::new("again.map", again);
                let again = margay_mappings::language::load_text(&again, None, &options);
                assert!(again.is_ok(), "{}\n{:?}", loaded.mapping, again.err());
            }
            Err(errors) => {
                refused += 1;
                for label in errors.iter().flat_map(|e| &e.labels) {
                    assert!(
                        label.file.text.get(label.span.start..label.span.end).is_some(),
                        "{}: {:?}",
                        file.text,
                        errors
                    );
                    assert!(!label.file.name.contains(" + "), "{}: {:?}", file.text, errors);
                }
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}
