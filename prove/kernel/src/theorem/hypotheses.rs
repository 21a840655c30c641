//! What a theorem supposes, in sentences: whoever reads the word *theorem* reads these, in every
//! format.

use margay_language::Mapping;
use margay_models::execution::Order;
use margay_models::model::{Check, Model, Role};
use margay_models::signature::{Construct, Operation};

use super::{Setting, shapes};
use crate::theory::mapping::{ChosenOrder, ExecutionSelection, chosen_order, ordered_fences};

/// What a theorem supposes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hypotheses {
    /// What the first line of an answer says of it, each a part of a sentence: `without R.SC`,
    /// `if no location is accessed by ..`.
    pub brief: Vec<String>,
    /// All of it, in sentences.
    pub sentences: Vec<String>,
    /// The rows of a mapping that it is not about, as the end of a first line: empty, or
    /// `; 7 of 17 rows were not asked about (7 absent)`.
    pub rows_left_out: String,
}

/// Names, each once: of two that are alike the second says nothing more.
#[must_use]
pub fn once(names: &[String]) -> Vec<String> {
    let is_first = |&at: &usize| !names[..at].contains(&names[at]);
    (0..names.len()).filter(is_first).map(|at| names[at].clone()).collect()
}

/// What was asked of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct TheoremQuestion<'a> {
    /// The constructs that programs are made of, and whether a location has one type.
    pub selection: &'a ExecutionSelection,
    /// The constructs that were left out by name.
    pub without: &'a [String],
    /// The constructs that were named as the only ones.
    pub only: &'a [String],
    /// The names of the axioms that are theorems.
    pub axioms: &'a [String],
}

impl Hypotheses {
    /// Those of a theorem about a mapping.
    pub fn of_mapping(mapping: &Mapping, asked: &TheoremQuestion<'_>) -> Self {
        let mut new = Self::default();
        let (source, target) = (&mapping.source, &mapping.target);
        new.sentences.push(format!(
            "It is about single executions, not programs: an execution of `{}` that satisfies every axiom of `{}` and consists of what the rows \
             make of operations, read back as an execution of `{}`.",
            target.name, target.name, source.name
        ));
        new.axioms(source, asked.axioms);
        new.constructs(mapping, asked);
        if source.signature.tabular().is_none() {
            new.types(asked.selection);
        }
        new.races(source);
        if let Some(undefined) = mapping.undefined_at_target() {
            new.brief.push(format!("{undefined} not looked at"));
            new.sentences.push(format!(
                "It does not say that no execution of the target is undefined: {undefined} was not looked at, and a compiled program that does it \
                 may do anything."
            ));
        }
        new.sentences.push(if target.signature.total_coherence() {
            "Modification order is the coherence order of the target.".to_owned()
        } else {
            "The axioms hold for every modification order that is total at each location and contains the coherence order of the target."
                .to_owned()
        });
        new.fences(mapping, asked.selection);
        new.rows(mapping, asked.selection);
        let names: Vec<String> =
            asked.selection.constructs.iter().map(|c| c.name(source.signature)).collect();
        new.rows_left_out = mapping.rows_not_asked_in_words(Some(&names));
        new
    }

    /// Those of a theorem about one model, or about what one of two models allows; by the name that
    /// the reader knows the model by.
    pub fn of_model(name: &str) -> Self {
        Self::of_executions(&format!("every axiom of `{name}`"))
    }

    /// Those of properties that a text states of the model that it includes: whatever else it
    /// states is supposed.
    pub fn of_properties(text: &str, properties: &[String]) -> Self {
        Self::of_executions(&format!(
            "every axiom of `{text}`, and of what it includes, but {}",
            properties.join(", ")
        ))
    }

    fn of_executions(satisfying: &str) -> Self {
        let what = format!(
            "It is about single executions, not programs: those that satisfy {satisfying}, whatever operations they are made of."
        );
        Self { sentences: vec![what], ..Self::default() }
    }

    /// Adds of what no execution was found that satisfies all that is supposed, among the shapes
    /// whose absence says most. `shown`: the shapes that executions were found of.
    pub fn inhabited(&mut self, setting: &Setting<'_>, shown: &[&str]) {
        let missing: Vec<String> = shapes(setting)
            .into_iter()
            .filter(|shape| shape.telling && !shown.contains(&shape.name.as_str()))
            .map(|shape| shape.name)
            .collect();
        if !missing.is_empty() {
            let missing = missing.join(", nor with ");
            self.brief.push(format!("of which no execution with {missing} was found"));
            self.sentences.push(format!(
                "No execution that satisfies all that is supposed was found with {missing}."
            ));
        }
    }

    /// All of it as a text for the head of a file.
    pub fn text(&self) -> String {
        self.sentences.iter().map(|s| format!("- {s}")).collect::<Vec<_>>().join("\n")
    }

