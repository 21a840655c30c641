//! Pictures of the executions of a corpus: well-formed XML, every event in its place, the same
//! bytes each time, graphs that Graphviz reads, and lines that fit the terminal.

use std::path::Path;

use margay_litmus::explicit::{ExplicitRunner, Options};
use margay_litmus::{corpus, read, shapes};
use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::explain::violation;
use margay_models::model::CheckKind;
use margay_models::picture::{
    Picture, PictureEdge, PictureSubject, dot, event_label, event_name, svg, text,
};

/// The execution that has the outcome of each test of a folder, under a model, whether or not the
/// model allows it.
fn executions(folder: &str, model: &str) -> Vec<(String, Execution)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let loaded = margay_models::library::load(model, &[]).expect("a built-in model").model;
    let mut runner = ExplicitRunner::new(&loaded);
    let mut out = Vec::new();
    for folder in corpus::read(&root).expect("a corpus") {
        for line in folder.lines.iter().filter(|l| l.model == model) {
            let test = read::load(&folder.path.join(&line.file)).expect("a test").test;
            let options = Options::default();
            let verdict = runner.run(&test, &options).expect("a verdict");
            let witness = match verdict.witness {
                Some(witness) => Some(witness),
                None => {
                    runner.forbidden(&test, &options, None).expect("a search").map(|f| f.witness)
                }
            };
            out.extend(witness.map(|w| (line.file.clone(), w.execution)));
        }
    }
    out
}

#[test]
fn every_picture_is_whole() {
    let all: Vec<(String, Execution)> =
        [("asplos2019", "ptx-6.0"), ("asplos2015", "ptx-2015"), ("ptx-isa", "ptx-8")]
            .iter()
            .flat_map(|(f, m)| executions(f, m))
            .collect();
    assert!(all.len() > 20, "{} executions", all.len());
    for (name, execution) in &all {
        let picture = Picture::of(name, execution, None);
        let drawn = svg(execution, &picture);
        assert_eq!(drawn, svg(execution, &picture), "{name}");
        let document =
            roxmltree::Document::parse(&drawn).unwrap_or_else(|e| panic!("{name}: {e}\n{drawn}"));
        let texts: Vec<&str> = document
            .descendants()
            .filter(|n| n.has_tag_name("text"))
            .filter_map(|n| n.text())
            .collect();
        let narrow = text(execution, &picture, 60, false);
        for event in (0..execution.size())
            .map(Event::from)
            .filter(|e| execution.events[e.index()].thread.is_some())
        {
            let label = event_label(execution, event);
            assert!(texts.iter().any(|t| t.ends_with(&label)), "{name}: `{label}` is not drawn");
            assert!(narrow.contains(&label), "{name}: `{label}` is not written");
        }
        assert!(narrow.lines().all(|l| l.chars().count() <= 60), "{name}:\n{narrow}");
        assert!(
            !narrow.contains('\u{1b}') && text(execution, &picture, 60, true).contains('\u{1b}'),
            "{name}"
        );
    }
}

#[test]
fn titles_and_labels_are_escaped_and_emphasis_shows() {
    let (_, execution) = executions("asplos2019", "ptx-6.0").swap_remove(0);
    let mut picture = Picture::of("<&\"> \u{7}", &execution, None);
    let plain = svg(&execution, &picture);
    roxmltree::Document::parse(&plain).expect("well-formed XML");
    assert!(!plain.contains("class=\"event on\""));
    let edge = PictureEdge {
        from: Event(0),
        to: Event(1),
        relation: None,
        label: "<hb>".to_owned(),
        emphasis: true,
        missing: false,
    };
    picture.shown = PictureSubject::Cycle(vec![edge.clone()]);
    picture.edges.push(edge);
    let emphasised = svg(&execution, &picture);
    roxmltree::Document::parse(&emphasised).expect("well-formed XML");
    assert!(emphasised.contains("class=\"event on\""));
    assert!(text(&execution, &picture, 80, false).contains("cycle: a -<hb>-> b"));
    let edge = "e0 -> e1 [label=\"<hb>\", color=\"#404040\", fontcolor=\"#404040\", penwidth=3, constraint=false];";
    assert!(dot(&execution, &picture).contains(edge), "{}", dot(&execution, &picture));
}

