//! In whose dialect a file is read: as its name says, as it says itself, or by its looks, and then
//! that is said. What a file of another tool needs and Margay lacks is one line.

use margay_models::typing::{IncludeRefusal, Includes, OnlyBuiltIn};
use margay_models::{Diagnostic, Model, Signature, SourceFile};
use std::sync::Arc;

/// The dialect of a text, the signature, and the warnings.
fn read(name: &str, text: &str) -> (&'static str, Signature, Vec<String>) {
    match Model::parse(SourceFile::new(name, text), &OnlyBuiltIn) {
        Ok(loaded) => {
            let warnings = loaded.warnings.iter().map(|w| w.message.clone()).collect();
            (loaded.model.dialect.name, loaded.model.signature, warnings)
        }
        Err(errors) => panic!("{name}: {errors:?}"),
    }
}

fn errors(name: &str, text: &str) -> Vec<Diagnostic> {
    match Model::parse(SourceFile::new(name, text), &OnlyBuiltIn) {
        Ok(_) => panic!("accepted: {text}"),
        Err(errors) => errors,
    }
}

#[test]
fn a_name_and_a_file_say_it_without_a_warning() {
    let text = "PTX\nacyclic po | rf";
    assert_eq!(read("m.cat", text), ("margay", Signature::PTX, vec![]));
    assert_eq!(read("dartagnan:m.cat", text), ("dartagnan", Signature::PTX, vec![]));
    for comment in ["(* dialect: dartagnan *)", "// dialect: Dartagnan", "# dialect: dartagnan"] {
        assert_eq!(
            read("m.cat", &format!("{comment}\n{text}")),
            ("dartagnan", Signature::PTX, vec![]),
            "{comment}"
        );
    }
    // The name comes first.
    assert_eq!(read("margay:m.cat", "(* dialect: herd7 *)\nX86\nacyclic po").0, "margay");
    let unknown = errors("m.cat", "(* dialect: herd *)\nX86\nacyclic po");
    assert_eq!(unknown[0].message, "there is no dialect `herd`");
    assert_eq!(unknown[0].help.as_deref(), Some("did you mean `herd7`?"));
}

#[test]
fn what_is_guessed_is_said_with_the_reason() {
    let guesses = [
        (
            "X86 TSO\ninclude \"x86fences.cat\" acyclic po | mfence",
            "herd7",
            "herd7's (X86), for it includes `x86fences.cat`",
        ),
        (
            "\"a title of any words\" with co from generate_cos(co0) acyclic po | co",
            "herd7",
            "for it has `with .. from ..`",
        ),
        (
            "MIPS-TSO\ninclude \"cos.cat\" acyclic po | ca",
            "herd7",
            "(MIPS), for it includes `cos.cat`",
        ),
        ("AArch64 acyclic po; [DMB.SY]; po", "herd7", "(AArch64), for"),
        (
            "PTX let sync_barrier = syncbar & scta acyclic po",
            "dartagnan",
            "for it defines `sync_barrier` by `syncbar`",
        ),
        ("PTX empty [F & SC] \\ sync_fence", "dartagnan", "for it says what `sync_fence` contains"),
        ("RC11\nacyclic po | rf", "dartagnan", "for its first word is `RC11`"),
    ];
    for (text, dialect, reason) in guesses {
        let (found, _, warnings) = read("m.cat", text);
        assert_eq!(found, dialect, "{text}");
        assert!(warnings.iter().any(|w| w.contains(reason)), "{text}: {warnings:?}");
    }
    for (path, dialect) in
        [("Dat3M/cat/m.cat", "dartagnan"), ("herdtools7/herd/libdir/m.cat", "herd7")]
    {
        assert_eq!(read(path, "SC acyclic po").0, dialect);
    }
}

#[test]
fn shipped_models_are_in_margays_own() {
    for name in margay_models::library::built_in_names() {
        let loaded = margay_models::library::load(name, &[]).expect("a shipped model");
        assert_eq!((loaded.model.dialect.name, loaded.warnings.len()), ("margay", 0), "{name}");
        // Nor does a copy of one look like another's.
        let text = margay_models::library::built_in(name).expect("a shipped model").text.clone();
        assert_eq!(read("copy.cat", &text), ("margay", loaded.model.signature, vec![]), "{name}");
    }
}