    /// What stands behind `theorem for executions of every size`.
    pub fn behind(&self) -> String {
        let is_condition = |part: &String| part.starts_with("if ");
        let first = self.brief.iter().position(is_condition);
        let also = |at: usize, part: &String| {
            if is_condition(part) && first < Some(at) { " and" } else { "" }
        };
        self.brief
            .iter()
            .enumerate()
            .map(|(at, part)| format!(",{} {part}", also(at, part)))
            .collect()
    }

    /// Which axioms are spoken of, where those are not all.
    fn axioms(&mut self, source: &Model, named: &[String]) {
        let is_axiom = |c: &&Check| c.role == Role::Axiom && !c.is_undefined_behaviour();
        let rest: Vec<String> = source
            .checks
            .iter()
            .filter(is_axiom)
            .map(Check::display_name)
            .filter(|name| !named.contains(name))
            .collect();
        if !rest.is_empty() {
            self.brief.push(format!("of {} alone", named.join(", ")));
            self.sentences.push(format!(
                "It says nothing of these axioms of `{}`: {}.",
                source.name,
                rest.join(", ")
            ));
        }
    }

    /// What programs are made of.
    fn constructs(&mut self, mapping: &Mapping, asked: &TheoremQuestion<'_>) {
        for (word, names) in [("only", asked.only), ("without", asked.without)] {
            if !names.is_empty() {
                self.brief.push(format!("{word} {}", once(names).join(", ")));
            }
        }
        let signature = mapping.source.signature;
        let names: Vec<String> =
            asked.selection.constructs.iter().map(|c| c.name(signature)).collect();
        self.sentences.push(format!(
            "Operations are {}, each made by any row of its construct whatever its type; of other operations it says nothing, nor of loops \
             and of accesses of different sizes.",
            names.join(", ")
        ));
    }

    /// Is a location plain or atomic? Where all accesses are of one kind, it makes no difference.
    fn types(&mut self, selection: &ExecutionSelection) {
        let accesses = || selection.constructs.iter().filter(|c| c.operation != Operation::Fence);
        let is_plain = |c: &&Construct| c.order == Order::Plain;
        if accesses().all(|c| is_plain(&c)) || !accesses().any(|c| is_plain(&c)) {
            return;
        }
        if selection.typed {
            let what = "no location is accessed by both plain and atomic operations";
            self.brief.push(format!("if {what}"));
            self.sentences
                .push(format!("It supposes that {what}, initial writes aside (`--typed on`)."));
        } else {
            self.sentences.push(
                "A location may be accessed by both plain and atomic operations (`--typed off`)."
                    .to_owned(),
            );
        }
    }

    /// What the source leaves undefined.
    fn races(&mut self, source: &Model) {
        let undefined = source.checks.iter().filter(|c| c.is_undefined_behaviour());
        let names: Vec<String> = undefined.map(Check::display_name).collect();
        self.sentences.push(if names.is_empty() {
            format!("`{}` leaves nothing undefined.", source.name)
        } else {
            self.brief.push("if the source execution has no undefined behaviour".to_owned());
            format!(
                "It supposes that nothing happens in the source execution that `{}` leaves undefined ({}).",
                source.name,
                names.join(", ")
            )
        });
    }

    /// Which order of its fences the source is taken with, where it chooses one.
    fn fences(&mut self, mapping: &Mapping, selection: &ExecutionSelection) {
        let (Some(order), fences) =
            (chosen_order(mapping, selection), ordered_fences(mapping, selection).join(", "))
        else {
            return;
        };
        let (source, target) = (&mapping.source.name, &mapping.target.name);
        match order {
            ChosenOrder::OfTarget => {
                self.brief
                    .push(format!("with {fences} ordered as the target orders what they become"));
                self.sentences.push(format!(
                    "An execution of `{source}` chooses an order of {fences}: it is taken with the one in which `{target}` chose the fences that they \
                     become (the first of each that it orders)."
                ));
            }
            ChosenOrder::Keeping(axiom) => {
                self.brief.push(format!(
                    "with {fences} in any total order that keeps what {axiom} orders"
                ));
                self.sentences.push(format!(
                    "An execution of `{source}` chooses an order of {fences}: it is taken with any total order that keeps what the axiom {axiom} of \
                     `{target}` orders, with these fences behind what is before them in their threads and before what is behind them, \
                     but for edges that lie on a cycle. There always is such an order, since what is kept has no cycle."
                ));
            }
        }
    }

    /// Rows that nobody looked at.
    fn rows(&mut self, mapping: &Mapping, selection: &ExecutionSelection) {
        let signature = mapping.source.signature;
        let of_selection = |name: &String| {
            selection.constructs.iter().any(|c| {
                let own = c.name(signature);
                name == &own
                    || name.strip_prefix(&own).is_some_and(|rest| {
                        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
                    })
            })
        };
        let assumed: Vec<String> = mapping.assumed().into_iter().filter(of_selection).collect();
        if !assumed.is_empty() {
            self.sentences.push(format!(
                "It is about all rows, also about those that are assumed because nobody looked at the compiler: {}.",
                assumed.join(", ")
            ));
        }
    }
}
