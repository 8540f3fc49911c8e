//! Makes one function of each code block of the pages, so that they compile as they stand.
//!
//! What pages leave out is filled in: `{ … }` has a body, a bare attribute a function, a method its `impl`, and all of them
//! the names of `tests/prelude`.

use std::{
    env,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

const ROOT: &str = "../../..";
/// On a rule's page the code before this line is what does not compile; `tests/ui` shows it.
const REFUSED_BEFORE: &str = "**Write instead.**";

fn main() {
    let mut code = String::new();
    for page in pages() {
        println!("cargo::rerun-if-changed={}", page.display());
        let text = fs::read_to_string(&page).expect("a page is text");
        let name = page.strip_prefix(ROOT).expect("a page is below the root").display().to_string();
        let from = text.find(REFUSED_BEFORE).map_or(0, |at| text[..at].lines().count());
        for (line, block) in blocks(&text).into_iter().filter(|(line, _)| *line > from) {
            writeln!(code, "// {name}:{line}\n{}", function(&format!("{name} {line}"), &block)).unwrap();
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("pages.rs"), code).expect("the folder for it is there");
}

/// The README, and the pages for users.
fn pages() -> Vec<PathBuf> {
    let docs = ["docs/guards", "docs/rules"].map(|folder| Path::new(ROOT).join(folder));
    let mut pages: Vec<_> = docs
        .iter()
        .inspect(|folder| println!("cargo::rerun-if-changed={}", folder.display()))
        .flat_map(|folder| fs::read_dir(folder).expect("the pages are there"))
        .map(|entry| entry.expect("it can be read").path())
        .chain(["README.md", "docs/groups-and-values.md", "docs/testing.md"].map(|page| Path::new(ROOT).join(page)))
        .collect();
    pages.sort();
    pages
}

/// The Rust blocks of a page, each with the line of its fence.
fn blocks(page: &str) -> Vec<(usize, String)> {
    let mut blocks: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (line, text) in (1..).zip(page.lines()) {
        match (inside, text.trim()) {
            (false, "```rust") => {
                inside = true;
                blocks.push((line, String::new()));
            }
            (true, "```") => inside = false,
            (true, _) => {
                let (_, block) = blocks.last_mut().expect("a fence opened it");
                block.push_str(text);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

fn function(name: &str, block: &str) -> String {
    let name: String = name.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let mut body = finished(&block.replace("{ … }", "{ unimplemented!() }"));
    if body.contains("&self") && !body.contains("impl ") {
        body = format!("struct Shop {{ tenant: u64 }}\nimpl Shop {{\n{body}}}\n");
    }
    format!(
        "async fn {name}(client: Client, sku: &str, cart: &Cart) -> Result<(), Anything> {{\nuse super::prelude::*;\n{body};\n#[allow(unreachable_code)]\nOk(())\n}}\n"
    )
}

/// The block, with a function after each attribute that has none.
fn finished(block: &str) -> String {
    let mut done = String::new();
    let lines: Vec<_> = block.lines().filter(|line| !line.is_empty()).collect();
    for (nth, line) in lines.iter().enumerate() {
        let is_attribute = |line: &&str| line.starts_with("#[resilient(");
        let is_bare = is_attribute(line) && lines.get(nth + 1).is_none_or(is_attribute);
        let guarded = match line {
            _ if !is_bare => String::new(),
            line if line.contains("blocking = thread") => format!("fn bare_{nth}(sku: String)"),
            line if line.contains("blocking = ") => format!("fn bare_{nth}(sku: &str)"),
            line if line.contains("idempotency_key = key") => format!("async fn bare_{nth}(key: IdempotencyKey)"),
            _ => format!("async fn bare_{nth}(sku: &str)"),
        };
        writeln!(done, "{line}").unwrap();
        if is_bare {
            writeln!(done, "{guarded} -> Result<Stock, StockError> {{ unimplemented!() }}").unwrap();
        }
    }
    done
}
