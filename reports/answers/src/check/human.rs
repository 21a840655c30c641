//! The report for people: the answer first, then what shows it.

use std::io;

use margay_console::output::Output;
use margay_console::side_by_side::side_by_side;
use margay_console::table::{number, table};
use margay_console::wrapped::{indented, wrapped};
use margay_mappings::check::{
    AxiomEffort, CheckOptions, CheckReport, CheckVerdict, CoReading, Level, Listed,
};
use margay_mappings::language::Mapping;
use margay_models::picture::text;

use margay_reports::change::RowChangeRecord;

use super::present::{CheckContext, PresentedCounterexample};
use crate::headline::{Headline, Tone, events};
use crate::restriction::{Restriction, supposes};

/// The file of a mapping, its models, and the files that they are from. A table that was copied and
/// edited still has the title of the first one.
pub(crate) fn between(Mapping { file, source, target, .. }: &Mapping) -> String {
    format!(
        "{}: {} ({}) -> {} ({})",
        file.name, source.name, source.source.name, target.name, target.source.name
    )
}

/// Prints the report.
pub fn print(
    context: &CheckContext<'_>,
    presented: &[PresentedCounterexample<'_>],
    output: &Output,
) -> io::Result<()> {
    output.headline(&answer(context).painted(*output))?;
    let supposed = supposes(context.mapping, &context.report.constructs, context.options.typed);
    let supposed = supposed.map_or(String::new(), |words| format!("; {words}"));
    output.headline(&format!("{}{supposed}", between(context.mapping)))?;
    if let CheckVerdict::Undecided(why) = &context.report.verdict {
        output.print(&wrapped(&format!("Undecided because: {why}."), output.width()))?;
    }
    for (i, shown) in presented.iter().enumerate() {
        numbered(context.mapping, shown, position(context, shown, (i, presented.len())), output)?;
    }
    for candidate in &context.report.candidates {
        output.print("")?;
        output.print(&output.heading("Proposed when the limit was reached, and not decided"))?;
        output.print("")?;
        output.print(candidate)?;
    }
    if let Some(assumed) = &context.assumed {
        output.print("")?;
        output.print(&wrapped(&assumed.words(), output.width()))?;
    }
    if output.verbose {
        output.print("")?;
        output.print(&effort(context, *output))?;
    }
    if let (Some(certified), Some(folder)) = (&context.report.certified, &context.options.certify) {
        output.print("")?;
        let nothing = if context.options.baseline.is_some() { "none that is new" } else { "none" };
        let said = crate::certificate::written(certified, nothing, folder);
        output.print(&wrapped(&said, output.width()))?;
    }
    output.print("")?;
    let meaning = if output.verbose { meaning(context) } else { short(context) };
    meaning.lines().try_for_each(|line| output.print(&wrapped(line, output.width())))
}

/// Which counterexample it is, of how many, where there is more than one to speak of.
fn position(
    context: &CheckContext<'_>,
    shown: &PresentedCounterexample<'_>,
    (at, of): (usize, usize),
) -> Option<String> {
    let listed =
        context.report.listed.iter().find(|l| is_of(&l.axiom, &shown.counterexample.axiom));
    match (listed, context.options.next) {
        (Some(listed), Some(next)) => {
            let more = if listed.more { "more than " } else { "" };
            Some(format!("{} of {more}{}", number(next as u64 + 1), number(listed.of as u64)))
        }
        _ => (of > 1).then(|| format!("{} of {of}", at + 1)),
    }
}

/// The option that shows the next counterexample, unless the list is at its end.
fn another(context: &CheckContext<'_>) -> Option<String> {
    match (context.options.next, context.options.all) {
        (Some(next), _) => context
            .report
            .listed
            .iter()
            .any(|l| l.more || l.of > next + 1)
            .then(|| format!("--next {}", next + 1)),
        (None, all) => all.is_none().then(|| "--next".to_owned()),
    }
}

/// Is the axiom one of a question's, which are taken together at program level?
fn is_of(question: &str, axiom: &str) -> bool {
    question.split(" & ").any(|name| name == axiom)
}

/// So many rows that would mend a counterexample are named.
const SHOWN: usize = 2;

/// The last lines where nothing more was asked for: what the answer covers, where more is said, and
/// what to do next.
fn short(context: &CheckContext<'_>) -> String {
    let report = context.report;
    let mut out = match report.verdict {
        CheckVerdict::Counterexample if context.options.baseline.is_some() => {
            "No new one has fewer events. The judge, which shares no code with the search, confirms this one.\n".to_owned()
        }
        CheckVerdict::Counterexample => {
            "None has fewer events. The judge, which shares no code with the search, confirms this one.\n".to_owned()
        }
        CheckVerdict::None => "No proof for larger programs: docs/beyond-the-bound.md says what follows. ".to_owned(),
        CheckVerdict::Undecided(_) => String::new(),
    };
    if !context.options.without.is_empty() || !context.options.only.is_empty() {
        out.push_str(&format!("Programs were made of {}. ", report.constructs.join(", ")));
    }
    if report.truncated {
        out.push_str("There are more counterexamples than are shown. ");
    }
    out.push_str(&not_asked(context));
    if let Some(baseline) = &context.options.baseline {
        out.push_str(&beside(report.old, &baseline.baseline.file.name));
    }
    if report.foremost().is_some() {
        let another = another(context)
            .map_or(String::new(), |option| format!("`{option}` shows another one, "));
        let all = format!("`margay repair {}`", context.asked_as);
        out.push_str(&match context.mended_by() {
            Some(changes) => {
                let row = |c: &RowChangeRecord| format!("`{} => {}`", c.row, c.after);
                let mut rows =
                    changes.iter().take(SHOWN).map(row).collect::<Vec<_>>().join(" and ");
                if changes.len() > SHOWN {
                    rows.push_str(&format!(", with {} rows more,", changes.len() - SHOWN));
                }
                format!("{rows} would mend this one; {all} looks at all programs. ")
            }
            None => format!("{all} finds what mends it. "),
        });
        out.push_str(&format!("{another}`--out DIR` writes files and pictures. "));
    }
    // A sum of nothing is -0.
    let cpu = report
        .axioms
        .iter()
        .flat_map(|a| &a.rows)
        .map(|r| r.seconds)
        .fold(0.0, |sum, seconds| sum + seconds);
    out.push_str(&format!("{:.1} s ({cpu:.1} s of CPU). `-v` says more.", context.seconds));
    out
}

/// What of the table was not asked about, beside a counterexample: there may be one in it with
/// fewer events. (The first line of an answer that found nothing says so itself.)
fn not_asked(context: &CheckContext<'_>) -> String {
    if context.report.verdict != CheckVerdict::Counterexample {
        return String::new();
    }
    let left = context.mapping.rows_not_asked_in_words(Some(&context.report.constructs));
    left.split("; ")
        .filter(|part| !part.is_empty())
        .map(|part| format!("Of the table, {part}. "))
        .collect()
}

/// What the search met of a baseline.
fn beside(old: usize, baseline: &str) -> String {
    match old {
        0 => format!("No counterexample was met that {baseline} has, too. "),
        1 => format!("One counterexample was met that {baseline} has, too, and left out. "),
        n => format!(
            "{} counterexamples were met that {baseline} has, too, and left out. ",
            number(n as u64)
        ),
    }
}

/// The first line of a check that found nothing, or was not decided; `then` says what follows.
/// `None` for a counterexample, of which more is said.
pub fn without_counterexample(
    mapping: &Mapping,
    report: &CheckReport,
    options: &CheckOptions,
    then: &str,
) -> Option<Headline> {
    let restriction = Restriction::of_check(options);
    // What was not asked about matters where nothing was found.
    let subject =
        format!("{}{}", mapping.title, mapping.not_asked_in_words(Some(&report.constructs)));
    let line = |tone, found: &str, rest: &str| {
        Some(Headline::new(tone, found, &format!("{rest}{then}"), &restriction, &subject))
    };
    let (established, level) = (report.established, level(options));
    let none =
        if options.baseline.is_some() { "no new counterexample" } else { "no counterexample" };
    match &report.verdict {
        CheckVerdict::None => line(
            Tone::Good,
            none,
            &format!(" up to {established}{level}", established = events(established)),
        ),
        CheckVerdict::Counterexample => None,
        CheckVerdict::Undecided(_) => line(Tone::Unsure, "undecided", &{
            let proposed = if report.candidates.is_empty() {
                ""
            } else {
                "; a larger one was proposed, and not decided"
            };
            match established {
                0 => "; no size was searched to its end".to_owned(),
                n => format!(", but {none} up to {n}{level}{proposed}", n = events(n)),
            }
        }),
    }
}

/// The first line.
pub fn answer(context: &CheckContext<'_>) -> Headline {
    if let Some(line) = without_counterexample(context.mapping, context.report, context.options, "")
    {
        return line;
    }
    let restriction = Restriction::of_check(context.options);
    let line = |tone, found: &str, rest: &str| {
        Headline::new(tone, found, rest, &restriction, &context.mapping.title)
    };
    match context.report.foremost() {
        Some(first) => {
            let tone = if first.status.is_bug() { Tone::Bad } else { Tone::Unsure };
            let new = if context.options.baseline.is_some() { "new " } else { "" };
            let found = format!(
                "{new}counterexample with {} ({})",
                events(first.events),
                first.status.words()
            );
            line(tone, &found, &format!(", axiom {}", first.axiom))
        }
        None => {
            // `--next` asked for one behind the last.
            let count = |l: &Listed| format!(" {} with {}", number(l.of as u64), events(l.events));
            let all: Vec<String> = context.report.listed.iter().map(count).collect();
            line(
                Tone::Bad,
                "no other counterexample",
                &format!(" (there {}{})", verb(&context.report.listed), all.join(",")),
            )
        }
    }
}

/// `is` for one counterexample, `are` for more.
fn verb(listed: &[Listed]) -> &'static str {
    if listed.iter().map(|l| l.of).sum::<usize>() == 1 { "is" } else { "are" }
}

