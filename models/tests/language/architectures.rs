//! What a text of an architecture of one's own can say, and what is said about one that is wrong.

use margay_models::Model;
use margay_models::bits::{BitMatrix, Event};
use margay_models::execution::{EventData, Execution, Kind, Location, Order, Placement, Scope};
use margay_models::picture::{Picture, svg};
use margay_models::signature::{Architecture, BaseRelation, BaseSet, Construct, Operation};
use margay_models::typing::{IncludeRefusal, Includes};
use margay_models::wellformed::violations;
use margay_models::{Diagnostic, SourceFile};

const TEXT: &str = r#"architecture "a machine with all that a text can say"
coherence partial
chosen sync_fence on FULL
scopes wave < wg|workgroup < agent < system
optional wg except old older
tag ACQ|ACQUIRE on R F
tag REL on W F
tag BOTH on F
tag FULL on F
order ACQ < BOTH
order REL < BOTH
order BOTH < FULL
halves BOTH = ACQ REL
sets NA|ORDINARY A MFENCE
relations po|before same-wg|together
print po as before
print sync_fence as fence-order
read ld
read ld.acq ACQ scoped
write st
write st.rel REL scoped
rmw swap
rmw swap.both BOTH scoped
fence fence.both BOTH scoped
fence fence.full FULL scoped
"#;

fn read(word: &str, text: &str) -> Result<Architecture, Vec<Diagnostic>> {
    Architecture::read(&SourceFile::new(format!("{word}.arch"), text))
}

fn machine() -> Architecture {
    read("machine", TEXT).unwrap_or_else(|e| panic!("{e:?}"))
}

/// The text of the machine, for models.
struct Beside;

impl Includes for Beside {
    fn open(
        &self,
        _: &SourceFile,
        path: &str,
    ) -> Result<std::sync::Arc<SourceFile>, IncludeRefusal> {
        if path == "machine.arch" {
            Ok(SourceFile::new("machine.arch", TEXT))
        } else {
            Err(IncludeRefusal("there is no such file".to_owned()))
        }
    }
}

fn model(name: &str, text: &str) -> Model {
    Model::parse(SourceFile::new(format!("{name}.cat"), text), &Beside)
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"))
        .model
}