#[test]
fn what_is_missing_is_one_line() {
    let refusals = [
        (
            "herd7:m.cat",
            "C with S from linearisations(SC, po) acyclic S; co let x = S | nothing acyclic x",
            "as herd7's (C) it needs `with .. from linearisations(..)`, `nothing`",
        ),
        (
            "herd7:m.cat",
            "BPF acyclic po",
            "it is a model of herd7's for `BPF`, which Margay has no tests for",
        ),
        (
            "herd7:m.cat",
            "X86 include \"nowhere.cat\" acyclic po | elsewhere",
            "it needs the file `nowhere.cat`, `elsewhere`",
        ),
        (
            "herd7:m.cat",
            "AArch64 acyclic iico_data | Exp; po | iico_data",
            "it needs `iico_data`, `Exp`",
        ),
        ("herd7:m.cat", "C instructions R[{'a}] acyclic po", "it needs `instructions` (Bell)"),
        (
            "dartagnan:m.cat",
            "PTX acyclic po | sync_phase",
            "as Dartagnan's (PTX) it needs `sync_phase`",
        ),
    ];
    for (name, text, needs) in refusals {
        let errors = errors(name, text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        let message = &errors[0].message;
        assert!(
            message.starts_with("m.cat cannot be answered: ") && message.ends_with(needs),
            "{text}: {message}"
        );
        assert!(!message.contains('\n'));
    }
}

#[test]
fn what_is_missing_has_a_place() {
    let found = errors("herd7:m.cat", "AArch64\nacyclic po | adr\n");
    let error = found.first().expect("there is no such name");
    let place = error
        .labels
        .first()
        .map(|label| (label.file.position(label.span.start).0, label.text.as_str()));
    assert_eq!(place, Some((2, "neither defined above nor a base name")), "{error:?}");
    assert_eq!(error.help.as_deref(), Some("did you mean `addr`?"));
}

#[test]
fn of_another_tools_file_the_first_wrong_thing_is_one_line() {
    let text = "X86 T\ninclude \"cos.cat\"\nlet a = po ;; rf\nlet b = ) co\nacyclic a ! b";
    let found = errors("herd7:m.cat", text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("`;`") && !found[0].message.contains('\n'), "{found:?}");
    // Of one's own file all are told.
    assert!(errors("margay:m.cat", text).len() > 1);
}

/// A folder in which files lie that are called like those of a library.
struct Beside;

impl Includes for Beside {
    fn open(&self, _: &SourceFile, path: &str) -> Result<Arc<SourceFile>, IncludeRefusal> {
        match path {
            "family.cat" => Ok(SourceFile::new(path, "include \"cos.cat\" let com = rf | co | fr")),
            _ => Ok(SourceFile::new(path, "this is no model")),
        }
    }
}

#[test]
fn library_files_are_built_in_and_the_others_lie_beside() {
    let text = "\"C++11\"\ninclude \"family.cat\" acyclic po | com & (SC * SC)";
    let loaded =
        Model::parse(SourceFile::new("m.cat", text), &Beside).expect("its includes are found");
    assert_eq!((loaded.model.dialect.name, loaded.model.signature), ("herd7", Signature::C));
    assert!(
        loaded.warnings[0].message.contains("it includes `family.cat`, and it includes `cos.cat`"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn names_of_events_that_no_test_has_are_named() {
    let (_, _, warnings) = read("herd7:m.cat", "AArch64 acyclic po; [TLBI]; po | [PTE]; po");
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings[0].contains("`PTE`, `TLBI`: no test that Margay reads has such events"),
        "{warnings:?}"
    );
    // Tests in assembly have these.
    assert_eq!(
        read("herd7:m.cat", "AArch64 acyclic po; [ISB]; po | [Q]; po | po; [L] | [DMB.ISHLD]; po")
            .2
            .len(),
        0
    );
}

#[test]
fn free_relations_that_nothing_asks_for_are_named() {
    let named = |text: &str| {
        read("margay:m.cat", text)
            .2
            .iter()
            .filter(|w| w.contains("says what"))
            .cloned()
            .collect::<Vec<_>>()
    };
    let free = named("PTX acyclic rf | fr; sync_fence");
    assert_eq!(free.len(), 2, "{free:?}");
    assert!(
        free[0].contains("`co` must relate: coherence order can be as good as empty"),
        "{free:?}"
    );
    assert!(
        free[1].contains("`sync_fence` must relate: Fence-SC order can be as good as empty"),
        "{free:?}"
    );
    assert_eq!(named("PTX acyclic rf | fr empty loc \\ (co | co^-1 | id) as asked").len(), 0);
    assert_eq!(named("PTX acyclic rf | po").len(), 0);
    // Total by definition.
    assert_eq!(named("C acyclic rf | fr").len(), 0);
}

#[test]
fn tags_choose_while_a_model_is_read() {
    let checks = |text: &str| {
        let text = format!("enum color = 'red || 'green\n{text}");
        let loaded = Model::parse(SourceFile::new("margay:m.cat", text.as_str()), &OnlyBuiltIn);
        loaded.map(|l| l.model.checks.len()).map_err(|errors| errors[0].message.clone())
    };
    assert_eq!(checks("forall c in color do acyclic po end"), Ok(2));
    assert_eq!(
        checks("forall c in 'blank ++ color do acyclic po end").unwrap_err(),
        "unknown tag `'blank`"
    );
    let depends = "the elements of a set of events or pairs depend on the execution";
    assert_eq!(checks("forall c in po do acyclic po end").unwrap_err(), depends);
    assert_eq!(
        checks("match 'red with || 'green -> acyclic po || _ -> acyclic po acyclic rf end"),
        Ok(2)
    );
    assert_eq!(
        checks(
            "procedure rec each(S) = match S with || {} -> empty 0 || e ++ rest -> acyclic po call each(rest) end end call each(color)"
        ),
        Ok(3)
    );
    assert_eq!(
        checks(
            "let rec f(S) = match S with || {} -> po || e ++ rest -> rf | f(rest) end acyclic f(color)"
        ),
        Ok(1)
    );
    assert_eq!(checks("if 'red in color && ~('red = 'green) acyclic po end empty 0"), Ok(2));
    assert_eq!(checks("acyclic 'blue").unwrap_err(), "unknown tag `'blue`");
}
