//! Tables: what is written reads back as what was extracted, and differences are found.

use std::time::Duration;

use margay_extract::compile::{CompileCommand, SilentExtraction, compile};
use margay_extract::front::FrontEnd;
use margay_extract::table::{Models, Table, against, map};
use margay_mappings::language::{LoadOptions, Mapping, load_text};
use margay_models::diagnostic::SourceFile;

/// C-like lines that awk compiles: what a row becomes is in `rules`, awk that may set `before`,
/// `name`, `after` and `bits`.
fn table(rules: &str) -> Table {
    const LANGUAGE: &str = r##"
title = "lines"
suffix = ".txt"
command = "cp {in} {out}"
architectures = ["sm_90"]
comment = "#"
[scopes]
cta = "cta"
gpu = "gpu"
sys = "sys"
[orders]
RLX = "relaxed"
ACQ = "acquire"
REL = "release"
ACQ_REL = "acq_rel"
SC = "sc"
[types]
b8 = "8"
b32 = "32"
b64 = "64"
[function]
begin = "{name} "
end = ""
pointer = ""
[plain]
load = "ld weak - {bits}\n"
store = "st weak - {bits}\n"
[statements]
load = "ld {order} {scope} {bits}\n"
store = "st {order} {scope} {bits}\n"
fence = "fence {order} {scope} 0\n"
swap = "cas {order} {scope} {bits} {failure}\n"
exch = "exch {order} {scope} {bits}\n"
add = "add {order} {scope} {bits}\n"
"##;
    let front = FrontEnd::read("lines", &SourceFile::new("lines.toml", LANGUAGE))
        .unwrap_or_else(|e| panic!("{e:?}"));
    let program = format!(
        r#"BEGIN {{ print ".version 8.4\n.target sm_90\n.address_size 64" }}
        {{ order = $3; scope = $4; bits = $5; before = ""; after = "";
           if (order == "sc" && $2 != "fence") {{ before = "fence.sc." scope ";"; order = ($2 == "st") ? "release" : "acquire" }}
           qualifier = (order == "weak") ? "weak" : order "." scope;
           {rules}
           print ".visible .func " $1 "(.param .b64 a, .param .b64 b) {{ .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %p<2>; ld.param.u64 %d1, [a];" before;
           if ($2 == "ld") print "ld." qualifier ".b" bits " %r1, [%d1];";
           if ($2 == "st") print "st." qualifier ".b" bits " [%d1], %r1;";
           if ($2 == "fence") print "fence." qualifier ";";
           if ($2 == "cas") print "atom.cas." qualifier ".b" bits " %r3, [%d1], %r1, %r2;";
           if ($2 == "exch" || $2 == "add") print "atom." $2 "." qualifier ".b" bits " %r3, [%d1], %r1;";
           print after " ret; }}" }}"#
    );
    let command = CompileCommand {
        template: format!("awk '{}' {{in}} > {{out}}", program.replace('\'', "'\\''")),
        worker: false,
        compiler: None,
        architecture: "sm_90".to_owned(),
        assembly: None,
        words: Vec::new(),
        limit: Duration::from_secs(60),
    };
    let outcome =
        compile(&front, &command, &front.points(), 2, &SilentExtraction).expect("awk runs");
    Table::new(&front, &command, "awk 1.0".to_owned(), &outcome)
}

