//! Files of a crate that name each other in a circle, found in the sources. An arrow goes from a
//! file to the one that defines what it names; names that a module hands on (`pub use`) lead to
//! where they are defined. Methods that are called, and what macros make, are not followed.
//! `MARGAY_ARROWS=1 cargo test --test circles -- --nocapture` lists the arrows with the names that
//! make them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The most files of one circle.
const LARGEST_CIRCLE: usize = 4;

/// A place in the tree of modules of a crate, from its root.
type ModulePath = Vec<String>;

/// What a name of a module is.
#[derive(Debug, Clone)]
enum NameMeaning {
    /// It is defined here.
    Defined,
    /// It is another name for what is at this path, as it stands in the source.
    Imported(Vec<String>),
}

/// A module: a file, or a `mod {}` within one.
#[derive(Debug, Default)]
struct SourceModule {
    file: usize,
    names: BTreeMap<String, NameMeaning>,
    /// Modules of which all names are taken.
    globs: Vec<Vec<String>>,
    /// The paths that stand in the code, as they are written, without those of `use`.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate.
#[derive(Debug, Default)]
struct CrateTree {
    files: Vec<String>,
    modules: BTreeMap<ModulePath, SourceModule>,
}

fn is_of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes
        .iter()
        .any(|a| matches!(&a.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test"))
}

/// The names that a `use` brings, each with its path; `None` is for all of a module.
fn imported(tree: &syn::UseTree, before: &[String], into: &mut Vec<(Option<String>, Vec<String>)>) {
    let with = |last: &syn::Ident| [before, &[last.to_string()]].concat();
    match tree {
        syn::UseTree::Path(path) => imported(&path.tree, &with(&path.ident), into),
        syn::UseTree::Name(name) if name.ident == "self" => {
            into.push((before.last().cloned(), before.to_vec()))
        }
        syn::UseTree::Name(name) => into.push((Some(name.ident.to_string()), with(&name.ident))),
        syn::UseTree::Rename(name) if name.ident == "self" => {
            into.push((Some(name.rename.to_string()), before.to_vec()))
        }
        syn::UseTree::Rename(name) => into.push((Some(name.rename.to_string()), with(&name.ident))),
        syn::UseTree::Glob(_) => into.push((None, before.to_vec())),
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|one| imported(one, before, into))
        }
    }
}

/// Collects the paths of code, those within calls of macros, too.
struct PathCollector<'a> {
    paths: &'a mut BTreeSet<Vec<String>>,
}

impl PathCollector<'_> {
    fn collect_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        let mut flush = |path: &mut Vec<String>| {
            if !path.is_empty() {
                self.paths.insert(std::mem::take(path));
            }
        };
        let mut groups = Vec::new();
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(ident) => {
                    if colons != 2 {
                        flush(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                proc_macro2::TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    flush(&mut path);
                    colons = 0;
                    if let proc_macro2::TokenTree::Group(group) = other {
                        groups.push(group.stream());
                    }
                }
            }
        }
        flush(&mut path);
        groups.into_iter().for_each(|group| self.collect_tokens(group));
    }
}

impl<'ast> Visit<'ast> for PathCollector<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.paths.insert(path.segments.iter().map(|s| s.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }

    /// Who may see a thing (`pub(in crate::read)`) is no use of what it names.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.collect_tokens(called.tokens.clone());
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_of_tests(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }
}

impl CrateTree {
    /// Reads the file of a module, and those of its children.
    fn read(&mut self, file: &Path, children: &Path, at: &[String]) {
        let text =
            std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let number = self.files.len();
        self.files.push(
            file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(file).display().to_string(),
        );
        self.read_items(&parsed.items, number, children, at);
    }