/// What is said of the question where it is not the usual one.
fn level(options: &CheckOptions) -> &'static str {
    match options.level {
        Level::Program => "",
        Level::Execution => " among single executions (the published question)",
    }
}

/// Prints a counterexample.
pub fn counterexample(
    mapping: &Mapping,
    shown: &PresentedCounterexample<'_>,
    output: &Output,
) -> io::Result<()> {
    numbered(mapping, shown, None, output)
}

fn numbered(
    mapping: &Mapping,
    shown: &PresentedCounterexample<'_>,
    position: Option<String>,
    output: &Output,
) -> io::Result<()> {
    let c = shown.counterexample;
    output.print("")?;
    // The first line of the answer says this of a single compiler bug.
    if position.is_some() || !c.status.is_bug() || output.verbose {
        let of = position.map_or(String::new(), |position| format!(" {position}"));
        let heading = format!(
            "Counterexample{of}: {} of {} fails with {}",
            c.axiom,
            mapping.source.name,
            events(c.events)
        );
        output.print(&output.heading(&heading))?;
        output.print(&wrapped(&shown.standing(), output.width()))?;
        output.print("")?;
    }
    let (left, right) = (
        format!("source, forbidden by {}", mapping.source.name),
        format!("target, allowed by {}", mapping.target.name),
    );
    // The comment of a test says what the title over it says.
    let bare = |test: &str| {
        test.lines().filter(|line| !line.starts_with('"')).collect::<Vec<_>>().join("\n")
    };
    output.print(&side_by_side(
        (&left, &bare(&shown.source)),
        (&right, &bare(&shown.target)),
        output.width(),
    ))?;
    output.print("")?;
    if output.verbose {
        output.print(&format!("{} {}", output.heading("Outcome"), shown.outcome))?;
        output.print("")?;
    }
    if !shown.rows.is_empty() {
        output.print(&output.heading("Rows"))?;
        for line in &shown.rows {
            output.print(&indented(&format!("  {line}"), output.width()))?;
        }
        output.print("")?;
    }
    output.print(
        &output.heading(&format!("Why {} forbids it (axiom {})", mapping.source.name, c.axiom)),
    )?;
    for line in
        if output.verbose { &shown.explanation } else { std::slice::from_ref(&shown.around) }
    {
        output.print(&indented(&format!("  {line}"), output.width()))?;
    }
    // Its title says what the heading says.
    let picture = text(&c.source, &shown.source_picture, output.width(), output.colour());
    output.print(picture.split_once('\n').map_or("", |(_, drawn)| drawn).trim_end())
}

