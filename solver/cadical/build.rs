//! Compiles CaDiCaL's sources (`upstream/`, unchanged) and `bridge.cpp` into one static library.
//!
//! Almost all sources become one translation unit: its 88 files include each other's headers, and one after the other they took
//! 79 s of CPU, together 32 s (g++ 12, -O3). Nothing else of Margay waits for it but the link of the executable.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Sources that give a name to something of their own that another source gives to something else, so that they cannot be in its
/// translation unit.
const APART: [&str; 3] = ["internal.cpp", "lookahead.cpp", "walk_full_occs.cpp"];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let upstream = here.join("upstream");
    let version = fs::read_to_string(upstream.join("VERSION")).expect("upstream/VERSION is there");
    let version = version.trim();

    let mut sources: Vec<PathBuf> =
        fs::read_dir(upstream.join("src")).expect("upstream/src is there").flatten().map(|e| e.path()).collect();
    sources.retain(|path| path.extension().is_some_and(|e| e == "cpp"));
    sources.sort();
    let includes = |apart: bool| -> String {
        let chosen = sources.iter().filter(|p| APART.iter().any(|a| p.ends_with(a)) == apart);
        chosen.map(|p| format!("#include \"{}\"\n", Path::new("src").join(p.file_name().unwrap_or_default()).display())).collect()
    };
    let units = [("most.cpp", includes(false)), ("apart.cpp", includes(true))].map(|(name, text)| {
        let path = out.join(name);
        fs::write(&path, text).expect("OUT_DIR can be written");
        path
    });

    // As CaDiCaL's own makefile does it, without its messages, statistics and traces of calls. Optimised in every profile: an
    // unoptimised solver is of no use to a test either.
    let mut build = cc::Build::new();
    build.include(&upstream).define("NDEBUG", None).opt_level(3).debug(false).warnings(false);
    let mut cpp = build.clone();
    cpp.cpp(true).flag_if_supported("-std=c++11").include(upstream.join("src"));
    for name in ["NBUILD", "NUNLOCKED", "NTRACING", "QUIET", "NCLOSEFROM"] {
        cpp.define(name, None);
    }
    cpp.define("VERSION", format!("\"{version}\"").as_str());
    cpp.files(&units).file(here.join("bridge.cpp")).compile("margay_cadical");
    // Behind the C++ library, which calls it.
    build.file(upstream.join("src/kitten.c")).compile("margay_kitten");

    println!("cargo:rustc-env=CADICAL_VERSION={version}");
    for path in ["upstream", "bridge.cpp", "build.rs"] {
        println!("cargo:rerun-if-changed={}", here.join(path).display());
    }
}