/// The nodes of a graph in DOT with their labels, and its edges with theirs: read as Graphviz reads
/// them, as words and strings.
type Graph = (std::collections::BTreeMap<String, String>, Vec<(String, String, String)>);

fn graph(text: &str) -> Graph {
    let (mut tokens, mut chars) = (Vec::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let mut string = String::new();
                loop {
                    match chars.next().expect("a string ends") {
                        '"' => break,
                        '\\' => match chars.next().expect("something behind a backslash") {
                            'n' => string.push('\n'),
                            other => string.push(other),
                        },
                        '\n' => panic!("a string of several lines in\n{text}"),
                        other => string.push(other),
                    }
                }
                tokens.push(string);
            }
            '-' if chars.next_if_eq(&'>').is_some() => tokens.push("->".to_owned()),
            c if c.is_alphanumeric() || c == '_' => {
                let mut word = c.to_string();
                while let Some(c) = chars.next_if(|&c| c.is_alphanumeric() || c == '_') {
                    word.push(c);
                }
                tokens.push(word);
            }
            c if c.is_whitespace() => {}
            c => tokens.push(c.to_string()),
        }
    }
    let (mut nodes, mut edges) = Graph::default();
    let is_node = |token: &str| token.strip_prefix('e').is_some_and(|n| n.parse::<usize>().is_ok());
    for (i, window) in tokens.windows(5).enumerate() {
        match window {
            // What stands behind an arrow is the end of an edge.
            [node, open, key, is, label]
                if is_node(node)
                    && [open.as_str(), key, is] == ["[", "label", "="]
                    && tokens[..i].last().is_none_or(|before| before != "->") =>
            {
                assert!(
                    nodes.insert(node.clone(), label.clone()).is_none(),
                    "{node} is there twice"
                );
            }
            [from, arrow, to, ..] if arrow == "->" => {
                edges.push((from.clone(), to.clone(), tokens[i + 6].clone()))
            }
            _ => {}
        }
    }
    (nodes, edges)
}

#[test]
fn graphs_have_every_event_and_every_edge() {
    for (name, execution) in executions("asplos2019", "ptx-6.0") {
        let mut picture = Picture::of("a \"b\" \\ c\\", &execution, None);
        picture.subtitle = "two\nlines".to_owned();
        let written = dot(&execution, &picture);
        assert_eq!(written, dot(&execution, &picture), "{name}");
        assert!(
            written.starts_with("digraph \"a \\\"b\\\" \\\\ c\\\\\" {") && written.ends_with("}\n"),
            "{written}"
        );
        let (nodes, edges) = graph(&written);
        let of_threads = || {
            (0..execution.size())
                .map(Event::from)
                .filter(|e| execution.events[e.index()].thread.is_some())
        };
        for event in of_threads() {
            let label =
                format!("{}: {}", event_name(&execution, event), event_label(&execution, event));
            assert_eq!(
                nodes.get(&format!("e{}", event.index())),
                Some(&label),
                "{name}\n{written}"
            );
        }
        let drawn: Vec<_> = picture
            .edges
            .iter()
            .map(|e| {
                (format!("e{}", e.from.index()), format!("e{}", e.to.index()), e.label.clone())
            })
            .collect();
        assert_eq!(edges, drawn, "{name}\n{written}");
        assert!(
            edges.iter().all(|(from, to, _)| nodes.contains_key(from) && nodes.contains_key(to)),
            "{name}\n{written}"
        );
        let clusters = written.matches("subgraph cluster_").count();
        assert_eq!(clusters, execution.threads.len(), "{name}");
    }
}

