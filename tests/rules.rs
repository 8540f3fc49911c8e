//! The list of rules, held against what is there: each has a case in `tests/ui`, a page in `docs/rules`, and one place
//! that checks it.

use resilient::policy::{Rule, rules::RULES};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Policy rules that no constant can break, and why.
const LITERAL: &[(Rule, &str)] =
    &[(Rule::R10, "it reads words alone"), (Rule::R11, "it reads words alone"), (Rule::R36, "it reads one word")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder whose names end so, by their paths.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = inside.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| if path.is_dir() { files(&path, end) } else { vec![path] });
    files.filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

/// What the compiler says about each case in `tests/ui`, by the case's name.
fn said() -> BTreeMap<String, String> {
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files(&root().join("tests/ui"), ".stderr").iter().map(|path| (name(path), text(path))).collect()
}

fn mark(rule: Rule) -> String {
    format!("[{rule}] ")
}

#[test]
fn every_rule_is_in_a_case() {
    let said = said();
    for rule in Rule::ALL.iter() {
        assert!(said.values().any(|text| text.contains(&mark(*rule))), "{rule} is in no tests/ui/*.stderr");
    }
}

#[test]
fn every_rule_about_numbers_is_in_a_case_through_a_constant() {
    let said = said();
    for rule in RULES.iter().map(|rule| rule.rule).filter(|rule| !LITERAL.iter().any(|(literal, _)| literal == rule)) {
        let case = format!("{}_through_a_constant", rule.id().to_lowercase());
        let text = said.get(&case).unwrap_or_else(|| panic!("{case} is no case"));
        assert!(text.contains(&format!("evaluation panicked: {}", mark(rule))), "{case}: {text}");
    }
}

#[test]
fn a_case_named_after_a_rule_shows_it() {
    for (case, text) in said() {
        let Some(rule) = case.get(..3).and_then(|id| Rule::from_id(&id.to_uppercase())) else { continue };
        // A wrong fallback and a value that moved are told by rustc itself.
        let by_rustc = text.starts_with("error[E0") && [Rule::R26, Rule::R28].contains(&rule);
        assert!(text.contains(&mark(rule)) || by_rustc, "{case}: {text}");
    }
}

#[test]
fn every_rule_has_a_page_that_shows_what_the_compiler_says() {
    let said = said();
    for rule in Rule::ALL {
        let page = text(format!("docs/rules/{rule}.md"));
        assert!(page.starts_with(&format!("# {rule}: ")), "docs/rules/{rule}.md");
        for quoted in page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()) {
            let case = quoted.split("tests/ui/").nth(1).and_then(|rest| rest.split(".rs").next());
            let Some(text) = case.and_then(|case| said.get(case)) else {
                assert!(case.is_none(), "docs/rules/{rule}.md quotes {case:?}, which is no case");
                continue;
            };
            let missing = quoted.lines().find(|line| !line.trim().is_empty() && !text.contains(line.trim_end()));
            assert_eq!(missing, None, "docs/rules/{rule}.md quotes what the case no longer says: {text}");
        }
    }
}

#[test]
fn every_rule_is_checked_in_one_place() {
    let numbers = text("resilient-policy/src/rules.rs");
    let macros = files(&root().join("resilient-macros/src"), ".rs");
    let macros = macros.iter().filter(|path| !path.components().any(|part| part.as_os_str() == "tests"));
    let macros: String = macros.map(text).collect();
    let types: String = files(&root().join("resilient-runtime/src"), ".rs").iter().map(text).collect();
    for rule in Rule::ALL.iter() {
        let function = numbers.matches(&format!("const fn {}(", rule.id().to_lowercase())).count();
        let is_about_numbers = RULES.iter().any(|entry| entry.rule == *rule);
        assert_eq!(function, usize::from(is_about_numbers), "{rule} in resilient-policy/src/rules.rs");
        let elsewhere = macros.contains(&format!("Rule::{rule}")) || types.contains(&format!("message = \"[{rule}] "));
        assert!(is_about_numbers || elsewhere, "nobody checks {rule}");
    }
}

#[test]
fn messages_are_one_lower_case_sentence_of_our_own() {
    for (case, text) in said() {
        // Source lines of the standard library are there only where `rust-src` is installed.
        assert!(!text.contains("$RUST"), "{case}: {text}");
        for line in text.lines().filter(|line| line.starts_with("error") && line.contains(": [R")) {
            let said = line.split_once("] ").map_or("", |(_, said)| said);
            assert!(!said.starts_with(char::is_uppercase) && !said.ends_with('.'), "{case}: {line}");
            for word in ["invalid", "unexpected", "must be", "illegal"] {
                assert!(!said.contains(word), "{case}: {line}");
            }
        }
    }
}
