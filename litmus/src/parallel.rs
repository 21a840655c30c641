//! Threads, where the platform has them, and many tests at once. Whoever takes the answers gets
//! them in the order of the tests, however many threads there are.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Can the program start threads? In WebAssembly it cannot: what would be done beside something
/// else is done before or after it.
pub const THREADS: bool = !cfg!(target_family = "wasm");

/// Does `work` for each number below `items` on `jobs` threads, each with what it prepared, and
/// hands on what comes out in order, on this thread, as soon as it is there and all before it are.
/// One job is done on this thread, too.
///
/// # Errors
/// That of `done`; then no more work is begun.
pub fn in_order<S, R: Send, E>(
    jobs: usize,
    items: usize,
    prepare: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
    mut done: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    if !THREADS || jobs.min(items) <= 1 {
        let mut state = prepare();
        return (0..items).try_for_each(|item| done(item, work(&mut state, item)));
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel::<(usize, R)>();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items) {
            let sender = sender.clone();
            let (next, prepare, work) = (&next, &prepare, &work);
            scope.spawn(move || {
                let mut state = prepare();
                loop {
                    let item = next.fetch_add(1, Ordering::Relaxed);
                    if item >= items || sender.send((item, work(&mut state, item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut first = 0;
        // Ends when all threads have; if `done` does not want more, they find nobody to send to.
        for (item, result) in receiver {
            waiting.insert(item, result);
            while let Some(result) = waiting.remove(&first) {
                done(first, result)?;
                first += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::in_order;

    #[test]
    fn what_comes_out_is_in_order() {
        for jobs in [0, 1, 3, 50] {
            let mut seen = Vec::new();
            let squares = |of: &mut usize, i: usize| {
                *of += 1;
                // Those that begin first take longest.
                (0..(20 - i) * 1000).fold(i, |x, k| std::hint::black_box(x ^ k ^ k)).pow(2)
            };
            let result = in_order(
                jobs,
                20,
                || 0,
                squares,
                |i, square| {
                    seen.push((i, square));
                    Ok::<(), ()>(())
                },
            );
            assert_eq!(result, Ok(()));
            assert_eq!(seen, (0..20).map(|i| (i, i * i)).collect::<Vec<_>>());
        }
        let stopped =
            in_order(2, 1000, || (), |(), i| i, |_, i| if i == 3 { Err(i) } else { Ok(()) });
        assert_eq!(stopped, Err(3));
        assert_eq!(in_order(2, 0, || (), |(), i| i, |_, _| Err::<(), ()>(())), Ok(()));
    }
}