fn mapping(text: &str) -> Mapping {
    load_text(&SourceFile::new("extracted.map", text), None, &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{text}\n{e:#?}"))
        .mapping
}

const RULES: [&str; 5] = [
    "",
    // Another lowering for one width, of another size.
    r#"if (bits == 8 && $2 != "ld" && $2 != "st") { bits = 32; after = "fence.acq_rel.gpu;" }"#,
    // One scope is lowered in another way; an operation and a pair of orders, too.
    r#"if (scope == "cta" && $2 == "ld") qualifier = "volatile"; if ($2 == "add" && bits == 64) qualifier = "relaxed." scope;
       if ($2 == "cas" && $3 == "release" && $6 == "acquire") qualifier = "acq_rel." scope"#,
    // Something that no row can say, and defaults.
    r#"if ($2 == "st" && bits == 8) after = "bar.sync 0;"; if ($2 == "exch") qualifier = "release""#,
    // Everything of one scope, whatever is asked.
    r#"if (scope != "-") sub(/(cta|gpu|sys)$/, "sys", qualifier)"#,
];

/// What Margay writes, it reads: every row of the table is in the mapping, and the mapping printed
/// again is the same.
#[test]
fn tables_read_back() {
    for rules in RULES {
        let table = table(rules);
        let text = map(&table, &Models::default());
        let read = mapping(&text);
        let compared = against(&table, &read);
        assert!(compared.differ.is_empty(), "{rules}\n{text}\n{:#?}", compared.differ.first());
        assert_eq!(compared.unsaid, 0, "{text}");
        let printed = read.to_string();
        let again = mapping(&printed);
        assert!(against(&table, &again).differ.is_empty(), "{printed}");
        assert_eq!(again.to_string(), printed);
        assert_eq!(text.contains("=> other "), printed.contains("=> other "), "{printed}");
        assert_eq!(read.about.architecture.as_deref(), Some("sm_90"));
        assert!(read.assumed().is_empty());
    }
}

/// Every change of the compiler is found in the table before it, and in no other rows.
#[test]
fn changes_are_found() {
    let first = table(RULES[0]);
    let before = mapping(&map(&first, &Models::default()));
    for rules in &RULES[1..] {
        let after = table(rules);
        let compared = against(&after, &before);
        assert!(!compared.differ.is_empty(), "{rules}");
        for (old, new) in first.rows.iter().zip(&after.rows) {
            let differs = compared.differ.iter().any(|d| d.measured.row.slot == new.row.slot);
            // A default that is written out is no difference; RULES[3] has one.
            assert!(
                differs == (old.row.answer != new.row.answer) || *rules == RULES[3],
                "{rules}: {}",
                new.row.slot
            );
        }
    }
}

/// What a table says it does not know is not said to be absent: `other` has its own words, and one
/// is not the other.
#[test]
fn what_no_row_can_say_is_not_absent() {
    let other = r#"if ($2 == "st" && bits == 8) after = "bar.sync 0;""#;
    let table = [table(RULES[0]), table(other)];
    let texts = table.each_ref().map(|table| map(table, &Models::default()));
    let differences = |of: usize, before: &str| -> Vec<[String; 2]> {
        let before = mapping(before);
        against(&table[of], &before).differ.into_iter().map(|d| [d.emitted, d.expected]).collect()
    };
    let is_other =
        |text: &str| text.starts_with("code that no row can describe") && text.contains("bar.sync");
    let mended = differences(0, &texts[1]);
    assert!(
        !mended.is_empty()
            && mended.iter().all(|[now, before]| now.contains("st.") && is_other(before)),
        "{mended:?}"
    );
    let broken = differences(1, &texts[0]);
    assert!(
        !broken.is_empty()
            && broken.iter().all(|[now, before]| is_other(now) && before.contains("st.")),
        "{broken:?}"
    );
    assert_eq!(broken.len(), mended.len());
    // Where a table says that there is no such operation, and it compiles to something.
    let absent: String = texts[1]
        .lines()
        .map(|line| match line.split_once("=> other ") {
            Some((head, _)) => format!("{head}=> absent\n"),
            None => format!("{line}\n"),
        })
        .collect();
    assert_ne!(absent, texts[1]);
    let found = differences(1, &absent);
    assert!(
        found.len() == broken.len()
            && found.iter().all(|[now, before]| is_other(now) && before == "absent"),
        "{found:?}"
    );
    let found = differences(0, &absent);
    assert!(
        found.len() == broken.len()
            && found.iter().all(|[now, before]| now.contains("st.") && before == "absent"),
        "{found:?}"
    );
}

/// `clang` prints PTX and assembly: of a machine that no front end knows the model that is asked
/// for says which.
#[test]
fn a_machine_that_nobody_knows_is_a_cpu_where_its_model_is_of_one() {
    use margay_extract::front;
    let clang = || front::find("clang").unwrap_or_else(|e| panic!("{}", e[0]));
    let asked = |architecture: &str, of_cpu: bool| {
        front::for_architecture(clang(), architecture, of_cpu)
            .unwrap_or_else(|e| panic!("{}", e[0]))
            .prints_assembly()
    };
    assert!(asked("z196", true) && asked("aarch64", false));
    assert!(!asked("z196", false) && !asked("sm_90", false));
}
