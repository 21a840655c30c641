//! A name is that of one thing, and few files name a base relation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::workspace::{packages, sources};

/// Names that say nothing without a noun before them, and how many types may have each. One that is
/// left is renamed when its file is touched, and its number here becomes smaller.
const BARE_NAMES: [(&str, usize); 18] = [
    ("Options", 1),
    ("Answer", 0),
    ("Asked", 0),
    ("Found", 0),
    ("Given", 0),
    ("Step", 2),
    ("Row", 1),
    ("Kept", 0),
    ("Known", 0),
    ("Measured", 0),
    ("Named", 0),
    ("Said", 1),
    ("Shown", 0),
    ("Written", 1),
    ("Chosen", 0),
    ("Search", 0),
    ("Compiled", 1),
    ("Compared", 0),
];

/// How many types may have a name that another one has, too; it may only become smaller.
const MOST_SHARED_NAMES: usize = 2;

#[test]
fn no_new_type_has_a_name_that_a_search_cannot_find() {
    let mut counted: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for package in packages().values() {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            for line in text.lines() {
                // An indented `type` is associated with a trait, which names it.
                let is_associated = line.starts_with([' ', '\t']);
                let line = line.trim_start();
                let line = line
                    .strip_prefix("pub")
                    .map_or(line, |rest| rest.split_once(' ').map_or("", |(_, rest)| rest));
                let keywords: &[&str] = if is_associated {
                    &["struct ", "enum ", "trait "]
                } else {
                    &["struct ", "enum ", "trait ", "type "]
                };
                let name = keywords.iter().find_map(|keyword| line.strip_prefix(keyword));
                let name = name
                    .and_then(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next());
                if let Some(name) = name {
                    counted.entry(name.to_owned()).or_default().push(path.clone());
                }
            }
        }
    }
    assert!(counted.len() > 800, "{}", counted.len());
    let shared: usize = counted.values().map(Vec::len).filter(|&types| types > 1).sum();
    assert!(
        shared <= MOST_SHARED_NAMES,
        "{shared} types share their names with others; there were {MOST_SHARED_NAMES}"
    );
    for (name, most) in BARE_NAMES {
        let here = counted.get(name).map_or(&[] as &[PathBuf], Vec::as_slice);
        assert!(
            here.len() <= most,
            "`{name}` is the name of {} types; a new one has a noun of the glossary before it: {here:#?}",
            here.len()
        );
    }
}

/// In how many files each base relation is named, at most: in that of its name, in one or two of
/// each engine, and where somebody asks about this relation alone. Whoever treats several alike
/// goes by `BaseRelation::kind`, and by what else is said there. The numbers may become smaller
/// only.
const FILES_OF_A_RELATION: [(&str, usize); 22] = [
    ("Id", 3),
    ("Po", 5),
    ("Rf", 5),
    ("Co", 5),
    ("Fr", 4),
    ("Loc", 5),
    ("Vloc", 4),
    ("Int", 5),
    ("Ext", 4),
    ("Rmw", 5),
    ("Addr", 5),
    ("Data", 5),
    ("Ctrl", 5),
    ("Sr", 5),
    ("Scta", 3),
    ("Scluster", 3),
    ("Sgpu", 3),
    ("Syncbar", 4),
    ("SyncBarrier", 3),
    ("AsyncIssue", 3),
    ("AsyncComplete", 4),
    ("SyncFence", 5),
];

/// The base relations that a text names, by itself or in the list of a `use`.
fn relations_named(text: &str) -> BTreeSet<&str> {
    let mut named = BTreeSet::new();
    for line_or_list in
        ["BaseRelation::", "RelationKind::"].iter().flat_map(|path| text.split(path).skip(1))
    {
        let list =
            line_or_list.strip_prefix('{').map(|list| list.split('}').next().unwrap_or_default());
        let is_no_name = |c: char| !c.is_alphanumeric() && c != '_';
        match list {
            Some(list) => named.extend(list.split(is_no_name).filter(|name| !name.is_empty())),
            None => named.extend(line_or_list.split(is_no_name).next()),
        }
    }
    named
}

#[test]
fn a_base_relation_is_named_in_few_files() {
    let (mut files, mut looked_at) = (BTreeMap::<&str, Vec<PathBuf>>::new(), 0);
    let home = "models/src/signature/relation.rs";
    for package in packages().values() {
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            let product = text.split("\nmod tests {").next().unwrap_or_default();
            let lines = product.lines().map(|line| line.split("//").next().unwrap_or_default());
            let code = lines.collect::<Vec<_>>().join("\n");
            let named = relations_named(&code);
            looked_at += usize::from(!named.is_empty());
            for (relation, _) in FILES_OF_A_RELATION {
                if named.contains(relation) || path.ends_with(home) {
                    files.entry(relation).or_default().push(path.clone());
                }
            }
        }
    }
    assert!(
        looked_at > 20,
        "{looked_at} files name base relations: this test looks in the wrong place"
    );
    let counted: Vec<(&str, usize)> = FILES_OF_A_RELATION
        .iter()
        .map(|(relation, _)| (*relation, files[relation].len()))
        .collect();
    for ((relation, most), (_, here)) in FILES_OF_A_RELATION.into_iter().zip(&counted) {
        assert!(
            *here <= most,
            "`{relation}` is named in {here} files, and was in {most}; is there a kind or a property of base relations for it? {:#?} {counted:?}",
            files[relation]
        );
    }
}