/// The columns, each with the level that it is of, where it is of one alone (about programs there
/// is one question for all axioms), and the width that a window must have for it.
const COLUMNS: [(&str, Option<Level>, usize); 10] = [
    ("axiom", Some(Level::Execution), 0),
    ("events", None, 0),
    ("answer", None, 0),
    ("shapes", None, 72),
    ("variables", None, 90),
    ("clauses", None, 90),
    ("conflicts", None, 0),
    ("racy", Some(Level::Program), 0),
    ("explained", Some(Level::Program), 0),
    ("CPU s", None, 0),
];

/// The table of axioms and bounds. In a narrow window it has fewer columns; the JSON has all.
fn effort(context: &CheckContext<'_>, output: Output) -> String {
    let columns: Vec<&str> = COLUMNS
        .into_iter()
        .filter(|&(_, level, width)| {
            level.is_none_or(|l| l == context.options.level) && output.width() >= width
        })
        .map(|(name, ..)| name)
        .collect();
    let cell = |r: &AxiomEffort, column: &str| match column {
        "axiom" => r.axiom.clone(),
        "events" => r.bound.to_string(),
        "answer" => match &r.verdict {
            CheckVerdict::None => "none".to_owned(),
            CheckVerdict::Counterexample => "counterexample".to_owned(),
            CheckVerdict::Undecided(_) => "undecided".to_owned(),
        },
        "shapes" if r.shapes == r.all_shapes => r.shapes.to_string(),
        "shapes" => format!("{} of {}", r.shapes, r.all_shapes),
        "variables" => number(r.variables as u64),
        "clauses" => number(r.clauses as u64),
        "conflicts" => number(r.conflicts),
        "racy" => number(r.racy as u64),
        "explained" => number(r.explained as u64),
        _ => format!("{:.2}", r.seconds),
    };
    let all = context.report.axioms.iter().flat_map(|a| &a.rows);
    let rows: Vec<Vec<String>> =
        all.map(|r| columns.iter().map(|c| cell(r, c)).collect()).collect();
    let right: Vec<usize> =
        (0..columns.len()).filter(|&i| !["axiom", "answer"].contains(&columns[i])).collect();
    let mut out = table(&columns, &rows, &right, output.width());
    out.push_str(&format!(
        "\n{:.2} s on {} threads, {}",
        context.seconds,
        context.options.jobs,
        context.options.backend.version()
    ));
    out
}

