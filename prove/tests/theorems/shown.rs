//! What people read of an argument says what its claims say.

use margay_prove::theorem::shown;
use margay_theorem::argument::{Claim, ClaimStep, Rule};
use margay_theorem::argument::{Property, W, X, Y, Z};
use margay_theorem::logic::{EventAtom, Lit};

use super::{mapping, no_sc, setting};

#[test]
fn claims_are_shown_in_the_notation_of_cat() {
    let mapping = mapping("rc11-to-ptx", None);
    let setting = setting(&mapping, &no_sc());
    let theory = &setting.theory;
    let named =
        |name: &str| theory.symbols.shown(name).unwrap_or_else(|| panic!("there is no {name}"));
    let on = |set: &str, event| EventAtom::unary(named(set), event);
    let edge = |relation: &str, from, to| EventAtom::binary(named(relation), from, to);
    let (yes, no) = (Lit::yes, Lit::no);
    let claim =
        |lits: &[Lit]| Claim::Pairs { of: named("obs"), property: Property::Clause(lits.to_vec()) };
    for (lits, text, claimed) in [
        (&[yes(on("W", X))][..], "obs starts in W", "obs(x, y) -> W(x)"),
        (&[no(on("W", Y))], "obs ends in no W", "obs(x, y), W(y) -> false"),
        (&[yes(edge("loc", X, Y))], "obs in loc", "obs(x, y) -> loc(x, y)"),
        (&[yes(edge("loc", Y, X))], "obs in loc^-1", "obs(x, y) -> loc(y, x)"),
        (&[no(edge("id", X, Y))], "irreflexive obs", "obs(x, y), x = y -> false"),
        (&[no(edge("po", Y, X))], "irreflexive obs; po", "obs(x, y), po(y, x) -> false"),
        (&[no(edge("po", X, Y))], "empty obs & po", "obs(x, y), po(x, y) -> false"),
        (
            &[no(edge("rmw", Y, Z)), yes(edge("co", X, Z))],
            "obs; rmw in co",
            "obs(x, y), rmw(y, z) -> co(x, z)",
        ),
        (
            &[no(edge("rmw", Z, Y)), yes(edge("co", Z, X))],
            "obs; rmw^-1 in co^-1",
            "obs(x, y), rmw(z, y) -> co(z, x)",
        ),
        (
            &[no(edge("po", Z, X)), yes(edge("obs", Z, Y))],
            "po; obs in obs",
            "obs(x, y), po(z, x) -> obs(z, y)",
        ),
        (
            &[no(edge("co", X, Z)), yes(edge("fr", Y, Z))],
            "co^-1; obs in fr^-1",
            "obs(x, y), co(x, z) -> fr(y, z)",
        ),
        // Forms without such a notation.
        (
            &[no(edge("po", Y, Z)), yes(edge("po", Y, W))],
            "obs(x, y), po(y, z) -> po(y, u)",
            "obs(x, y), po(y, z) -> po(y, u)",
        ),
        (
            &[yes(edge("po", X, Y)), yes(edge("rf", X, Y))],
            "obs(x, y) -> po(x, y) or rf(x, y)",
            "obs(x, y) -> po(x, y) or rf(x, y)",
        ),
    ] {
        let claim = claim(lits);
        assert_eq!(claim.text(theory), claimed);
        let all =
            shown(theory, &ClaimStep { claims: vec![claim], rule: Rule::Direct, known: true });
        let texts: Vec<String> = all.iter().map(|s| s.text(None)).collect();
        assert_eq!(texts, [text]);
    }

    // Those that are alike stand together, and long lists are cut.
    let sets =
        ["R", "F", "ACQ_REL", "SC", "acquire", "IW"].iter().map(|&set| claim(&[no(on(set, X))]));
    let others =
        [claim(&[yes(on("R", Y))]), claim(&[no(edge("po", Y, X))]), claim(&[no(edge("id", X, Y))])];
    let all = shown(
        theory,
        &ClaimStep { claims: sets.chain(others).collect(), rule: Rule::Direct, known: true },
    );
    let texts: Vec<String> = all.iter().map(|s| s.text(Some(2))).collect();
    assert_eq!(
        texts,
        ["obs starts in no R, F, ... 4 more ...", "obs ends in R", "irreflexive obs; po | obs"]
    );
    assert_eq!(all[0].text(None), "obs starts in no R, F, ACQ_REL, SC, acquire, IW");
    assert_eq!(all.iter().map(|s| s.claims()).sum::<usize>(), 9);
}
