//! What is said about a kernel that is changed and asked about again: which fences it needs, and
//! what could be weaker.

use std::io;

use margay_console::output::Output;
use margay_kernel::launch::Launch;
use margay_kernel::{HardeningAnswer, NotLooked, WeakerAnswer};

use super::asked::AskedKernel;
use super::first_line::list;

/// The launches that an answer is of.
fn launches(of: &[Launch]) -> String {
    let all: Vec<String> = of.iter().map(ToString::to_string).collect();
    match all.len() {
        0 => "in no launch".to_owned(),
        1 => format!("in launch {}", all[0]),
        _ => format!("in launches {}", list(&all)),
    }
}

/// So many of something.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What limits an answer about a changed kernel.
fn limits((unroll, bounded): (usize, bool), not_looked: &[NotLooked]) -> String {
    let rounds = if bounded {
        format!("; loops were gone round at most {unroll} times")
    } else {
        String::new()
    };
    let open = match not_looked.len() {
        0 => String::new(),
        1 => "; 1 thing was not looked at".to_owned(),
        n => format!("; {n} things were not looked at"),
    };
    rounds + &open
}

/// Which fences a kernel needs.
pub fn print_hardening(
    answer: &HardeningAnswer,
    (asked_kernel, not_looked): (&AskedKernel, &[NotLooked]),
    output: &Output,
) -> io::Result<()> {
    let HardeningAnswer {
        own, accesses, least, smallest, superfluous, asked, bounded, open, ..
    } = answer;
    let (unroll, model) = (asked_kernel.unroll, asked_kernel.answer.reading.name());
    let which = format!(
        "{} under {model}{}",
        launches(&answer.launches),
        limits((unroll, *bounded), not_looked)
    );
    let from = format!(
        "out of {} and one behind each of {}",
        count(*own, "fence of its own", "fences of its own"),
        count(*accesses, "access", "accesses")
    );
    output.print(&output.heading("Which fences it needs"))?;
    match (smallest, open) {
        (Some(fences), _) => {
            let (own, added): (Vec<_>, Vec<_>) = fences.iter().partition(|f| f.own);
            let minimal = match (open, least) {
                (None, Some(least)) if *least > fences.len() => {
                    format!("No fewer are enough. Taking away one by one ended at {least}")
                }
                (None, _) => "No fewer are enough".to_owned(),
                (Some(why), _) => format!("None of them can go; whether fewer are enough is not known: {why}"),
            };
            let are = if fences.len() == 1 { "is" } else { "are" };
            output.prose(&format!("  {} {are} enough {which}, {from}. {minimal}. {asked} sets were asked about.", count(fences.len(), "fence", "fences")))?;
            for fence in added {
                let line = format!("    to add: `fence.sc.gpu` (in CUDA: __threadfence()) behind {}", fence.spot.sentence());
                output.prose(&output.good(&line))?;
            }
            own.iter().try_for_each(|f| output.prose(&format!("    needed: {}", f.spot.sentence())))?;
            superfluous.iter().try_for_each(|f| output.prose(&format!("    not needed here: {}", f.spot.sentence())))
        }
        (None, Some(why)) => {
            let which = if answer.launches.is_empty() { String::new() } else { format!(" {which}") };
            output.prose(&format!("  Not known{which}: {why}. {asked} sets were asked about."))
        }
        (None, None) => output.prose(&format!(
            "  All are not enough {which}, {from}: what goes wrong is not mended by fences alone. A race needs strong accesses (volatile or atomic) or \
             a barrier; threads of a warp need __syncwarp()."
        )),
    }
}

/// What could be weaker.
pub fn print_weaker(
    answer: &WeakerAnswer,
    (asked_kernel, not_looked): (&AskedKernel, &[NotLooked]),
    output: &Output,
) -> io::Result<()> {
    let WeakerAnswer { changes, asked, open, .. } = answer;
    let (unroll, model) = (asked_kernel.unroll, asked_kernel.answer.reading.name());
    let which = format!(
        "{} under {model}{}",
        launches(&answer.launches),
        limits((unroll, false), not_looked)
    );
    let unfinished =
        open.as_ref().map_or(String::new(), |why| format!(" Not all was asked: {why}."));
    output.print(&output.heading("What could be weaker"))?;
    if changes.is_empty() {
        return output.prose(&format!(
            "  Nothing that was tried, {which}. {asked} changes were asked about.{unfinished}"
        ));
    }
    output.prose(&format!(
        "  All of this together leaves nothing that goes wrong {which}. {asked} changes were asked about.{unfinished} Other launches may need it."
    ))?;
    changes.iter().try_for_each(|c| {
        output.prose(&match &c.to {
            Some(to) => {
                let cuda =
                    c.cuda.as_ref().map_or(String::new(), |cuda| format!(" (in CUDA: {cuda})"));
                format!("    `{}` could be `{to}`{cuda}: {}", c.from, c.spot.sentence())
            }
            None => format!("    `{}` could go: {}", c.from, c.spot.sentence()),
        })
    })
}
