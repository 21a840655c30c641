//! The names that kernels have in the source: compilers of C++ write parameters and namespaces into
//! those of PTX (Itanium C++ ABI, 5.1).

/// The name in the source of a kernel with its namespaces, of its mangled one: `locks::take` of
/// `_ZN5locks4takeEPi`.
fn source_name(mangled: &str) -> Option<String> {
    let rest = mangled.strip_prefix("_Z")?;
    let (mut rest, is_nested) = match rest.strip_prefix('N') {
        Some(nested) => (nested, true),
        None => (rest, false),
    };
    let mut parts: Vec<&str> = Vec::new();
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(length) = rest[..digits].parse::<usize>() else { break };
        parts.push(rest[digits..].get(..length)?);
        rest = &rest[digits + length..];
        if !is_nested {
            break;
        }
    }
    // Namespaces without a name have one here that nobody writes.
    let named: Vec<&str> = parts
        .into_iter()
        .filter(|part| !part.starts_with("_GLOBAL__N_") && !part.starts_with("_INTERNAL"))
        .collect();
    (!named.is_empty()).then(|| named.join("::"))
}

/// The kernels that a name means: the one of that name in PTX, or else those that the source calls
/// so, with its namespaces or without.
#[must_use]
pub fn kernels_named<'k>(name: &str, kernels: &[&'k str]) -> Vec<&'k str> {
    if let Some(exact) = kernels.iter().find(|kernel| **kernel == name) {
        return vec![exact];
    }
    let is_meant = |kernel: &&&str| {
        source_name(kernel).is_some_and(|of| {
            of == name || of.strip_suffix(name).is_some_and(|front| front.ends_with("::"))
        })
    };
    kernels.iter().filter(is_meant).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::kernels_named;

    #[test]
    fn kernels_are_found_by_their_names_in_the_source() {
        let all = [
            "lock",
            "_Z4lockPi",
            "_ZN5locks4takeEPi",
            "_Z3sumIfLi4EEvPT_",
            "_Z3sumIiLi4EEvPT_",
            "_ZN12_GLOBAL__N_13ownEv",
            "_Z9",
            "_ZN",
        ];
        for (name, found) in [
            ("lock", &["lock"][..]),
            ("take", &["_ZN5locks4takeEPi"]),
            ("locks::take", &["_ZN5locks4takeEPi"]),
            ("ake", &[]),
            ("sum", &["_Z3sumIfLi4EEvPT_", "_Z3sumIiLi4EEvPT_"]),
            ("_Z4lockPi", &["_Z4lockPi"]),
            ("own", &["_ZN12_GLOBAL__N_13ownEv"]),
            ("", &[]),
        ] {
            assert_eq!(kernels_named(name, &all), found, "{name}");
        }
        assert_eq!(kernels_named("lock", &all[1..]), ["_Z4lockPi"]);
    }
}
