//! Which names mean what at a place of the text. Names may be shadowed; functions keep the scope of
//! their definition.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::TypedMeaning;

/// How many layers a look-up goes through at most before they are merged.
const MAX_LAYERS: usize = 16;

/// The names visible at a place.
#[derive(Clone)]
pub(super) struct NameScope(Rc<Layer>);

/// A few names, on top of others.
struct Layer {
    names: RefCell<FxHashMap<String, TypedMeaning>>,
    /// What they shadow.
    below: Option<NameScope>,
    /// The number of layers, this one included.
    depth: usize,
    /// Does a function or procedure know this layer?
    captured: Cell<bool>,
}

impl NameScope {
    /// No names.
    pub(super) fn new() -> Self {
        Self(Rc::new(Layer {
            names: RefCell::default(),
            below: None,
            depth: 1,
            captured: Cell::new(false),
        }))
    }

    /// An empty layer on top of this scope.
    pub(super) fn inner(&self) -> Self {
        let (names, below, depth) = if self.0.depth < MAX_LAYERS {
            (FxHashMap::default(), Some(self.clone()), self.0.depth + 1)
        } else {
            (self.merged(), None, 1)
        };
        Self(Rc::new(Layer {
            names: RefCell::new(names),
            below,
            depth,
            captured: Cell::new(false),
        }))
    }

    pub(super) fn get(&self, name: &str) -> Option<TypedMeaning> {
        let mut layer = Some(self);
        while let Some(NameScope(here)) = layer {
            if let Some(value) = here.names.borrow().get(name) {
                return Some(value.clone());
            }
            layer = here.below.as_ref();
        }
        None
    }

    /// Gives a name a meaning from here on. `taken`: the name means something already that is in no
    /// layer.
    pub(super) fn bind(&mut self, name: &str, value: TypedMeaning, taken: bool) {
        // What a function may have looked up must not change for it.
        if self.0.captured.get() && (taken || self.get(name).is_some()) {
            *self = self.inner();
        }
        self.0.names.borrow_mut().insert(name.to_owned(), value);
    }

    /// For a function or procedure to keep.
    pub(super) fn capture(&self) -> Self {
        let mut layer = Some(self);
        while let Some(NameScope(here)) = layer {
            here.captured.set(true);
            layer = here.below.as_ref();
        }
        self.clone()
    }

    /// Every name, in alphabetical order.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.merged().into_keys().collect();
        names.sort();
        names
    }

    /// Forgets every name of this layer, so that functions that know the scope they are in can be
    /// freed.
    pub(super) fn clear(&self) {
        let names = std::mem::take(&mut *self.0.names.borrow_mut());
        drop(names);
    }

    fn merged(&self) -> FxHashMap<String, TypedMeaning> {
        let mut names = self.0.below.as_ref().map_or_else(FxHashMap::default, NameScope::merged);
        names.extend(self.0.names.borrow().iter().map(|(k, v)| (k.clone(), v.clone())));
        names
    }
}

impl fmt::Debug for NameScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The names only: functions know the scope that knows them.
        f.debug_set().entries(self.names()).finish()
    }
}
