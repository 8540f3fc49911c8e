//! What the pages show of the examples is what the examples print.
#![allow(dead_code, reason = "an example's `main` is not called here")]

#[path = "../examples/hedged_read.rs"]
mod hedged_read;
#[path = "../examples/operator.rs"]
mod operator;

use resilient::testing::isolated;

#[track_caller]
fn is_shown(page: &str, printed: &[u8]) {
    let printed = std::str::from_utf8(printed).unwrap();
    assert!(page.contains(&format!("```text\n{printed}```")), "the page does not show:\n{printed}");
}

#[tokio::test(start_paused = true)]
async fn the_page_of_the_hedge_shows_what_its_example_prints() {
    let mut printed = Vec::new();
    isolated(hedged_read::tell(&mut printed)).await.unwrap();
    is_shown(include_str!("../docs/guards/hedge.md"), &printed);
}

#[tokio::test(start_paused = true)]
async fn the_page_of_the_operator_shows_what_its_example_prints() {
    let mut printed = Vec::new();
    isolated(operator::tell(&mut printed)).await.unwrap();
    is_shown(include_str!("../docs/guards/operator.md"), &printed);
}
