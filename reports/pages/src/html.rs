//! The page.

use std::fmt::Write;

use margay_models::picture::escape;

use super::content::{object, table};
use super::finding::head;
use super::input::Section;
use super::matrix::matrix;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page with all sections, and first what is not among them: files that could not be read, each
/// with the reason. It loads nothing, and its policy forbids that it could.
pub fn page(title: &str, sections: &[Section], left_out: &[String]) -> String {
    let title = escape(title);
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src \
         'unsafe-inline'; img-src data:\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n<noscript><style>.search {{ display: none; }}</style></noscript>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <label class=\"search\">Search <input type=\"search\" id=\"search\" autocomplete=\"off\"></label> <output id=\"shown\"></output>\n</header>\n<main>\n"
    );
    for reason in left_out {
        let _ = writeln!(out, "<p class=\"left-out\">Not on this page: {}</p>", escape(reason));
    }
    out.push_str(&matrix(sections));
    for section in sections {
        let _ = write!(
            out,
            "<section class=\"command\">\n<h2>{} <small>{}</small></h2>\n",
            escape(&section.command),
            escape(&section.file)
        );
        match section.documents.as_slice() {
            [only] => {
                let (head, rest) = head(only);
                out.push_str(&head);
                out.push_str(&object(&rest, 0));
            }
            several => out.push_str(&table(&several.iter().collect::<Vec<_>>(), 0)),
        }
        out.push_str("\n</section>\n");
    }
    let _ = write!(
        out,
        "</main>\n<footer>Written by Margay {}.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    );
    out
}