/// The edges that a picture in text has under a heading: from, to.
fn listed(text: &str, heading: &str) -> Vec<(String, String)> {
    let lines = text.lines().skip_while(|l| !l.starts_with(&format!("{heading}: ")));
    let mut list = String::new();
    for (i, line) in lines.enumerate() {
        if i > 0 && !line.starts_with("  ") {
            break;
        }
        list.push_str(line.trim_start_matches(&format!("{heading}: ")));
        // Where a line ends an edge ends, without a comma.
        list.push(',');
    }
    let edge = |item: &str| {
        Some((
            item.split_once(" -")?.0.trim().to_owned(),
            item.rsplit_once("-> ")?.1.trim().to_owned(),
        ))
    };
    list.split(',').filter_map(edge).collect()
}

/// What is called a cycle is one, in words and in the picture, for everything in the corpus that a
/// model forbids; and what an `empty` axiom forbids is never called one.
#[test]
fn cycles_close() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots =
        shapes::corpora(repository, Path::new(env!("CARGO_TARGET_TMPDIR"))).expect("there is room");
    let (mut cycles, mut pairs, mut missing) = (0, 0, 0);
    let mut models = std::collections::BTreeMap::new();
    for folder in roots.iter().flat_map(|root| corpus::read(root).expect("a corpus")) {
        for line in folder.lines.iter().filter(|l| !l.expected.reachable) {
            let (model, runner) = models.entry(line.model.clone()).or_insert_with(|| {
                let model =
                    margay_models::library::load(&line.model, &roots[..1]).expect("a model").model;
                let runner = ExplicitRunner::new(&model);
                (model, runner)
            });
            let test = read::load(&folder.path.join(&line.file)).expect("a test").test;
            let few = Options { steps: Some(20_000), ..Options::default() };
            let Ok(Some(forbidden)) = runner.forbidden(&test, &few, None) else { continue };
            let x = &forbidden.witness.execution;
            for &check in &forbidden.checks {
                let what = format!(
                    "{} under {}, {}",
                    line.file,
                    line.model,
                    model.checks[check].display_name()
                );
                let violation =
                    violation(model, x, check).unwrap_or_else(|| panic!("{what}: nothing fails"));
                let picture = Picture::of("test", x, Some(&violation));
                let words = text(x, &picture, 60, false);
                let cycle = listed(&words, "cycle");
                assert_eq!(
                    cycle.is_empty(),
                    model.checks[check].kind == CheckKind::Empty,
                    "{what}\n{words}"
                );
                for (i, edge) in cycle.iter().enumerate() {
                    assert_eq!(edge.1, cycle[(i + 1) % cycle.len()].0, "{what}\n{words}");
                }
                // All of it is drawn, each edge once, thick.
                let drawn = |(a, b): &(String, String)| {
                    picture.edges.iter().any(|e| {
                        e.emphasis && event_name(x, e.from) == *a && event_name(x, e.to) == *b
                    })
                };
                assert!(cycle.iter().all(drawn), "{what}\n{words}");
                cycles += usize::from(!cycle.is_empty());
                let is_pair = model.checks[check].kind == CheckKind::Empty;
                assert_eq!(is_pair, !listed(&words, "there").is_empty(), "{what}\n{words}");
                pairs += usize::from(is_pair);
                if !listed(&words, "missing").is_empty() {
                    missing += 1;
                    let drawn = svg(x, &picture);
                    let dashed = ["co", "sync"]
                        .iter()
                        .any(|class| drawn.contains(&format!("class=\"edge {class} missing\"")));
                    assert!(dashed && !drawn.contains("edge derived missing"), "{what}");
                }
            }
        }
    }
    assert!(
        cycles > 500 && pairs > 20 && missing > 10,
        "{cycles} cycles, {pairs} pairs, {missing} of them lack something"
    );
}
