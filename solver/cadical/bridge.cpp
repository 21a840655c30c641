// The calls of CaDiCaL that Margay makes, with C linkage: src/ffi.rs declares them for Rust.
//
// No exception may leave a function here (Rust could not unwind it): all are noexcept, so that one ends the program.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cadical.hpp"
#include "tracer.hpp"

namespace {

using CaDiCaL::Solver;

// What a tracer tells; src/ffi.rs has the same numbers.
enum Event : int {
  ORIGINAL = 0,
  RESTORED = 1,
  DERIVED = 2,
  DERIVED_BY_RAT = 3,
  DELETED = 4,
  WEAKENED = 5,
  ASSUMPTION_CLAUSE = 6,
  CONSTRAINT = 7,
  REFUTED = 8,
  REFUTED_BY_SEVERAL = 9,
};

// An event: the state of whoever listens, the event, the id of a clause, its literals, the ids that it follows from.
typedef void (*Listener) (void *, int, int64_t, const int *, size_t,
                          const int64_t *, size_t);

struct Tracer : CaDiCaL::Tracer {
  Listener listener;
  void *state;

  Tracer (Listener l, void *s) : listener (l), state (s) {}

  void tell (Event event, int64_t id, const std::vector<int> &clause,
             const std::vector<int64_t> &hints) {
    listener (state, event, id, clause.data (), clause.size (),
              hints.data (), hints.size ());
  }

  void add_original_clause (int64_t id, bool, const std::vector<int> &clause,
                            bool restored) override {
    tell (restored ? RESTORED : ORIGINAL, id, clause, {});
  }
  void add_derived_clause (int64_t id, bool, int witness,
                           const std::vector<int> &clause,
                           const std::vector<int64_t> &hints) override {
    tell (witness ? DERIVED_BY_RAT : DERIVED, id, clause, hints);
  }
  void delete_clause (int64_t id, bool, const std::vector<int> &) override {
    tell (DELETED, id, {}, {});
  }
  void weaken_minus (int64_t id, const std::vector<int> &) override {
    tell (WEAKENED, id, {}, {});
  }
  void add_constraint (const std::vector<int> &clause) override {
    tell (CONSTRAINT, 0, clause, {});
  }
  void add_assumption_clause (int64_t id, const std::vector<int> &clause,
                              const std::vector<int64_t> &hints) override {
    tell (ASSUMPTION_CLAUSE, id, clause, hints);
  }
  void conclude_unsat (CaDiCaL::ConclusionType type,
                       const std::vector<int64_t> &clauses) override {
    bool one = type != CaDiCaL::CONSTRAINT && clauses.size () == 1;
    tell (one ? REFUTED : REFUTED_BY_SEVERAL, one ? clauses[0] : 0, {}, {});
  }
};

} // namespace

extern "C" {

// A solver with what is connected to it. The solver is released first: it may still call the terminator while it goes.
struct MargayCadical : CaDiCaL::Terminator {
  bool (*stop) (void *) = nullptr;
  void *state = nullptr;
  Solver solver;

  bool terminate () override { return stop && stop (state); }
};

MargayCadical *margay_cadical_new () noexcept { return new MargayCadical; }

void margay_cadical_free (MargayCadical *s) noexcept { delete s; }

bool margay_cadical_configure (MargayCadical *s, const char *preset) noexcept {
  return s->solver.configure (preset);
}

bool margay_cadical_set (MargayCadical *s, const char *name, int value) noexcept {
  return Solver::is_valid_option (name) && s->solver.set (name, value);
}

void margay_cadical_add (MargayCadical *s, const int *clause, size_t length) noexcept {
  for (size_t i = 0; i < length; i++)
    s->solver.add (clause[i]);
  s->solver.add (0);
}

// Looks for an assignment under assumptions: 10 there is one, 20 there is none, 0 it was stopped.
int margay_cadical_solve (MargayCadical *s, const int *assumptions, size_t length) noexcept {
  for (size_t i = 0; i < length; i++)
    s->solver.assume (assumptions[i]);
  return s->solver.solve ();
}

void margay_cadical_values (MargayCadical *s, bool *values, size_t variables) noexcept {
  int known = s->solver.vars ();
  for (size_t i = 0; i < variables; i++)
    values[i] = i < (size_t) known && s->solver.val ((int) i + 1) > 0;
}

bool margay_cadical_failed (MargayCadical *s, int assumption) noexcept {
  return s->solver.failed (assumption);
}

// The next call stops once the function says so; without a function it does not.
void margay_cadical_stop_when (MargayCadical *s, bool (*stop) (void *), void *state) noexcept {
  s->stop = stop;
  s->state = state;
  if (stop)
    s->solver.connect_terminator (s);
  else
    s->solver.disconnect_terminator ();
}

void margay_cadical_limit_conflicts (MargayCadical *s, int conflicts) noexcept {
  s->solver.limit ("conflicts", conflicts);
}

int64_t margay_cadical_conflicts (const MargayCadical *s) noexcept {
  return s->solver.get_statistic_value ("conflicts");
}

// From now on the listener is told of every step; before the first clause only.
void margay_cadical_trace (MargayCadical *s, Listener listener, void *state) noexcept {
  // The solver releases the tracers that are connected to it (`Internal::~Internal`).
  s->solver.connect_proof_tracer (new Tracer (listener, state), true, false);
}

// Tells the listener what the last answer "there is none" rests on.
void margay_cadical_conclude (MargayCadical *s) noexcept { s->solver.conclude (); }
}
