//! Bounded relational model finding: relational logic, circuit, CNF, SAT, and back.