#[test]
fn every_statement_says_what_it_says() {
    let machine = machine();
    assert!(!machine.total_coherence() && !machine.has_orders() && machine.has_places());
    let full = machine.tag("FULL").expect("a tag");
    assert_eq!(machine.ordered_fences(), Some(BaseSet::Tag(full)));
    assert_eq!(machine.tag("ACQUIRE"), machine.tag("ACQ"));
    assert_eq!(machine.scope_named("workgroup"), machine.scope_named("wg"));
    assert_eq!(machine.scope_name(Scope::Cta), "wg");
    assert_eq!(machine.scopes(true), [Scope::Warp, Scope::Cta, Scope::Gpu, Scope::Sys]);
    assert_eq!(machine.scopes(false), [Scope::Warp, Scope::Gpu, Scope::Sys]);
    assert_eq!(
        (machine.printed(BaseRelation::Po), machine.printed(BaseRelation::Rf)),
        ("before", "rf")
    );
    let whole = machine.instruction("swap.both").expect("an instruction");
    let halves = [("ld.acq", whole.read_order()), ("st.rel", whole.write_order())];
    for (mnemonic, order) in halves {
        assert_eq!(
            machine.instruction(mnemonic).expect("an instruction").order,
            order,
            "{mnemonic}"
        );
    }
    let plain = machine.instruction("swap").expect("an instruction");
    assert_eq!((plain.read_order(), plain.write_order()), (Order::Plain, Order::Plain));
    // A fence is weaker by each way down.
    let names = |found: Vec<Construct>| {
        found.into_iter().map(|c| c.name(machine)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        names(machine.instruction("fence.full").expect("a fence").weaker(machine)),
        "fence.both"
    );
    assert_eq!(names(machine.instruction("ld").expect("a load").stronger(machine)), "ld.acq");
}

#[test]
fn models_use_all_names() {
    let all = "machine \"names\"
flag ~empty ACQ & ACQUIRE as tag
flag ~empty NA | ORDINARY | A | MFENCE as sets
flag ~empty WG | WORKGROUP | SYSTEM as scopes
flag ~empty (po \\ before) | (same-wg \\ together) | same-agent | sr | incl | sync_fence as relations
empty 0 as nothing";
    let model = model("names", all);
    let same = |one: &str, other: &str| {
        assert_eq!(
            BaseSet::from_name(one, model.signature),
            BaseSet::from_name(other, model.signature)
        );
        assert_eq!(
            BaseRelation::from_name(one, model.signature),
            BaseRelation::from_name(other, model.signature)
        );
    };
    for (one, other) in [
        ("ACQ", "ACQUIRE"),
        ("NA", "ORDINARY"),
        ("WG", "WORKGROUP"),
        ("po", "before"),
        ("same-wg", "together"),
        ("sr", "incl"),
    ] {
        same(one, other);
    }
    assert_eq!(
        BaseRelation::from_name("addr", model.signature),
        None,
        "the text has no line of dependencies"
    );
    // What is printed reads back.
    let printed = model.to_string();
    assert_eq!(self::model("again", &printed).to_string(), printed);
}

#[test]
fn some_models_do_not_know_the_optional_scope() {
    let acyclic = "machine \"m\" acyclic po as a";
    assert!(!model("old", acyclic).knows_clusters() && !model("older", acyclic).knows_clusters());
    assert!(model("new", acyclic).knows_clusters());
    assert!(
        model("old", "machine \"m\" acyclic po | same-wg as a").knows_clusters(),
        "it names the scope"
    );
    assert!(
        model("old", "machine \"m\" acyclic po | [WG] as a").knows_clusters(),
        "it names the scope"
    );
    assert_eq!(model("old", acyclic).scopes(), [Scope::Warp, Scope::Gpu, Scope::Sys]);
}

/// Two writes of one location by two threads, and two full fences.
fn execution() -> Execution {
    let machine = machine();
    let full = machine.instruction("fence.full").expect("a fence").order;
    let event = |kind, thread: Option<u16>, order, scope| EventData {
        location: (kind != Kind::Fence).then_some(0),
        value: (kind != Kind::Fence).then_some(i64::from(thread.is_some())),
        scope,
        ..EventData::new(kind, thread, order)
    };
    let events = vec![
        event(Kind::Write, Some(0), Order::Plain, None),
        event(Kind::Fence, Some(0), full, Some(Scope::Sys)),
        event(Kind::Write, Some(1), Order::Plain, None),
        event(Kind::Fence, Some(1), full, Some(Scope::Sys)),
        event(Kind::Init, None, Order::Plain, None),
    ];
    let location = Location { name: "x".to_owned(), physical: 0, atomic: false };
    let mut execution =
        Execution::new(machine, events, vec![Placement::default(); 2], vec![location]);
    execution.co = pairs(&[(4, 0), (4, 2)]);
    execution.sync_fence = pairs(&[(1, 3)]);
    execution
}

fn pairs(pairs: &[(u16, u16)]) -> BitMatrix {
    BitMatrix::from_pairs(5, pairs.iter().map(|&(a, b)| (Event(a), Event(b))))
}

#[test]
fn executions_are_well_formed_by_what_is_chosen() {
    assert_eq!(violations(&execution()), Vec::<String>::new(), "coherence order is partial");
    for (damage, expected) in [
        (
            (|x: &mut Execution| x.sync_fence = pairs(&[(0, 3)])) as fn(&mut Execution),
            "relates the fences that its text says (events 0 and 3)",
        ),
        (|x| x.sync_fence = pairs(&[(1, 3), (3, 1)]), "fence sc order has no cycle"),
        (
            |x| x.events[1].order = machine().instruction("fence.both").expect("a fence").order,
            "relates the fences",
        ),
        (|x| x.co = pairs(&[(4, 0)]), "the initial write is first"),
    ] {
        let mut damaged = execution();
        damage(&mut damaged);
        let found = violations(&damaged);
        assert!(found.iter().any(|f| f.contains(expected)), "{expected}: {found:?}");
    }
    // The same text with total coherence does not allow it, and with no order of fences none.
    for (from, to, expected) in [
        ("coherence partial\n", "", "coherence order is total"),
        ("coherence partial\n", "coherence total\n", "coherence order is total"),
    ] {
        let mut total = execution();
        total.signature =
            read("total", &TEXT.replace(from, to)).unwrap_or_else(|e| panic!("{e:?}"));
        for event in &mut total.events {
            if event.kind == Kind::Fence {
                event.order = total.signature.instruction("fence.full").expect("a fence").order;
            }
        }
        let found = violations(&total);
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }
}

#[test]
fn pictures_call_relations_as_the_text_does() {
    let picture = Picture::of("a picture", &execution(), None);
    let labels: Vec<&str> = picture.edges.iter().map(|e| e.label.as_str()).collect();
    assert!(
        labels.contains(&"before") && labels.contains(&"fence-order") && !labels.contains(&"po"),
        "{labels:?}"
    );
    // They look like what they are, whatever they are called.
    let drawn = svg(&execution(), &picture);
    for part in ["edge po", "edge sync", "before program order", "fence-order Fence-SC order"] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    assert!(!drawn.contains("(of the model)"), "{drawn}");
}

/// A line and column, and what is said; each text is a line put behind some of the lines of the
/// machine.
#[test]
fn texts_that_are_wrong() {
    let cases = [
        ("coherence", "7:10", "expected total or partial", "coherence partial"),
        ("coherence some", "7:11", "expected total or partial, not `some`", "coherence partial"),
        ("coherence partial total", "7:19", "unexpected text behind it", "coherence partial"),
        ("coherence total\ncoherence partial", "8:1", "a second line `coherence`", "drop one"),
        ("chosen", "7:7", "expected `sync_fence`", "chosen sync_fence on TAG"),
        ("chosen co on SC", "7:8", "expected `sync_fence`, not `co`", "rf and co are chosen"),
        ("chosen sync_fence", "7:18", "expected `on`", "chosen sync_fence on TAG"),
        ("chosen sync_fence of SC", "7:19", "expected `on`", "chosen sync_fence on TAG"),
        ("chosen sync_fence on", "7:21", "expected a tag of fences", "chosen sync_fence on TAG"),
        (
            "chosen sync_fence on SC RLX",
            "7:25",
            "unexpected text behind it",
            "chosen sync_fence on TAG",
        ),
        ("chosen sync_fence on SD", "7:22", "unknown tag `SD`", "did you mean `SC`?"),
        (
            "chosen sync_fence on ACQ",
            "7:22",
            "fences do not carry the tag `ACQ`",
            "which events it is",
        ),
        (
            "barrier ACQ",
            "7:12",
            "expected the tag of arrivals and the tag of waits",
            "barrier ARRIVAL WAIT",
        ),
        (
            "barrier ACQ ACQ ACQ",
            "7:17",
            "expected the tag of arrivals and the tag of waits",
            "barrier ARRIVAL WAIT",
        ),
        ("barrier ACK ACQ", "7:9", "unknown tag `ACK`", "did you mean `ACQ`?"),
        (
            "chosen sync_fence on SC\nchosen sync_fence on SC",
            "8:1",
            "a second line `chosen`",
            "drop one",
        ),
        ("halves", "7:7", "expected a tag, `=`, and the tags of both halves", "halves TAG ="),
        (
            "halves ACQ ACQ REL",
            "7:12",
            "expected a tag, `=`, and the tags of both halves",
            "halves TAG =",
        ),
        (
            "halves ACQ = ACQ",
            "7:17",
            "expected a tag, `=`, and the tags of both halves",
            "halves TAG =",
        ),
        (
            "halves ACQ = ACQ REL SC",
            "7:22",
            "expected a tag, `=`, and the tags of both halves",
            "halves TAG =",
        ),
        (
            "halves ACQ = REL ACQ",
            "7:14",
            "a read does not carry the tag `REL`",
            "which events it is",
        ),
        (
            "halves ACQ = ACQ ACQ",
            "7:18",
            "a write does not carry the tag `ACQ`",
            "which events it is",
        ),
        (
            "halves SC = ACQ REL\nhalves SC = ACQ REL",
            "8:8",
            "a second line `halves` of `SC`",
            "drop one",
        ),
        (
            "rmw swap ACQ\nhalves ACQ = ACQ REL",
            "8:8",
            "`swap` above has the tag `ACQ` already",
            "above the first instruction",
        ),
        ("optional", "7:9", "expected the name of a scope", "optional SCOPE if named"),
        ("optional wgg if named", "7:10", "unknown scope `wgg`", "did you mean `wg`?"),
        ("optional all if named", "7:10", "`all` cannot be optional", "every model knows it"),
        ("optional wg", "7:12", "expected `if named` or `except`", "optional SCOPE if named"),
        (
            "optional wg if needed",
            "7:13",
            "expected `if named` or `except`",
            "optional SCOPE if named",
        ),
        ("optional wg except", "7:19", "expected the names of models", "optional SCOPE if named"),
        (
            "optional wg if named\noptional wg if named",
            "8:1",
            "a second optional scope",
            "drop a line",
        ),
        ("sets", "7:5", "expected the name of a set", "sets and some of"),
        ("sets NAA", "7:6", "unknown set `NAA`", "did you mean `NA`?"),
        (
            "sets SHARED",
            "7:6",
            "unknown set `SHARED`",
            "a text can pick NA, WEAK, A, MFENCE, B, WAIT",
        ),
        ("sets NA|RMW", "7:9", "`RMW` is the name of something else already", "choose another"),
        ("sets NA|SC", "7:9", "`SC` is the name of something else already", "choose another"),
        ("sets NA|7", "7:9", "`7` is no name", "a letter first"),
        ("sets NA|QUIET\ntag QUIET on R", "8:5", "`QUIET` is no name for a tag", "has this name"),
        ("relations", "7:10", "expected the name of a relation", "relations and some"),
        ("relations syncbar", "7:11", "unknown relation `syncbar`", ""),
        ("relations po|sb", "7:14", "`sb` is the name of something else already", "choose another"),
        (
            "relations same-wg|po",
            "7:19",
            "`po` is the name of something else already",
            "choose another",
        ),
        (
            "print",
            "7:6",
            "expected a relation, `as`, and what it is called",
            "print RELATION as NAME",
        ),
        (
            "print po sb",
            "7:10",
            "expected a relation, `as`, and what it is called",
            "print RELATION as NAME",
        ),
        (
            "print po as",
            "7:12",
            "expected a relation, `as`, and what it is called",
            "print RELATION as NAME",
        ),
        ("print sync_fence as sc", "7:7", "unknown relation `sync_fence`", ""),
        ("print po as 1", "7:13", "`1` is no name", "a letter first"),
        ("print po as sb\nprint po as before", "8:7", "a second line `print po`", "drop one"),
        (
            "print architecture as Toy",
            "7:1",
            "is for architectures with a front end",
            "drop the line",
        ),
        ("front-end ptx", "7:1", "no front end reads tests of this architecture", "drop the line"),
        ("words TOY", "7:1", "`words` is for architectures with a front end", "drop the line"),
        (
            "well-formed toy.cat",
            "7:1",
            "`well-formed` is for architectures with a front end",
            "drop the line",
        ),
        (
            "read exists",
            "7:6",
            "`exists` is no mnemonic",
            "that mapping rows and litmus tests have",
        ),
        (
            "read locations",
            "7:6",
            "`locations` is no mnemonic",
            "that mapping rows and litmus tests have",
        ),
        ("rmw filter", "7:5", "`filter` is no mnemonic", "that mapping rows and litmus tests have"),
        (
            "fence forall",
            "7:7",
            "`forall` is no mnemonic",
            "that mapping rows and litmus tests have",
        ),
        ("tag let on R", "7:5", "`let` is no name for a tag", "no word of the language"),
        ("tag A| on R", "7:7", "`` is no name for a tag", "a letter first"),
        ("tag QUICK|ACQ on R", "7:11", "two tags `ACQ`", "drop one"),
    ];
    for (line, place, message, help) in cases {
        let text = format!(
            "architecture \"toy\"\ntag ACQ on R\ntag REL on W\ntag SC on R W F\norder ACQ < SC\nscopes wg < all\n{line}\n\
             read ld scoped\nread ld.acq ACQ\nwrite st\nwrite st.rel REL\nfence full SC\n"
        );
        let errors = read("toy", &text).expect_err(line);
        let said = errors[0].to_string();
        assert!(
            said.contains(&format!("toy.arch:{place}: ")) && said.contains(message),
            "{line}\n{said}"
        );
        assert!(
            errors[0].help.as_ref().is_some_and(|h| h.contains(help)),
            "{line}\n{said}\n{:?}",
            errors[0].help
        );
    }
}

/// Likewise of the lines that say how assembly is written.
#[test]
fn lines_of_assembly_that_are_wrong() {
    let cases = [
        ("comments", "7:9", "expected what begins a comment, in quotes", "comments and in quotes"),
        (
            "comments @",
            "7:10",
            "expected what begins a comment, in quotes",
            "comments and in quotes",
        ),
        (
            "parameters stack x9",
            "7:11",
            "expected the registers of a function's parameters",
            "stack",
        ),
        (
            "parameters x0..x3 stack q",
            "7:25",
            "there is no register `q`",
            "in a line `registers` above",
        ),
        (
            "parameters x0..x3 stack x9 open w0",
            "7:33",
            "`w0` does not say anything here",
            "the register of the return address, `open`",
        ),
        (
            "parameters x0..x3 kept open",
            "7:23",
            "expected the registers that a function gives back",
            "the caller's",
        ),
        (
            "parameters x0..x3 kept x9 q1",
            "7:27",
            "there is no register `q1`",
            "in a line `registers` above",
        ),
        (
            "parameters x0..x3 stack x9 kept x9",
            "7:1",
            "`x9` is the stack pointer",
            "drop it behind `kept`",
        ),
        (
            "parameters x0..x3 kept x9..x5",
            "7:24",
            "`x9..x5` is no range of registers",
            "a range has one name",
        ),
        (
            "registers 8 b0..b9 part",
            "7:10",
            "`part` says of which registers they are parts",
            "name the whole registers",
        ),
        (
            "instruction \"add <r>\" = \"add<u:r1> <r>, <r>, 1\"",
            "7:25",
            "the pattern has no slot `<r1>`",
            "one of the pattern",
        ),
        (
            "instruction \"add <r>\" = \"mov <=x0:r1>, <r>\"",
            "7:25",
            "the pattern has no slot `<r1>`",
            "one of the pattern",
        ),
        ("each l = b/8 w/32", "7:6", "`<l>` is a slot of patterns", "choose another name"),
        ("each r1 = b/8 w/32", "7:6", "`<r1>` is a slot of patterns", "choose another name"),
        (
            "instruction \"load<width> <r>, <m>\" = \"ld <r>, <m>\"",
            "7:13",
            "no slot is called so",
            "lines `each` above",
        ),
        (
            "instruction \"load<pair> <r>, <m>\" = \"ld <r>, <m>\"",
            "7:13",
            "no slot is called so",
            "lines `each` above",
        ),
        (
            "instruction \"add <r>\" = \"mov <r>, 1\" wide big",
            "7:25",
            "`big` is no number of bits",
            "with widths, or a number",
        ),
        (
            "instruction \"add <r>\" = \"mov <r>, 1\" wide <wd>",
            "7:25",
            "no pattern of the line has `<wd>`",
            "that the pattern has",
        ),
        (
            "instruction \"add <r>\" = \"mov <r>, 1\" wide",
            "7:38",
            "expected `size` or `wide` and a width",
            "instruction",
        ),
        (
            "instruction \"add <r>\" = \"mov <r>, 1\" width 8",
            "7:38",
            "expected `size` or `wide` and a width",
            "instruction",
        ),
        ("comments \"@\" \" \"", "7:14", "nothing begins no comment", "comments and in quotes"),
    ];
    for (line, place, message, help) in cases {
        let text = format!(
            "architecture \"toy\"\nread ld\nwrite st\nassembly TOY\nregisters 64 x0..x9\nregisters 32 w0..w9 in x0..x9\n{line}\n\
             address \"(<r>)\" = \"[<r>]\"\ninstruction \"load <r>, <m>\" = \"ld <r>, <m>\" size <r>\n"
        );
        let errors = read("toy", &text).expect_err(line);
        let said = errors[0].to_string();
        assert!(
            said.contains(&format!("toy.arch:{place}: ")) && said.contains(message),
            "{line}\n{said}"
        );
        assert!(
            errors[0].help.as_ref().is_some_and(|h| h.contains(help)),
            "{line}\n{said}\n{:?}",
            errors[0].help
        );
    }
    let early = read("toy", "architecture \"toy\"\ncomments \"#\"\nread ld\nwrite st\n")
        .expect_err("too early");
    assert!(
        early[0]
            .to_string()
            .contains("toy.arch:2:1: error: `comments` stands below a line `assembly`"),
        "{}",
        early[0]
    );
}

/// Names that are taken by a line above, whichever of the two lines comes first.
#[test]
fn names_of_two_things() {
    for (lines, place, message) in [
        (
            "relations po|same-wg\nscopes wg < all\nread ld scoped",
            "3:8",
            "`wg` is no name for a scope",
        ),
        ("sets NA|WG\nscopes wg < all\nread ld scoped", "3:8", "`wg` is no name for a scope"),
        (
            "scopes wg|work < all\nsets NA|WORK\nread ld scoped",
            "3:9",
            "`WORK` is the name of something else already",
        ),
        ("scopes wg|work|wg < all\nread ld scoped", "2:16", "two scopes `wg`"),
        ("scopes wg|work < work\nread ld scoped", "2:18", "two scopes `work`"),
        ("scopes wg| < all\nread ld scoped", "2:11", "`` is no name for a scope"),
        (
            "scopes wg|work < all\ntag ACQ on R\nread ld scoped\nread ld.work ACQ",
            "5:6",
            "`ld.work` is `ld` with a scope",
        ),
    ] {
        let said = read("toy", &format!("architecture \"toy\"\n{lines}\nwrite st\n"))
            .expect_err(lines)[0]
            .to_string();
        assert!(
            said.contains(&format!("toy.arch:{place}: ")) && said.contains(message),
            "{lines}\n{said}"
        );
    }
}

/// The texts of PTX, C and plain executions have what their front ends make.
#[test]
fn architectures_with_a_front_end() {
    let words: Vec<_> =
        Architecture::FRONT_ENDS.iter().map(|a| (a.word(), a.front_end(), a.header())).collect();
    assert_eq!(
        words,
        [("plain", Some("generic"), "Generic"), ("C", Some("c"), "C"), ("PTX", Some("ptx"), "PTX")]
    );
    let named = |a: Architecture| {
        a.constructs().into_iter().map(|c| c.name(a)).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(named(Architecture::PLAIN), "R W RMW F");
    assert_eq!(
        named(Architecture::C),
        "R.NA R.RLX R.ACQ R.SC W.NA W.RLX W.REL W.SC RMW.RLX RMW.ACQ RMW.REL RMW.ACQ_REL RMW.SC F.ACQ F.REL F.ACQ_REL F.SC"
    );
    for architecture in Architecture::FRONT_ENDS {
        for construct in architecture.constructs() {
            assert_eq!(
                construct.has_scope(architecture),
                construct.order != Order::Plain,
                "{construct:?}"
            );
            assert!(!matches!(construct.order, Order::Tagged(_)), "{construct:?}");
        }
    }
    // An order that no instruction of the operation has: the scope goes with the order.
    let relaxed_fence = Construct { operation: Operation::Fence, order: Order::Rlx };
    assert!(relaxed_fence.has_scope(Architecture::C));
    assert_eq!(relaxed_fence.name(Architecture::C), "F.RLX");
}