    fn read_items(&mut self, items: &[syn::Item], file: usize, children: &Path, at: &[String]) {
        let mut module = SourceModule { file, ..SourceModule::default() };
        let mut inner = Vec::new();
        for item in items {
            let defined = match item {
                syn::Item::Mod(one) => {
                    if !is_of_tests(&one.attrs) {
                        inner.push(one);
                    }
                    continue;
                }
                syn::Item::Use(one) => {
                    let mut found = Vec::new();
                    if !is_of_tests(&one.attrs) {
                        imported(&one.tree, &[], &mut found);
                    }
                    for (name, path) in found {
                        match name {
                            Some(name) => {
                                drop(module.names.insert(name, NameMeaning::Imported(path)))
                            }
                            None => module.globs.push(path),
                        }
                    }
                    continue;
                }
                syn::Item::Fn(one) => Some(&one.sig.ident),
                syn::Item::Struct(one) => Some(&one.ident),
                syn::Item::Enum(one) => Some(&one.ident),
                syn::Item::Union(one) => Some(&one.ident),
                syn::Item::Trait(one) => Some(&one.ident),
                syn::Item::Type(one) => Some(&one.ident),
                syn::Item::Const(one) => Some(&one.ident),
                syn::Item::Static(one) => Some(&one.ident),
                syn::Item::Macro(one) => one.ident.as_ref(),
                _ => None,
            };
            if let Some(ident) = defined {
                module.names.insert(ident.to_string(), NameMeaning::Defined);
            }
            PathCollector { paths: &mut module.paths }.visit_item(item);
        }
        self.modules.insert(at.to_vec(), module);
        for one in inner {
            let name = one.ident.to_string().trim_start_matches("r#").to_owned();
            let below = [at, std::slice::from_ref(&name)].concat();
            match &one.content {
                Some((_, items)) => self.read_items(items, file, &children.join(&name), &below),
                None => {
                    let alone = children.join(format!("{name}.rs"));
                    let chosen = one.attrs.iter().find_map(|a| match &a.meta {
                        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => {
                            match &pair.value {
                                syn::Expr::Lit(syn::ExprLit {
                                    lit: syn::Lit::Str(text), ..
                                }) => Some(children.join(text.value())),
                                _ => None,
                            }
                        }
                        _ => None,
                    });
                    let file = chosen.unwrap_or_else(|| {
                        if alone.exists() { alone } else { children.join(&name).join("mod.rs") }
                    });
                    self.read(&file, &children.join(&name), &below);
                }
            }
        }
    }

    /// The file that defines what a path names, seen from a module; `None` where it is of another
    /// crate, or a local name.
    fn file_of(&self, path: &[String], from: &ModulePath, depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        if depth > 16 {
            return None;
        }
        let mut at = match first.as_str() {
            "crate" => Vec::new(),
            "self" => from.clone(),
            "super" => from.split_last()?.1.to_vec(),
            _ => return self.file_in(from, path, depth),
        };
        let mut rest = rest;
        while let Some((next, after)) = rest.split_first().filter(|(next, _)| *next == "super") {
            debug_assert_eq!(next, "super");
            at.pop()?;
            rest = after;
        }
        self.file_in(&at, rest, depth)
    }

    /// The same for a path that begins with a name of this module.
    fn file_in(&self, at: &ModulePath, path: &[String], depth: usize) -> Option<usize> {
        let module = self.modules.get(at)?;
        let Some((first, rest)) = path.split_first() else { return Some(module.file) };
        let below = [at.as_slice(), std::slice::from_ref(first)].concat();
        if self.modules.contains_key(&below) {
            return self.file_in(&below, rest, depth);
        }
        match module.names.get(first) {
            Some(NameMeaning::Defined) => Some(module.file),
            Some(NameMeaning::Imported(path)) => {
                self.file_of(&[path, rest].concat(), at, depth + 1)
            }
            None => module
                .globs
                .iter()
                .find_map(|glob| self.file_of(&[glob, path].concat(), at, depth + 1)),
        }
    }

    /// The files that each file names.
    fn arrows(&self) -> Vec<BTreeSet<usize>> {
        let mut arrows = vec![BTreeSet::new(); self.files.len()];
        for (at, module) in &self.modules {
            // A name alone that is also a module's is a variable's.
            let is_variable = |path: &[String]| {
                path.len() == 1 && self.modules.contains_key(&[at.as_slice(), path].concat())
            };
            for path in module.paths.iter().filter(|path| !is_variable(path)) {
                let to = self.file_of(path, at, 0).filter(|to| *to != module.file);
                if let (Some(to), true) = (to, std::env::var("MARGAY_ARROWS").is_ok()) {
                    eprintln!(
                        "EDGE {} {} {}",
                        self.files[module.file],
                        self.files[to],
                        path.join("::")
                    );
                }
                arrows[module.file].extend(to);
            }
        }
        arrows
    }
}

