//! The macro crate's root, as a file that a program can include.
//!
//! A proc-macro crate exports nothing but its macros, and those only run inside of a compiler. So its own `lib.rs` is
//! taken as it stands, without the functions that are such macros; its modules are compiled from where they are.

use quote::ToTokens;
use std::{env, fs, os::unix, path::Path};
use syn::{Attribute, Item};

fn main() {
    let source = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("../resilient-macros/src");
    let out = Path::new(&env::var("OUT_DIR").unwrap()).join("macros");
    println!("cargo::rerun-if-changed={}", source.display());
    let root = fs::read_to_string(source.join("lib.rs")).unwrap();
    let mut root = syn::parse_file(&root).unwrap();
    root.attrs.clear();
    root.items.retain(|item| !matches!(item, Item::Fn(function) if function.attrs.iter().any(is_entry)));
    // What `lib.rs` declares is looked for beside it.
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).unwrap();
    for entry in fs::read_dir(&source).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "lib.rs" {
            unix::fs::symlink(entry.path().canonicalize().unwrap(), out.join(entry.file_name())).unwrap();
        }
    }
    fs::write(out.join("lib.rs"), root.to_token_stream().to_string()).unwrap();
}

/// Whether this makes a function a macro.
fn is_entry(attr: &Attribute) -> bool {
    attr.path().get_ident().is_some_and(|word| word.to_string().starts_with("proc_macro"))
}
