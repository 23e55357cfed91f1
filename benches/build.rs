//! Has the harness, which has an engine of its own, in the same order as the program.

#[path = "../crates/rye/link_order.rs"]
mod link_order;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    link_order::apply(Path::new("../crates/rye/link-order.txt"), &[]);
}
