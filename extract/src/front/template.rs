//! The file of a front end: TOML, with texts in which words in braces are replaced.

use std::collections::BTreeMap;
use std::sync::Arc;

use margay_mappings::language::kind::{OPERATIONS, TYPES};
use margay_models::diagnostic::{Diagnostic, SourceFile, Span, nearest};
use margay_models::execution::{Order, Scope};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::point::{Point, What};

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrontEnd {
    /// The name: that of its file.
    #[serde(skip)]
    pub name: String,
    /// What it is, for people.
    pub title: String,
    /// The ending of a program's file, with its dot.
    pub suffix: String,
    /// How a program is compiled, where the user does not say: `{in}`, `{out}`, `{arch}` and others
    /// are replaced.
    pub command: String,
    /// What prints the version of the compiler.
    #[serde(default)]
    pub version: Option<String>,
    /// The same for compilers that are unpacked in a folder, `{compiler}`.
    #[serde(default)]
    pub unpacked: Vec<Unpacked>,
    /// Architectures to ask about where the user does not say.
    pub architectures: Vec<String>,
    /// Machines whose assembly is read by the text of their architecture, by the names of
    /// `architectures`; none where the compiler prints PTX.
    #[serde(default)]
    pub machines: BTreeMap<String, AssemblyMachine>,
    /// The compiler prints assembly: an architecture that is no machine of these is one whose text
    /// the target model names.
    #[serde(default)]
    pub assembly: bool,
    /// The front end that is asked about the machines of its own: the same compiler prints PTX and
    /// assembly.
    #[serde(default)]
    pub of_machines: Option<String>,
    /// Where a comment begins: reproducers have some.
    pub comment: String,
    /// A lowering of this language is not one thread's: why.
    #[serde(default)]
    pub threads: Option<String>,
    /// Scopes, as they are written.
    pub scopes: BTreeMap<String, String>,
    /// Orders (RLX, ACQ, REL, ACQ_REL, SC), as they are written.
    pub orders: BTreeMap<String, String>,
    /// Types, as they are written.
    pub types: BTreeMap<String, String>,
    /// Names of types that a program needs beside that: placeholders by type.
    #[serde(default)]
    pub with: BTreeMap<String, BTreeMap<String, String>>,
    /// The text in front of a program.
    #[serde(default)]
    pub head: String,
    /// The text behind it.
    #[serde(default)]
    pub tail: String,
    /// Functions around statements.
    pub function: Wrap,
    /// Kernels around statements, where a reproducer can have one.
    #[serde(default)]
    pub kernel: Option<Wrap>,
    /// How a number is written: `{n}`; for `f` types `{n}.0` unless this says else.
    #[serde(default)]
    pub literal: Option<String>,
    /// Plain accesses: `load`, `store`.
    #[serde(default)]
    pub plain: BTreeMap<String, String>,
    /// Statements: `load`, `store`, `fence`, `swap`, and what a read-modify-write does by its
    /// operation.
    pub statements: BTreeMap<String, String>,
    /// Read-modify-writes of fractions, where they are written in another way.
    #[serde(default)]
    pub fractions: BTreeMap<String, String>,
    /// An object of a type and a scope, with nothing done to it. What the compiler says of it is
    /// said of all that could be done to it.
    #[serde(default)]
    pub object: Option<String>,
    /// A parameter of a function that is an order, `{name}`: orders are values of a type. What the
    /// compiler says of an operation whose orders are parameters is said of the operation with any
    /// order.
    #[serde(default)]
    pub order_parameter: Option<String>,
    /// Statements that are written in another way for some types: `[instead.b128]`.
    #[serde(default)]
    pub instead: BTreeMap<String, BTreeMap<String, String>>,
    /// Statements that the language has at some orders only (for success, and for failure).
    #[serde(default)]
    pub only: BTreeMap<String, Vec<String>>,
    /// The rest of a thread happens only if a result is some value; reproducers need it.
    #[serde(default)]
    pub guard: Option<String>,
    /// An object of 8 or 16 bits is a type of the language that has a word of 32 bits to itself,
    /// all of which may change with it.
    #[serde(default)]
    pub own_word: bool,
    /// A result is observed: it is stored where the program's caller sees it.
    #[serde(default)]
    pub observe: Option<String>,
}

