//! A hedge beside the guards that need the arguments once more.

use crate::support::{Does, Error, Result, copies, copy, hedged};
use resilient::resilient;
use std::fmt::Debug;

#[test]
fn a_retry_is_hedged_as_the_first_attempt_is() {
    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, hedge = 20ms)]
    async fn plain((a, b): (u64, String), mut list: Vec<u64>, text: &str) -> Result<u64> {
        list.push(a);
        let moved = b;
        copy(&(&list, &moved, text)).await?;
        Ok(list.len() as u64)
    }
    let call = || plain((1, "b".to_owned()), vec![2], "c");
    assert_eq!(copies(&[Does::Fail, Does::Hang, Does::Answer], call()), Ok(2));
    assert_eq!(copies(&[Does::FailLate, Does::Fail, Does::Fail, Does::Hang, Does::Answer], call()), Ok(2));
    assert_eq!(copies(&[Does::Fail, Does::Fail, Does::Fail], call()), Err(Error::Blip));
}

async fn joined(list: Vec<u64>, (n, _): (u64, String), text: &str) -> Result<Vec<u64>> {
    std::future::ready(Ok([list, vec![n, text.len() as u64]].concat())).await
}

#[test]
fn plan_b_follows_when_both_copies_failed() {
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback = joined)]
    async fn path(mut list: Vec<u64>, (n, moved): (u64, String), text: &str) -> Result<Vec<u64>> {
        list.push(n);
        copy(&(&list, &moved, text)).await?;
        Ok(list)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback(explained, error))]
    async fn told(text: String) -> Result<String> {
        let moved = text;
        copy(&moved).await?;
        Ok(moved)
    }
    async fn explained(text: String, error: &Error) -> Result<String> {
        std::future::ready(Ok(format!("{text}: {error}"))).await
    }
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback = value(n + text.len()))]
    async fn value(n: usize, text: String) -> Result<usize> {
        let moved = text;
        copy(&(n, &moved)).await?;
        Ok(0)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback = default)]
    async fn default<T: Default + Clone + Debug>(made: T) -> Result<T, Error> {
        copy(&made).await?;
        Ok(made)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback = default)]
    async fn without_a_result(n: u64) -> u64 {
        copy(&n).await.map_or(0, |()| n)
    }
    let given = || (vec![1], (2, "m".to_owned()), "abc");
    let call = |(list, pair, text)| path(list, pair, text);
    let both_fail = [Does::FailLate, Does::FailLate];
    assert_eq!(copies(&both_fail, call(given())), Ok(vec![1, 2, 3]));
    assert_eq!(hedged(call(given())), Ok(vec![1, 2]));
    assert_eq!(copies(&both_fail, told("why".to_owned())), Ok("why: a blip".to_owned()));
    assert_eq!(hedged(told("why".to_owned())), Ok("why".to_owned()));
    assert_eq!(copies(&both_fail, value(1, "ab".to_owned())), Ok(3));
    assert_eq!(hedged(value(1, "ab".to_owned())), Ok(0));
    assert_eq!(copies(&both_fail, default(1)), Ok(0));
    assert_eq!(hedged(default(1)), Ok(1));
    assert_eq!(hedged(without_a_result(1)), 1);
}

#[test]
fn the_answer_of_a_hedge_is_kept() {
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback = cached)]
    async fn whole(n: u64, text: &str, mut list: Vec<u64>) -> Result<Vec<u64>> {
        list.push(n + text.len() as u64);
        copy(&list).await?;
        Ok(list)
    }
    #[resilient(timeout_ms = 50, hedge = 20ms, fallback(cached, key = (text.as_str(), &pair.0)))]
    async fn parts(text: String, pair: (u64, String)) -> Result<(String, String)> {
        copy(&(&text, &pair)).await?;
        Ok((text, pair.1))
    }
    let twice = [Does::Hang, Does::Answer, Does::FailLate, Does::FailLate];
    let kept = || whole(1, "a", vec![1]);
    assert_eq!(copies(&twice, async { (kept().await, kept().await) }), (Ok(vec![1, 2]), Ok(vec![1, 2])));
    let kept = || parts("a".to_owned(), (1, "b".to_owned()));
    let answer = Ok(("a".to_owned(), "b".to_owned()));
    assert_eq!(copies(&twice, async { (kept().await, kept().await) }), (answer.clone(), answer));
}

#[test]
fn the_answer_of_a_hedge_is_shared() {
    #[resilient(timeout_ms = 50, hedge = 20ms, coalesce)]
    async fn whole((a, b): (u64, String), mut n: u64, text: &str) -> Result<u64> {
        n += a;
        let moved = b;
        copy(&(n, &moved, text)).await?;
        Ok(n + (moved.len() + text.len()) as u64)
    }
    #[resilient(timeout_ms = 50, deadline_ms = 5_000, retries = 2, hedge = 20ms, coalesce(key = (text.len())))]
    async fn parts(text: String) -> Result<String> {
        let moved = text;
        copy(&moved.len()).await?;
        Ok(moved)
    }
    let call = || whole((1, "b".to_owned()), 2, "c");
    assert_eq!(hedged(async { tokio::join!(call(), call()) }), (Ok(5), Ok(5)));
    let both = async { tokio::join!(parts("a".to_owned()), parts("b".to_owned())) };
    assert_eq!(copies(&[Does::Fail, Does::Hang, Does::Answer], both), (Ok("a".to_owned()), Ok("a".to_owned())));
}
