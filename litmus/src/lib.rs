//! Litmus tests: read, write, and unfold into candidate executions.
