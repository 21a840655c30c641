//! Names behind `decltype`, before a program is read.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lex::{CudaToken, Lexeme};

/// `decltype(e)::name` with a name in front of the `::`, as other paths have it:
/// `__margay_type<decltype(e)>::name`.
pub(super) fn with_names_of_types(tokens: Vec<CudaToken>) -> Vec<CudaToken> {
    let is_named = |t: &CudaToken| t.word().is_some_and(|w| &**w == "decltype");
    let mut openings = Vec::new();
    let mut ends = FxHashMap::default();
    for (n, token) in tokens.iter().enumerate() {
        if token.is_sign("(") {
            openings.push(n);
        } else if token.is_sign(")") {
            let before = openings
                .pop()
                .and_then(|open| open.checked_sub(1))
                .filter(|&n| is_named(&tokens[n]));
            if let Some(start) =
                before.filter(|_| tokens.get(n + 1).is_some_and(|t| t.is_sign("::")))
            {
                ends.insert(start, n);
            }
        }
    }
    if ends.is_empty() {
        return tokens;
    }
    let last: FxHashSet<usize> = ends.values().copied().collect();
    let mut found = Vec::with_capacity(tokens.len() + 3 * ends.len());
    for (n, token) in tokens.into_iter().enumerate() {
        let sign = |sign| CudaToken { lexeme: Lexeme::Sign(sign), ..token.clone() };
        let close = last.contains(&n).then(|| sign(">"));
        if ends.contains_key(&n) {
            found.push(CudaToken { lexeme: Lexeme::Word("__margay_type".into()), ..token.clone() });
            found.push(sign("<"));
        }
        found.push(token);
        found.extend(close);
    }
    found
}
