//! What namespaces have under a name, and what they take from each other (`using`).

use std::rc::Rc;

use super::{KernelLowering, NameBinding};
use crate::read::{DeclaredItem, ItemEntry};
use crate::tree::NamePath;

impl KernelLowering {
    /// What is declared under a name, by the innermost namespace that has it.
    pub(super) fn entries(&self, path: &NamePath) -> Vec<DeclaredItem> {
        self.placed_entries(path).into_iter().map(|entry| entry.item).collect()
    }

    /// The same with the namespaces that they are in.
    pub(super) fn placed_entries(&self, path: &NamePath) -> Vec<ItemEntry> {
        let Some(all) = self.program.items.get(&path.last().name) else { return Vec::new() };
        // The block may take it from a namespace (`using a::f;`).
        let scopes = self.current().scopes.iter().rev().filter(|_| path.parts.len() == 1);
        if let Some(NameBinding::Taken(taken)) =
            scopes.filter_map(|s| s.names.get(&path.last().name)).next()
        {
            return self.placed_entries(taken);
        }
        let mut qualifier: Vec<Rc<str>> =
            path.parts[..path.parts.len() - 1].iter().map(|p| p.name.clone()).collect();
        let mut is_of_all = path.is_of_all();
        if is_of_all {
            qualifier.remove(0);
        } else if let Some(of) = qualifier.first().and_then(|first| self.alias_of_block(first)) {
            qualifier.splice(..1, of.iter().cloned());
            is_of_all = true;
        }
        let frame = self.current();
        let mut around: Vec<Rc<str>> = frame.namespace.to_vec();
        if let Some(owner) = frame.owner {
            let tree = &self.structures[owner].tree;
            around = tree.namespace.iter().cloned().chain([tree.name.clone()]).collect();
        }
        if is_of_all {
            around.clear();
        }
        let is_defined = |entry: &ItemEntry| !matches!(entry.item, DeclaredItem::Declared);
        let pick = |is: &dyn Fn(&[Rc<str>]) -> bool| -> Vec<ItemEntry> {
            let found: Vec<ItemEntry> = all.iter().filter(|e| is(&e.namespace)).cloned().collect();
            match found.iter().any(is_defined) {
                true => found.into_iter().filter(is_defined).collect(),
                false => found,
            }
        };
        let of_blocks = if path.parts.len() == 1 {
            self.namespaces_of_blocks(&path.last().name)
        } else {
            Vec::new()
        };
        let mut real = None;
        for k in (0..=around.len()).rev() {
            let written = [&around[..k], &qualifier].concat();
            let whole = self.program.without_aliases(written.clone());
            if whole != written && real.is_none() {
                real = Some(whole.clone());
            }
            let taken = self.namespaces_taken_by(&whole, &path.last().name);
            // What a block takes is seen as if it stood in the innermost namespace around both.
            let is_of_block = |n: &[Rc<str>]| {
                let shared = n.iter().zip(&around).take_while(|(a, b)| a == b).count();
                shared == k && of_blocks.iter().any(|taken| n.ends_with(taken))
            };
            // `using ::f` takes what is in no namespace.
            let is_taken = |n: &[Rc<str>]| {
                taken.iter().any(|of| if of.is_empty() { n.is_empty() } else { n.ends_with(of) })
            };
            let found = pick(&|n| *n == whole[..] || is_taken(n) || is_of_block(n));
            if found.iter().any(is_defined) {
                return found;
            }
        }
        let qualifier = real.unwrap_or(qualifier);
        if is_of_all && qualifier.is_empty() {
            return pick(&<[Rc<str>]>::is_empty);
        }
        let found = pick(&|n| n.ends_with(&qualifier));
        // `cuda::std` has what `cuda` has.
        if found.is_empty() && qualifier.last().is_some_and(|q| &**q == "std") {
            return pick(&|n| n.ends_with(&qualifier[..qualifier.len() - 1]));
        }
        found
    }

    /// The namespaces that the blocks around take, and what these take.
    fn namespaces_of_blocks(&self, name: &Rc<str>) -> Vec<Vec<Rc<str>>> {
        let mut found: Vec<Vec<Rc<str>>> = Vec::new();
        for taken in self.current().scopes.iter().flat_map(|scope| &scope.namespaces) {
            found.extend(self.namespaces_taken_by(taken, name));
            found.push(taken.clone());
        }
        found
    }

    /// What another name of a namespace stands for that a block around has.
    fn alias_of_block(&self, name: &Rc<str>) -> Option<&Vec<Rc<str>>> {
        self.current().scopes.iter().rev().find_map(|scope| scope.aliases_of_namespaces.get(name))
    }

    /// A namespace by its own names, as it is named here.
    pub(super) fn real_namespace(&self, names: &[Rc<str>]) -> Vec<Rc<str>> {
        match names.first().and_then(|first| self.alias_of_block(first)) {
            Some(of) => [&of[..], &names[1..]].concat(),
            None => self
                .program
                .namespace_named(names, &self.current().namespace)
                .unwrap_or_else(|| names.to_vec()),
        }
    }

    /// The namespaces whose names, or this one of them, are a namespace's as well
    /// (`using namespace a`, `using a::f`).
    fn namespaces_taken_by(&self, namespace: &[Rc<str>], name: &Rc<str>) -> Vec<Vec<Rc<str>>> {
        let mut found: Vec<Vec<Rc<str>>> = Vec::new();
        let mut open: Vec<Vec<Rc<str>>> = vec![namespace.to_vec()];
        while let Some(next) = open.pop() {
            let of = |whole: &[Rc<str>]| {
                *whole == next[..] || !next.is_empty() && whole.ends_with(&next)
            };
            let whole = self
                .program
                .namespaces_taken
                .iter()
                .filter(|(within, _)| of(within))
                .map(|(_, names)| names.clone());
            let single = self
                .program
                .names_taken
                .iter()
                .filter(|(within, names)| of(within) && names.last() == Some(name));
            let single = single.map(|(_, names)| names[..names.len() - 1].to_vec());
            for taken in whole.chain(single) {
                let taken = match taken.is_empty() {
                    true => taken,
                    false => self.program.namespace_named(&taken, &next).unwrap_or(taken),
                };
                if !found.contains(&taken) {
                    if !taken.is_empty() {
                        open.push(taken.clone());
                    }
                    found.push(taken);
                }
            }
        }
        found
    }
}
