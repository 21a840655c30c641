//! What relations look like: a colour that every kind of colour vision can tell from the others, on
//! light pages and on dark ones, and the words of the legend.

use std::fmt::Write;

use super::PictureEdge;
use crate::signature::RelationLook;

/// The look of some relations.
struct RelationStyle {
    look: RelationLook,
    class: &'static str,
    light: &'static str,
    dark: &'static str,
}

/// After Okabe and Ito's palette, darkened for white pages.
const LOOKS: [RelationStyle; 8] = [
    RelationStyle { look: RelationLook::ReadsFrom, class: "rf", light: "#00805a", dark: "#2fc89b" },
    RelationStyle { look: RelationLook::Coherence, class: "co", light: "#0060a8", dark: "#56b4e9" },
    RelationStyle { look: RelationLook::FromReads, class: "fr", light: "#b35900", dark: "#f0a030" },
    RelationStyle { look: RelationLook::Update, class: "rmw", light: "#8a3a78", dark: "#dd8fc0" },
    RelationStyle {
        look: RelationLook::Synchronization,
        class: "sync",
        light: "#5a4fcf",
        dark: "#a8a0ff",
    },
    RelationStyle {
        look: RelationLook::ProgramOrder,
        class: "po",
        light: "#707070",
        dark: "#a0a0a0",
    },
    RelationStyle {
        look: RelationLook::Dependency,
        class: "dep",
        light: "#7a6a00",
        dark: "#e0d060",
    },
    RelationStyle {
        look: RelationLook::Derived,
        class: "derived",
        light: "#404040",
        dark: "#d0d0d0",
    },
];

/// How an edge looks; what is of no base relation is derived, which is the last look.
fn style(edge: &PictureEdge) -> &'static RelationStyle {
    let look = edge.relation.map_or(RelationLook::Derived, |relation| relation.look());
    LOOKS.iter().find(|l| l.look == look).unwrap_or(&LOOKS[LOOKS.len() - 1])
}

pub(super) fn class(edge: &PictureEdge) -> &'static str {
    style(edge).class
}

/// Its colour on white paper.
pub(super) fn colour(edge: &PictureEdge) -> &'static str {
    style(edge).light
}

/// What the legend says of an edge; `None` for names that only the model explains. Two of these
/// mean the same in all models that have them.
pub(super) fn meaning(edge: &PictureEdge) -> Option<&'static str> {
    match (edge.relation, edge.label.as_str()) {
        (Some(relation), label) => relation.legend(label),
        (None, "hb") => Some("happens before"),
        (None, "sw") => Some("synchronizes with"),
        (None, _) => None,
    }
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