/// What the answer means, and what it does not establish.
fn meaning(context: &CheckContext<'_>) -> String {
    let mut out = match context.options.level {
        Level::Execution => meaning_of_executions(context.options.co),
        Level::Program => meaning_of_programs(context.options.guards),
    };
    if context.mapping.source.orders_fences() {
        out.push_str(
            "An execution of the source chooses an order of its fences: no order of them makes a counterexample legal. ",
        );
    }
    if !context.options.without.is_empty() || !context.options.only.is_empty() {
        out.push_str(&format!("Programs were made of {}. ", context.report.constructs.join(", ")));
    }
    out.push_str(&not_asked(context));
    if context.report.truncated {
        out.push_str("There are more counterexamples than are shown. ");
    }
    let later: Vec<String> = context
        .report
        .axioms
        .iter()
        .filter(|a| a.verdict == CheckVerdict::None && a.bound < context.options.bound)
        .map(|a| format!("{} holds up to {}", a.axiom, events(a.bound)))
        .collect();
    if context.report.verdict == CheckVerdict::Counterexample && !later.is_empty() {
        out.push_str(&format!(
            "The search ended with the counterexample: {}; `--keep-going` goes on.",
            later.join(", ")
        ));
    }
    out.trim_end().to_owned()
}

const EVENTS: &str =
    "Events are operations of the source; a read-modify-write is two, initial writes are none. ";

fn meaning_of_executions(co: CoReading) -> String {
    let reading = match co {
        CoReading::Universal => {
            "A counterexample is one for some modification order above the target's coherence order (the published statement); \
             `--co exists` asks whether all of them fail. "
        }
        CoReading::Exists => "A counterexample's outcome is explained by no modification order. ",
    };
    format!(
        "{EVENTS}The published question is about single executions: a legal target execution, read back as a source execution without \
         undefined behaviour. {reading}What follows was asked of every counterexample: `program`, its program has no race and no \
         execution with the outcome, a compiler bug; `racy`, it races; `explained`, another modification order allows the outcome. One that is a \
         compiler bug is shown if there is one of that size. `--level program` asks for compiler bugs alone. "
    )
}

fn meaning_of_programs(guards: Option<usize>) -> String {
    let limit = match guards {
        None => String::new(),
        Some(n) => format!(" with at most {n} guards and computed values"),
    };
    format!(
        "{EVENTS}The question is about programs{limit}: a counterexample is a program and an outcome such that no consistent source \
         execution has the outcome, none races, and the compiled program, with the dependencies of its guards and computed values, has it. The \
         judge confirmed the target execution; a search through all executions of the source program confirmed the other two. \
         `racy` and `explained` count the programs that were proposed and refuted. What programs are covered: \
         docs/program-level.md. "
    )
}
