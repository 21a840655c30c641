//! What relations look like: a colour that every kind of colour vision can tell from the others, on
//! light pages and on dark ones, and the words of the legend.

use std::fmt::Write;

/// The look of some relations.
struct RelationStyle {
    labels: &'static [&'static str],
    class: &'static str,
    light: &'static str,
    dark: &'static str,
}

/// After Okabe and Ito's palette, darkened for white pages.
const LOOKS: [RelationStyle; 8] = [
    RelationStyle { labels: &["rf"], class: "rf", light: "#00805a", dark: "#2fc89b" },
    RelationStyle { labels: &["co", "mo"], class: "co", light: "#0060a8", dark: "#56b4e9" },
    RelationStyle { labels: &["fr", "rb"], class: "fr", light: "#b35900", dark: "#f0a030" },
    RelationStyle { labels: &["rmw"], class: "rmw", light: "#8a3a78", dark: "#dd8fc0" },
    RelationStyle { labels: &["sc", "bar"], class: "sync", light: "#5a4fcf", dark: "#a8a0ff" },
    RelationStyle { labels: &["po", "sb"], class: "po", light: "#707070", dark: "#a0a0a0" },
    RelationStyle {
        labels: &["addr", "data", "ctrl"],
        class: "dep",
        light: "#7a6a00",
        dark: "#e0d060",
    },
    RelationStyle { labels: &[], class: "derived", light: "#404040", dark: "#d0d0d0" },
];

/// The look of an edge with that label; what no base relation is called is derived, which is the
/// last look.
fn look(label: &str) -> &'static RelationStyle {
    LOOKS.iter().find(|l| l.labels.contains(&label)).unwrap_or(&LOOKS[LOOKS.len() - 1])
}

/// The class of an edge with that label.
pub(super) fn class(label: &str) -> &'static str {
    look(label).class
}

/// The colour of an edge with that label on white paper.
pub(super) fn colour(label: &str) -> &'static str {
    look(label).light
}

/// What the legend says of a label; `None` for names that only the model explains.
pub(super) fn meaning(label: &str) -> Option<&'static str> {
    Some(match label {
        "po" => "program order",
        "sb" => "sequenced before",
        "rf" => "reads from",
        "co" => "coherence order",
        "mo" => "modification order",
        "fr" | "rb" => "reads before",
        "rmw" => "read-modify-write",
        "sc" => "Fence-SC order",
        "bar" => "barrier",
        "addr" => "address dependency",
        "data" => "data dependency",
        "ctrl" => "control dependency",
        "hb" => "happens before",
        "sw" => "synchronizes with",
        _ => return None,
    })
}

/// The style sheet: light, and dark where the reader prefers it.
pub(super) fn sheet() -> String {
    let mut out = String::from(
        "<style>\ntext{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px;fill:#1a1a1a}\n\
         .title{font-size:15px;font-weight:bold;text-anchor:middle}.subtitle,.header,.label,.edge-label{text-anchor:middle}\n\
         .header{font-weight:bold}.legend,.group-name{font-size:11px}.group-name{fill:#5c5c66}.page{fill:#ffffff}\n\
         .thread{fill:#f4f4f6;stroke:none}.group{fill:none;stroke:#b4b4be;stroke-width:1}.cta{stroke-dasharray:5 3}\n\
         .event{fill:#ffffff;stroke:#707078;stroke-width:1.2}.event.on{stroke:#1a1a1a;stroke-width:2.4}\
         .behind{fill:#ffffff;opacity:0.92}\n\
         .edge{fill:none;stroke-width:1.4}.edge.on{stroke-width:3.4}.edge.derived{stroke-dasharray:2 3}\
         .edge.missing{stroke-width:2.4;stroke-dasharray:7 5}.head{stroke:none}\n\
         .edge-label{font-size:12px}.edge-label.on{font-weight:bold}\n",
    );
    let colours = |out: &mut String, colour: &dyn Fn(&RelationStyle) -> &'static str| {
        for look in &LOOKS {
            let (class, colour) = (look.class, colour(look));
            let _ = writeln!(
                out,
                ".edge.{class}{{stroke:{colour}}}.head.{class},.edge-label.{class}{{fill:{colour}}}"
            );
        }
    };
    colours(&mut out, &|l| l.light);
    out.push_str(
        "@media (prefers-color-scheme: dark){text{fill:#e8e8ea}.group-name{fill:#a8a8b4}.page{fill:#17171a}.thread{fill:#222227}\
         .group{stroke:#55555f}.event{fill:#2c2c33;stroke:#9a9aa4}.event.on{stroke:#ffffff}.behind{fill:#17171a}\n",
    );
    colours(&mut out, &|l| l.dark);
    out.push_str("}\n</style>\n");
    out
}
