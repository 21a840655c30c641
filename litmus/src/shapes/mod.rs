//! The classic shapes (Alglave, Maranget, Tautschnig: Herding cats, TOPLAS 2014, and the cycles of
//! three and four threads) in PTX and in scoped C: with weak, relaxed, release and acquire,
//! seq_cst, and fenced accesses, at every scope and placement that matters.
//!
//! They are made where they are needed, by tests and by `margay gen --shapes`; their verdicts are
//! kept in tests/shapes of the repository, a list for each set.

mod annotated;

use std::path::{Path, PathBuf};
use std::{fs, io};

use margay_models::execution::Scope;

use crate::corpus::EXPECTED;
use crate::identity::classic::{CLASSICS, Classic};
use crate::test::Test;
use annotated::{PLACES, Style, test};

/// A set of tests, in one language.
#[derive(Debug)]
pub struct ShapeSet {
    /// The name of its folder, and of the list of its verdicts.
    pub name: &'static str,
    c: bool,
    styles: &'static [Style],
}

/// All sets: 800 tests in PTX and 960 in scoped C.
pub const SETS: [ShapeSet; 2] = [
    ShapeSet {
        name: "shapes-c",
        c: true,
        styles: &[
            Style::Relaxed,
            Style::ReleaseAcquire,
            Style::SeqCst,
            Style::FenceAcqRel,
            Style::FenceSc,
        ],
    },
    ShapeSet {
        name: "shapes-ptx",
        c: false,
        styles: &[
            Style::Weak,
            Style::Relaxed,
            Style::ReleaseAcquire,
            Style::FenceAcqRel,
            Style::FenceSc,
        ],
    },
];

impl ShapeSet {
    /// Its tests, each with the name of its shape: shape by shape, then by annotation, scope and
    /// placement.
    pub fn tests(&self) -> impl Iterator<Item = (&'static str, Test)> + '_ {
        CLASSICS.iter().flat_map(move |shape| {
            self.styles.iter().flat_map(move |&style| self.placed(shape, style))
        })
    }

    fn placed(
        &self,
        shape: &'static Classic,
        style: Style,
    ) -> impl Iterator<Item = (&'static str, Test)> + '_ {
        // Weak accesses have no scope.
        let places: &[(Scope, Scope)] =
            if style == Style::Weak { &[(Scope::Gpu, Scope::Gpu)] } else { &PLACES };
        places.iter().map(move |&place| (shape.name, test(shape, style, place, self.c)))
    }
}

/// The name of a test's file.
pub fn file_name(test: &Test) -> String {
    format!("{}.litmus", test.name)
}

/// The two folders with all tests of a repository of which verdicts are known: tests/corpus, and
/// `scratch/shapes`, where the sets are written with the verdicts of tests/shapes. Files that are
/// there already and are the same are left alone, so that several processes may do so at a time.
///
/// # Errors
/// A list cannot be read, or `scratch` not be written to.
pub fn corpora(repository: &Path, scratch: &Path) -> io::Result<[PathBuf; 2]> {
    let (lists, shapes) = (repository.join("tests/shapes"), scratch.join("shapes"));
    for set in &SETS {
        let folder = shapes.join(set.name);
        fs::create_dir_all(&folder)?;
        for (_, test) in set.tests() {
            keep(&folder.join(file_name(&test)), &test.to_string())?;
        }
        keep(
            &folder.join(EXPECTED),
            &fs::read_to_string(lists.join(format!("{}.txt", set.name)))?,
        )?;
    }
    Ok([repository.join("tests/corpus"), shapes])
}

fn keep(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|before| before == text) {
        return Ok(());
    }
    // Whole or not at all, for those who read it at the same time.
    let new = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&new, text)?;
    fs::rename(&new, path)
}