/// A machine that a compiler of assembly is asked about.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssemblyMachine {
    /// The model of the machine, whose architecture's text reads the assembly.
    pub model: String,
    /// What is put into the command: words in braces.
    #[serde(default)]
    pub with: BTreeMap<String, String>,
}

/// How a compiler is called that is unpacked in a folder.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unpacked {
    /// What the name of its folder begins with, before the version: `llvm` of `llvm-22`.
    pub of: String,
    /// How it is started; `{compiler}` stands for its folder.
    pub command: String,
    /// What prints the version.
    pub version: String,
    /// The command takes `--worker` in place of `{in} {out}`, and then program after program
    /// (`drivers/worker.py`).
    #[serde(default)]
    pub worker: bool,
}

/// What stands around the statements of a function.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrap {
    /// In front: `{name}`, `{parameters}`, and in a kernel `{pointers}`, the names of its
    /// parameters.
    pub begin: String,
    /// Behind.
    pub end: String,
    /// One pointer among the parameters: `{pointer}`.
    pub pointer: String,
    /// Further parameters of a function that is extracted: the values that it writes and expects.
    #[serde(default)]
    pub values: Option<String>,
    /// The names of these values in statements.
    #[serde(default = "value_names")]
    pub names: [String; 2],
}

fn value_names() -> [String; 2] {
    ["v".to_owned(), "e".to_owned()]
}

/// A statement: what is put into its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplateStatement<'a> {
    /// The pointer to the object.
    pub pointer: &'a str,
    /// The name of the result.
    pub result: &'a str,
    /// The pointer that the result is stored to.
    pub out: &'a str,
    /// The value that is written.
    pub value: &'a str,
    /// The value that a compare-exchange expects.
    pub expected: &'a str,
}

/// The key of an order in a front end's file.
fn order_key(order: Order) -> &'static str {
    crate::point::order_name(order)
}

