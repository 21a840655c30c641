//! The state space of each location of a test.

use margay_litmus::test::{Base, Body, LocationDeclaration, Space, Test, element};

use super::shared;

/// The state space of each location: as declared, as an access by its name or an asynchronous
/// operation says, or global. Mbarriers are in shared memory.
pub(crate) fn spaces(test: &Test) -> Vec<Space> {
    let declared = |l: &LocationDeclaration| {
        if l.mbarrier { Space::Shared } else { l.space.unwrap_or(Space::Global) }
    };
    let mut spaces: Vec<Space> = test.locations.iter().map(declared).collect();
    for thread in &test.threads {
        let Body::Instructions(instructions) = &thread.body else { continue };
        for i in instructions {
            if let Some((access, address)) = i.operation.memory()
                && let Base::Location(name) = &address.base
                && access.space == Some(Space::Shared)
                && let Some(l) = test.location(name)
            {
                spaces[l] = Space::Shared;
            }
            for (address, _) in shared::operands(&i.operation) {
                let Base::Location(name) = &address.base else { continue };
                // An array is in one space as a whole.
                let array = |name: &str| {
                    element(name).map_or(name.to_owned(), |(array, _)| array.to_owned())
                };
                for (l, declared) in test.locations.iter().enumerate() {
                    if array(&declared.name) == array(name.as_str()) {
                        spaces[l] = Space::Shared;
                    }
                }
            }
        }
    }
    spaces
}
