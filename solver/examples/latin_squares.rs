//! Latin squares of order 4: how many there are, and how many that no exchange of rows, of columns
//! or of symbols makes the same. Run with `cargo run -p margay-solver --example latin_squares`.

use margay_solver::{
    Atom, Backend, Bounds, CardinalityComparison, Encoding, EnumerationEnd, Formula, Logic,
    Session, SolverFailure, SolverLimits, Symmetry, TupleSet, Universe,
};

const ORDER: u32 = 4;

fn main() -> Result<(), SolverFailure> {
    let mut logic = Logic::new();
    let rows = logic.relation("Row", 1);
    let columns = logic.relation("Column", 1);
    let symbols = logic.relation("Symbol", 1);
    let square = logic.relation("square", 3);

    // Each kind of thing has ORDER atoms; the square may hold any symbol anywhere.
    let names =
        ["r", "c", "s"].into_iter().flat_map(|kind| (1..=ORDER).map(move |i| format!("{kind}{i}")));
    let mut bounds = Bounds::new(Universe::new(names));
    let kind = |k: u32| (k * ORDER..(k + 1) * ORDER).map(|a| [Atom(a)]).collect::<Vec<_>>();
    for (relation, k) in [(rows, 0), (columns, 1), (symbols, 2)] {
        bounds.exactly(relation, TupleSet::from_tuples(1, kind(k)));
    }
    let mut cells = Vec::new();
    for [row] in kind(0) {
        for [column] in kind(1) {
            cells.extend(kind(2).into_iter().map(|[symbol]| [row, column, symbol]));
        }
    }
    bounds.between(square, TupleSet::new(3), TupleSet::from_tuples(3, cells));

    // Any two of row, column and symbol determine the third.
    let [r, c, s] = [rows, columns, symbols].map(|set| logic.rel(set));
    let square_of = logic.rel(square);
    let (x, y) = (logic.variable("x"), logic.variable("y"));
    let [x_set, y_set] = [x, y].map(|v| logic.var(v));
    let mut one =
        |first, second, cell: &mut dyn FnMut(&mut Logic) -> margay_solver::Expr| -> Formula {
            let value = cell(&mut logic);
            let single = logic.cardinality(value, CardinalityComparison::Equal, 1);
            logic.for_all(&[(x, first), (y, second)], single)
        };
    let formulas = [
        one(r, c, &mut |l| {
            let row = l.join(x_set, square_of);
            l.join(y_set, row)
        }),
        one(r, s, &mut |l| {
            let row = l.join(x_set, square_of);
            l.join(row, y_set)
        }),
        one(c, s, &mut |l| {
            let with_symbol = l.join(square_of, y_set);
            l.join(with_symbol, x_set)
        }),
    ];

    let symmetry = Symmetry::interchangeable(&bounds, &logic, &formulas);
    let start = || {
        let mut session = Session::new(bounds.clone(), Encoding::default(), &Backend::default());
        for formula in formulas {
            session.assert(&logic, formula);
        }
        session
    };
    let none = SolverLimits::default();
    let (all, ended) = start().instances(&[], &[square], &Symmetry::none(), &none, usize::MAX)?;
    let (classes, _) = start().instances(&[], &[square], &symmetry, &none, usize::MAX)?;
    println!("Latin squares of order {ORDER}: {} ({ended:?})", all.len());
    println!("up to exchanges of rows, columns and symbols: {}", classes.len());
    for class in &classes {
        println!();
        for [row] in kind(0) {
            let symbols =
                class.tuples(square).into_iter().flat_map(|t| t.iter()).filter(|t| t[0] == row);
            println!(
                "  {}",
                symbols.map(|t| (t[2].0 - 2 * ORDER + 1).to_string()).collect::<Vec<_>>().join(" ")
            );
        }
    }
    // What the literature says (OEIS A002860, A040082).
    assert_eq!((all.len(), classes.len(), ended), (576, 2, EnumerationEnd::Complete));
    Ok(())
}

#[test]
fn they_are_as_many_as_the_literature_says() -> Result<(), SolverFailure> {
    main()
}
