//! Pictures of the executions of a corpus: well-formed XML, every event in its place, the same bytes each time, and lines that
//! fit the terminal.

use std::path::Path;

use margay_litmus::explicit::{Options, Runner};
use margay_litmus::{corpus, read};
use margay_models::bits::Event;
use margay_models::execution::Execution;
use margay_models::picture::{Edge, Picture, event_label, svg, text};

/// The execution that has the outcome of each test of a folder, under a model, whether or not the model allows it.
fn executions(folder: &str, model: &str) -> Vec<(String, Execution)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let loaded = margay_models::library::load(model, &[]).expect("a built-in model").model;
    let mut runner = Runner::new(&loaded);
    let mut out = Vec::new();
    for folder in corpus::read(&root).expect("a corpus") {
        for line in folder.lines.iter().filter(|l| l.model == model) {
            let test = read::load(&folder.path.join(&line.file)).expect("a test").test;
            let options = Options::default();
            let verdict = runner.run(&test, &options).expect("a verdict");
            let witness = match verdict.witness {
                Some(witness) => Some(witness),
                None => runner.forbidden(&test, &options).expect("a search").map(|f| f.witness),
            };
            out.extend(witness.map(|w| (line.file.clone(), w.execution)));
        }
    }
    out
}

#[test]
fn every_picture_is_whole() {
    let all: Vec<(String, Execution)> = [("asplos2019", "ptx-6.0"), ("asplos2015", "ptx-2015"), ("ptx-isa", "ptx-8")]
        .iter()
        .flat_map(|(f, m)| executions(f, m))
        .collect();
    assert!(all.len() > 20, "{} executions", all.len());
    for (name, execution) in &all {
        let picture = Picture::of(name, execution, None);
        let drawn = svg(execution, &picture);
        assert_eq!(drawn, svg(execution, &picture), "{name}");
        let document = roxmltree::Document::parse(&drawn).unwrap_or_else(|e| panic!("{name}: {e}\n{drawn}"));
        let texts: Vec<&str> = document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
        let narrow = text(execution, &picture, 60, false);
        for event in (0..execution.size()).map(Event::from).filter(|e| execution.events[e.index()].thread.is_some()) {
            let label = event_label(execution, event);
            assert!(texts.iter().any(|t| t.ends_with(&label)), "{name}: `{label}` is not drawn");
            assert!(narrow.contains(&label), "{name}: `{label}` is not written");
        }
        assert!(narrow.lines().all(|l| l.chars().count() <= 60), "{name}:\n{narrow}");
        assert!(!narrow.contains('\u{1b}') && text(execution, &picture, 60, true).contains('\u{1b}'), "{name}");
    }
}

#[test]
fn titles_and_labels_are_escaped_and_emphasis_shows() {
    let (_, execution) = executions("asplos2019", "ptx-6.0").swap_remove(0);
    let mut picture = Picture::of("<&\"> \u{7}", &execution, None);
    let plain = svg(&execution, &picture);
    roxmltree::Document::parse(&plain).expect("well-formed XML");
    assert!(!plain.contains("class=\"event on\""));
    picture.edges.push(Edge { from: Event(0), to: Event(1), label: "<hb>".to_owned(), emphasis: true });
    let emphasised = svg(&execution, &picture);
    roxmltree::Document::parse(&emphasised).expect("well-formed XML");
    assert!(emphasised.contains("class=\"event on\""));
    assert!(text(&execution, &picture, 80, false).contains("cycle: a -<hb>-> b"));
}
