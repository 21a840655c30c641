//! The built-in models, each read once: many a test asks for one a thousand times.

use std::collections::BTreeMap;
use std::sync::Mutex;

use margay_models::library;
use margay_models::model::Model;

pub fn model(name: &str) -> Model {
    static READ: Mutex<BTreeMap<String, Model>> = Mutex::new(BTreeMap::new());
    // A test that panics while another one waits says so itself.
    let mut read = READ.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let load = || library::load(name, &[]).unwrap_or_else(|e| panic!("{}", e[0])).model;
    read.entry(name.to_owned()).or_insert_with(load).clone()
}
