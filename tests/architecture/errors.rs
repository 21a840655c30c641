//! Errors are types. A sentence as an error says what happened to people alone: whoever calls can
//! only compare it.

use syn::visit::Visit;

use super::workspace::{packages, sources};

/// Crates in which a sentence is no error, and why.
const SENTENCES_ARE_ANSWERS: [(&str, &str); 1] = [(
    "margay-kernel",
    "methods of types that it keeps to itself give why a question stays open, which the answer quotes",
)];

/// How many functions that are not public may fail with a sentence, those of traits included; it
/// may become smaller only.
const MOST_PRIVATE: usize = 64;

/// The functions of a crate that fail with a sentence.
#[derive(Default)]
struct SentenceErrors {
    public: Vec<String>,
    private: Vec<String>,
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("test")
            || matches!(&a.meta, syn::Meta::List(list)
                if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}

/// Is it text?
fn is_sentence(error: &syn::Type) -> bool {
    match error {
        syn::Type::Path(path) => {
            path.path.segments.last().is_some_and(|s| s.ident == "String" || s.ident == "Cow")
        }
        syn::Type::Reference(inner) => match &*inner.elem {
            syn::Type::Path(path) => path.path.is_ident("str"),
            _ => false,
        },
        _ => false,
    }
}

/// Is there a `Result` with a sentence as its error in a type, however deep?
#[derive(Default)]
struct Looked {
    found: bool,
}

impl<'ast> Visit<'ast> for Looked {
    fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
        if segment.ident == "Result"
            && let syn::PathArguments::AngleBracketed(list) = &segment.arguments
        {
            let types: Vec<&syn::Type> = list
                .args
                .iter()
                .filter_map(|argument| match argument {
                    syn::GenericArgument::Type(of) => Some(of),
                    _ => None,
                })
                .collect();
            self.found |= matches!(types.as_slice(), [_, error] if is_sentence(error));
        }
        syn::visit::visit_path_segment(self, segment);
    }
}

impl SentenceErrors {
    fn look(&mut self, is_public: bool, signature: &syn::Signature) {
        let mut looked = Looked::default();
        looked.visit_return_type(&signature.output);
        if looked.found {
            let list = if is_public { &mut self.public } else { &mut self.private };
            list.push(signature.ident.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for SentenceErrors {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_test(&module.attrs) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.look(matches!(function.vis, syn::Visibility::Public(_)), &function.sig);
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.look(matches!(function.vis, syn::Visibility::Public(_)), &function.sig);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.look(false, &function.sig);
        syn::visit::visit_trait_item_fn(self, function);
    }
}

fn errors_of(text: &str) -> SentenceErrors {
    let mut found = SentenceErrors::default();
    found.visit_file(&syn::parse_file(text).expect("Rust"));
    found
}

#[test]
fn errors_are_types() {
    let (mut public, mut private, mut looked_at) = (Vec::new(), Vec::new(), 0);
    for (name, package) in packages() {
        if SENTENCES_ARE_ANSWERS.iter().any(|(known, _)| *known == name) {
            continue;
        }
        for (path, text) in sources(&format!("{}/src", package.folder)) {
            let found = errors_of(&text);
            looked_at += 1;
            let named = |function: &String| format!("{}: {function}", path.display());
            public.extend(found.public.iter().map(named));
            private.extend(found.private.iter().map(named));
        }
    }
    assert!(looked_at > 800, "{looked_at} files: this test looks in the wrong place");
    assert!(
        public.is_empty(),
        "these public functions fail with a sentence; is it a diagnostic with a place, an error of its own type, or nothing but an `Option`? {public:#?}"
    );
    assert!(
        private.len() <= MOST_PRIVATE,
        "{} functions fail with a sentence, and there were {MOST_PRIVATE}: {private:#?}",
        private.len()
    );
}

/// The test above finds what it looks for, and nothing else.
#[test]
fn sentences_as_errors_are_found() {
    let text = r#"
        pub fn one() -> Result<(), String> { Ok(()) }
        pub fn two() -> Option<Result<u8, &'static str>> { None }
        fn three() -> std::result::Result<Vec<String>, std::string::String> { fn four() -> Result<u8, Cow<'static, str>> { Ok(1) } Ok(Vec::new()) }
        pub fn typed() -> Result<String, Vec<String>> { Ok(String::new()) }
        trait Trait { fn five(&self) -> Result<(), String>; }
        impl Type { pub(crate) fn six() -> Result<(), String> { Ok(()) } pub fn seven() -> Result<(), String> { Ok(()) } }
        #[cfg(test)] mod tests { fn eight() -> Result<(), String> { Ok(()) } }
    "#;
    let found = errors_of(text);
    assert_eq!(found.public, ["one", "two", "seven"]);
    assert_eq!(found.private, ["three", "four", "five", "six"]);
}