/// The largest sets in which each number leads to each other one, of two and more.
fn circles(arrows: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached = |from: usize| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(one) = open.pop() {
            open.extend(arrows[one].iter().filter(|next| seen.insert(**next)));
        }
        seen
    };
    let reached: Vec<BTreeSet<usize>> = (0..arrows.len()).map(reached).collect();
    let mut found: BTreeSet<Vec<usize>> = BTreeSet::new();
    for one in 0..arrows.len() {
        let circle: Vec<usize> =
            reached[one].iter().copied().filter(|other| reached[*other].contains(&one)).collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// The crates' folders, as the workspace lists them.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: toml::Table = std::fs::read_to_string(root.join("Cargo.toml"))
        .expect("the manifest")
        .parse()
        .expect("TOML");
    let members = manifest["workspace"]["members"].as_array().expect("members");
    std::iter::once(root.to_owned())
        .chain(members.iter().map(|m| root.join(m.as_str().expect("a folder"))))
        .collect()
}

#[test]
fn no_circle_of_files_is_large() {
    let (mut files, mut arrows_seen, mut large) = (0, 0, Vec::new());
    for folder in folders() {
        let source = folder.join("src");
        let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
        for root in roots.iter().filter(|root| root.exists()) {
            let mut tree = CrateTree::default();
            tree.read(root, &source, &[]);
            let arrows = tree.arrows();
            files += tree.files.len();
            arrows_seen += arrows.iter().map(BTreeSet::len).sum::<usize>();
            for circle in circles(&arrows) {
                let within = |file: &usize| {
                    let to: Vec<&str> = arrows[*file]
                        .iter()
                        .filter(|t| circle.contains(t))
                        .map(|t| tree.files[*t].as_str())
                        .collect();
                    format!("    {} -> {}", tree.files[*file], to.join(", "))
                };
                if circle.len() > LARGEST_CIRCLE {
                    large.push(format!(
                        "{} files\n{}",
                        circle.len(),
                        circle.iter().map(within).collect::<Vec<_>>().join("\n")
                    ));
                }
            }
        }
    }
    assert!(
        files > 1000 && arrows_seen > 3 * files,
        "{files} files, {arrows_seen} arrows: some are not seen"
    );
    assert!(large.is_empty(), "files that name each other in a circle:\n{}", large.join("\n"));
}

/// Where one file names another, and that leads back, the circle is found: through what a module
/// hands on, a call of a macro, and `super`.
#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in [
        (
            "lib.rs",
            "mod a;\nmod face;\n#[cfg(test)]\nmod tests { use crate::a::Top; }\npub fn first(_: a::Top) {}\n",
        ),
        (
            "a.rs",
            "use crate::face::{self as shown, Shown};\npub struct Top(Shown);\nfn print() { println!(\"{}\", shown::inner::LIMIT); }\n",
        ),
        ("face/mod.rs", "pub mod inner;\nmod shown;\npub use shown::*;\n"),
        ("face/inner.rs", "pub const LIMIT: usize = 1;\n"),
        (
            "face/shown.rs",
            "pub struct Shown(Option<Box<super::super::a::Top>>);\npub(in crate::face) fn alone(inner: usize) -> usize { inner }\n",
        ),
    ] {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("there is room");
    }
    let mut tree = CrateTree::default();
    tree.read(&folder.path().join("lib.rs"), folder.path(), &[]);
    let name = |file: &usize| tree.files[*file].rsplit('/').next().expect("a name");
    let arrows = tree.arrows();
    let of = |file: &str| {
        let from = (0..arrows.len()).find(|n| name(n) == file).expect("a file");
        arrows[from].iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(
        (of("lib.rs"), of("a.rs"), of("shown.rs")),
        (vec!["a.rs"], vec!["inner.rs", "shown.rs"], vec!["a.rs"])
    );
    let found: Vec<Vec<&str>> =
        circles(&arrows).iter().map(|circle| circle.iter().map(name).collect()).collect();
    assert_eq!(found, [["a.rs", "shown.rs"]]);
}
