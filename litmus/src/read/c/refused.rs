//! Functions that are refused by name, each with what it is and why no model here answers for it.

use margay_models::diagnostic::{Diagnostic, Span};

use crate::read::cursor::Cursor;

const BARRIER: &str = "C++ has no barriers of work-groups, and the C models here have no relation for them; PTX tests have `bar.cta.sync`";
const LINUX: &str =
    "the Linux kernel's memory model is none of those here; write C11's atomic operations";
const OPENCL_1: &str = "OpenCL 1's `atomic_add(x, 1)` is Linux's `atomic_add(1, x)`: write `atomic_fetch_add_explicit` and its kin, which \
                        say what they are";

/// Names, what they are of, and why they are refused.
const NOT_MODELLED: [(&[&str], &str, &str); 7] = [
    (
        &[
            "barrier",
            "work_group_barrier",
            "sub_group_barrier",
            "__syncthreads",
            "__syncwarp",
            "__syncthreads_count",
            "__syncthreads_and",
        ],
        "a barrier",
        BARRIER,
    ),
    (
        &[
            "READ_ONCE",
            "WRITE_ONCE",
            "smp_mb",
            "smp_rmb",
            "smp_wmb",
            "smp_load_acquire",
            "smp_store_release",
            "smp_store_mb",
        ],
        "a function of the Linux kernel",
        LINUX,
    ),
    (
        &[
            "rcu_read_lock",
            "rcu_read_unlock",
            "synchronize_rcu",
            "rcu_dereference",
            "rcu_assign_pointer",
            "spin_lock",
            "spin_unlock",
        ],
        "a function of the Linux kernel",
        LINUX,
    ),
    (
        &[
            "xchg",
            "cmpxchg",
            "xchg_relaxed",
            "cmpxchg_relaxed",
            "atomic_read",
            "atomic_set",
            "atomic_add_return",
            "atomic_add_unless",
        ],
        "a function of the Linux kernel",
        LINUX,
    ),
    (
        &[
            "atomic_add",
            "atomic_sub",
            "atomic_inc",
            "atomic_dec",
            "atomic_xchg",
            "atomic_cmpxchg",
            "atomic_min",
            "atomic_max",
            "atomic_and",
        ],
        "an atomic function of OpenCL 1 or the Linux kernel",
        OPENCL_1,
    ),
    (
        &["mem_fence", "read_mem_fence", "write_mem_fence"],
        "a fence of OpenCL 1",
        "write `atomic_work_item_fence` with an order and a scope",
    ),
    (
        &[
            "atomic_flag_test_and_set",
            "atomic_flag_clear",
            "atomic_flag_test_and_set_explicit",
            "atomic_flag_clear_explicit",
        ],
        "an operation on an `atomic_flag`",
        "write `atomic_exchange_explicit(x, 1, ..)` and `atomic_store_explicit(x, 0, ..)` on an `atomic_bool`",
    ),
];

/// The error of a function that is known and not modelled.
pub(super) fn function(cursor: &Cursor<'_>, name: &str, span: Span) -> Option<Diagnostic> {
    let (_, what, why) = NOT_MODELLED.iter().find(|(names, ..)| names.contains(&name))?;
    Some(cursor.error(format!("`{name}` is not modelled"), span, *what).help(*why))
}
