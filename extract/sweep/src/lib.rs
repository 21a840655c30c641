//! What compilers emit, version by version: tables and what is wrong with them, kept in a folder;
//! what became worse from one version to the next; and the page that says so.

#![warn(unreachable_pub)]

pub mod ask;
pub mod entries;
pub mod page;
pub mod record;
pub mod reproduce;
pub mod series;
pub mod store;