impl FrontEnd {
    /// Reads a front end.
    ///
    /// # Errors
    /// What is no TOML, or lacks what a front end has.
    pub fn read(name: &str, file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let mut front: FrontEnd = toml::from_str(&file.text).map_err(|e| {
            let span = e.span().map_or(Span::default(), |s| Span::new(s.start, s.end));
            let error = Diagnostic::error(format!("`{name}` is no front end: {}", e.message())).at(file, span, "here");
            vec![error.help("docs/extract.md says what a front end has; `margay extract --template NAME` prints a built-in one")]
        })?;
        front.name = name.to_owned();
        let mut errors = Vec::new();
        let document = DeTable::parse(&file.text).map(Spanned::into_inner).unwrap_or_default();
        // A key that is mistyped says nothing, and the answer would be about less.
        let mut known = |what: &str, table: Option<&DeValue<'_>>, all: &[&str]| {
            for key in table.and_then(DeValue::as_table).into_iter().flat_map(|table| table.keys())
            {
                let name_of_key: &str = key.get_ref();
                if all.contains(&name_of_key) {
                    continue;
                }
                let error =
                    Diagnostic::error(format!("`{name}`: `{name_of_key}` is none of the {what}"));
                let help = match nearest(name_of_key, all.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`? {what}: {}", all.join(", ")),
                    None => format!("{what}: {}", all.join(", ")),
                };
                errors.push(
                    error.at(file, Span::new(key.span().start, key.span().end), "here").help(help),
                );
            }
        };
        let table = |name: &str| document.get(name).map(Spanned::get_ref);
        let mut statements = vec!["load", "store", "swap", "fence"];
        statements.extend(OPERATIONS);
        known("types", table("types"), &TYPES);
        known("scopes", table("scopes"), &["cta", "cluster", "gpu", "sys"]);
        known("orders", table("orders"), &["RLX", "ACQ", "REL", "ACQ_REL", "SC"]);
        known("statements", table("statements"), &statements);
        known("statements", table("plain"), &statements);
        known("operations", table("fractions"), &OPERATIONS);
        known("types", table("instead"), &TYPES);
        for of_type in
            table("instead").and_then(DeValue::as_table).into_iter().flat_map(|all| all.values())
        {
            known("statements", Some(of_type.get_ref()), &statements);
        }
        let or_others: Vec<&str> = statements.iter().copied().chain(["others"]).collect();
        known("statements", table("only"), &or_others);
        if !front.command.contains("{in}") {
            let error = Diagnostic::error(format!(
                "`{name}`: the command does not say where the program goes"
            ))
            .help("write `{in}`");
            let place = document
                .get("command")
                .map(|command| Span::new(command.span().start, command.span().end));
            errors.push(error.at(file, place.unwrap_or_default(), "here"));
        }
        if errors.is_empty() { Ok(front) } else { Err(errors) }
    }

    /// How the compiler in a folder is called, by the name of the folder.
    pub fn unpacked_as(&self, folder: &str) -> Option<&Unpacked> {
        let is_version = |rest: &str| {
            rest.strip_prefix('-').is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.unpacked.iter().find(|u| folder.strip_prefix(u.of.as_str()).is_some_and(is_version))
    }

    /// Does the compiler print assembly, and not PTX?
    pub fn prints_assembly(&self) -> bool {
        self.assembly || !self.machines.is_empty()
    }

    /// The scopes that it has.
    pub fn scopes(&self) -> Vec<Scope> {
        Scope::ALL.into_iter().filter(|s| self.scopes.contains_key(s.name())).collect()
    }

    /// The types that it has, by index.
    pub fn types(&self) -> Vec<usize> {
        (0..TYPES.len()).filter(|&i| self.types.contains_key(TYPES[i])).collect()
    }

    /// The operations that it has, by index.
    pub fn operations(&self) -> Vec<usize> {
        let has =
            |name: &str| self.statements.contains_key(name) || self.fractions.contains_key(name);
        (0..OPERATIONS.len()).filter(|&i| has(OPERATIONS[i])).collect()
    }

    /// The template of a point's statement; `None` if the language has none.
    pub(super) fn template(&self, point: &Point) -> Option<&String> {
        let data = point.data.map(|i| TYPES[i]);
        let is_fraction = data.is_some_and(|d| d.contains('f'));
        let key = match point.what {
            What::Load => "load",
            What::Store => "store",
            What::Swap(_) => "swap",
            What::Fence => "fence",
            What::Rmw(i) => OPERATIONS[i],
        };
        if point.order == Order::Plain {
            return self.plain.get(key);
        }
        if let Some(only) = self.only.get(key).or_else(|| self.only.get("others")) {
            let has = |order: Order| only.iter().any(|o| o == order_key(order));
            let failure = if let What::Swap(failure) = point.what { failure } else { point.order };
            if !has(point.order) || !has(failure) {
                return None;
            }
        }
        let instead = data.and_then(|d| self.instead.get(d)).and_then(|of| of.get(key));
        let usual = || {
            is_fraction
                .then(|| self.fractions.get(key))
                .flatten()
                .or_else(|| self.statements.get(key))
        };
        // An empty text: the language has no such thing.
        instead.or_else(usual).filter(|t| !t.is_empty())
    }

    /// The text of a statement; `None` if the language has none: no such operation, order or scope.
    pub fn statement(&self, point: &Point, with: &TemplateStatement<'_>) -> Option<String> {
        self.put(self.template(point)?, point, with, None)
    }

    /// A template with the order, scope and type of a point; with other texts for its orders, where
    /// they are given.
    pub(super) fn put(
        &self,
        template: &str,
        point: &Point,
        with: &TemplateStatement<'_>,
        orders: Option<[&str; 2]>,
    ) -> Option<String> {
        let written = |order: Order| self.orders.get(order_key(order)).map(String::as_str);
        let order = match (point.order, orders) {
            (Order::Plain, _) => Some(""),
            (_, Some([order, _])) => Some(order),
            (order, None) => written(order),
        };
        let failure = match (point.what, orders) {
            (What::Swap(_), Some([_, failure])) => Some(failure),
            (What::Swap(failure), None) => written(failure),
            _ => Some(""),
        };
        let scope = match point.scope {
            Some(scope) => self.scopes.get(scope.name()).map(String::as_str),
            None => Some(""),
        };
        let mut pairs = vec![("order", order?), ("failure", failure?), ("scope", scope?)];
        let (bits, bytes);
        if let Some(i) = point.data {
            let size = margay_mappings::language::kind::bits(i);
            (bits, bytes) = (size.to_string(), (size / 8).to_string());
            pairs.extend([
                ("bits", bits.as_str()),
                ("bytes", bytes.as_str()),
                ("type", self.types.get(TYPES[i])?.as_str()),
            ]);
            for (name, by_type) in &self.with {
                pairs.push((name.as_str(), by_type.get(TYPES[i]).map_or("", String::as_str)));
            }
        }
        pairs.extend([
            ("pointer", with.pointer),
            ("result", with.result),
            ("out", with.out),
            ("value", with.value),
            ("expected", with.expected),
        ]);
        Some(fill(template, &pairs))
    }

    /// A number as a value of a type.
    pub fn number(&self, n: i64, data: usize) -> String {
        match &self.literal {
            Some(literal) => fill(literal, &[("n", &n.to_string())]),
            None if TYPES[data].contains('f') => format!("{n}.0"),
            None => n.to_string(),
        }
    }
}

/// Replaces words in braces; braces around anything else stay.
pub fn fill(template: &str, pairs: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        out.push_str(before);
        let found = pairs.iter().find_map(|(name, value)| {
            let tail = from[1..].strip_prefix(name)?.strip_prefix('}')?;
            Some((value, tail))
        });
        match found {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = &from[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use margay_models::diagnostic::SourceFile;

    use super::{FrontEnd, fill};

    /// A key that nothing has is named at its line, in whatever table it stands.
    #[test]
    fn mistyped_keys_are_named_at_their_line() {
        let text = crate::front::text("cuda-builtins").expect("it is shipped");
        for (table, key, what) in [
            ("[types]", "b33 = \"x\"", "did you mean"),
            ("[only]", "fences = [\"SC\"]", "did you mean `fence`?"),
            ("[instead.b64]", "stor = \"x\"", "did you mean `store`?"),
            ("[statements]", "laod = \"x\"", "did you mean `load`?"),
        ] {
            let damaged = text.replacen(&format!("\n{table}\n"), &format!("\n{table}\n{key}\n"), 1);
            let errors = FrontEnd::read("own", &SourceFile::new("own.toml", damaged.as_str()))
                .expect_err(table);
            let label = &errors[0].labels[0];
            let name = key.split(' ').next().expect("a word");
            assert_eq!(
                (errors.len(), &damaged[label.span.start..label.span.end]),
                (1, name),
                "{errors:?}"
            );
            assert!(
                errors[0].help.as_deref().is_some_and(|help| help.contains(what)),
                "{errors:?}"
            );
        }
        let damaged = text.replace("{in}", "{out}");
        let errors = FrontEnd::read("own", &SourceFile::new("own.toml", damaged.as_str()))
            .expect_err("no program");
        assert_eq!(
            errors[0].labels[0].file.position(errors[0].labels[0].span.start).0,
            line_of(text, "command")
        );
    }

    fn line_of(text: &str, key: &str) -> usize {
        text.lines().position(|line| line.starts_with(key)).expect("it is there") + 1
    }

    #[test]
    fn only_known_words_in_braces_are_replaced() {
        assert_eq!(
            fill("f({a}) { {b}; } {c} {", &[("a", "1"), ("b", "{a}")]),
            "f(1) { {a}; } {c} {"
        );
    }
}
