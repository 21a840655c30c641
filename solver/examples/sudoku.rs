//! A sudoku of four by four, in operators: the digits that are given leave one solution. Run with
//! `cargo run -p margay-solver --example sudoku`.

use margay_solver::{
    Backend, Bounds, Encoding, EnumerationEnd, Logic, Notation, Session, SolverFailure,
    SolverLimits, Symmetry, Universe,
};

const ROWS: [&str; 4] = ["r1", "r2", "r3", "r4"];
const COLUMNS: [&str; 4] = ["c1", "c2", "c3", "c4"];
const DIGITS: [&str; 4] = ["1", "2", "3", "4"];
const GIVEN: [[&str; 3]; 4] =
    [["r1", "c1", "1"], ["r2", "c3", "1"], ["r3", "c2", "2"], ["r4", "c4", "3"]];

fn main() -> Result<(), SolverFailure> {
    let universe = Universe::new([ROWS, COLUMNS, DIGITS].concat());
    let [rows, columns, digits] =
        [ROWS, COLUMNS, DIGITS].map(|names| universe.tuples(names.map(|name| [name])));

    let mut logic = Logic::new();
    let value = logic.relation("value", 3);
    let n = Notation::new(&mut logic);
    let v = n.relation(value);
    let [r, c, d] = [&rows, &columns, &digits].map(|set| n.constant(set.clone()));
    // What holds of each of two kinds of things.
    let [(i, x), (j, y)] = ["i", "j"].map(|name| n.variable(name));
    let cells = n.for_all(&[(i, r), (j, c)], (y >> (x >> v)).one());
    let in_rows = n.for_all(&[(i, r), (j, d)], ((x >> v) >> y).one());
    let in_columns = n.for_all(&[(i, c), (j, d)], ((v >> y) >> x).one());
    // The four cells of a block have all digits.
    let halves = |names: [&'static str; 4]| {
        [[names[0], names[1]], [names[2], names[3]]]
            .map(|two| n.constant(universe.tuples(two.map(|name| [name]))))
    };
    let blocks = halves(ROWS)
        .into_iter()
        .flat_map(|rows| halves(COLUMNS).map(|columns| d.within(columns >> (rows >> v))));
    let sudoku = n.all([cells, in_rows, in_columns, n.all(blocks)]).formula();

    let mut bounds = Bounds::new(universe.clone());
    bounds.between(value, universe.tuples(GIVEN), rows.product(&columns).product(&digits));
    let mut session = Session::new(bounds, Encoding::default(), &Backend::default());
    session.assert(&logic, sudoku);
    let (found, ended) =
        session.instances(&[], &[value], &Symmetry::none(), &SolverLimits::default(), 2)?;
    assert_eq!((found.len(), ended), (1, EnumerationEnd::Complete), "one solution");
    // Tuples are in ascending order: by rows, then by columns.
    let shown: Vec<&str> = found
        .iter()
        .filter_map(|s| s.tuples(value))
        .flat_map(|t| t.iter())
        .map(|t| universe.name(t[2]))
        .collect();
    for row in shown.chunks(4) {
        println!("{}", row.join(" "));
    }
    assert_eq!(shown.concat(), "1432231432414123");
    Ok(())
}

#[test]
fn it_has_one_solution() -> Result<(), SolverFailure> {
    main()
}
