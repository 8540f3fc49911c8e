use super::*;
use loom::thread;
use resilient_policy::Earn;

fn budget(settings: RetryBudget) -> &'static Budget {
    Box::leak(Box::new(Budget::new(settings).unwrap()))
}

fn retry(budget: &'static Budget) -> u32 {
    budget.withdraw(Class::Transient).map_or(0, |mut token| {
        token.start();
        1
    })
}

/// One token in it, room for one.
fn bucket() -> &'static Budget {
    budget(RetryBudget::Ratio { ratio: 0.25, burst: 1, floor_per_sec: 0, earn: Earn::Call, name: None })
}

#[test]
fn loom_withdrawals_and_earnings_together_never_exceed_what_there_was() {
    loom::model(|| {
        let budget = bucket();
        let other = thread::spawn(move || {
            budget.called();
            retry(budget)
        });
        budget.called();
        let granted = retry(budget) + other.join().unwrap();
        // One that was there; two calls earn half of another at the most.
        assert_eq!(granted, 1);
        assert!(budget.tokens() <= 0.5);
    });
}

#[test]
fn loom_a_token_given_back_is_granted_once() {
    loom::model(|| {
        let budget = bucket();
        let unused = budget.withdraw(Class::Transient);
        let other = thread::spawn(move || retry(budget));
        drop(unused);
        let granted = retry(budget) + other.join().unwrap() + retry(budget);
        assert_eq!(granted, 1);
    });
}

#[test]
fn loom_the_share_of_active_calls_is_never_exceeded() {
    loom::model(|| {
        let budget = budget(RetryBudget::Active);
        let held = [(); 2].map(|()| budget.withdraw(Class::Transient).unwrap());
        let other = thread::spawn(move || {
            budget.called();
            let token = budget.withdraw(Class::Transient);
            budget.ended();
            token
        });
        let mine = budget.withdraw(Class::Transient);
        let theirs = other.join().unwrap();
        assert!(mine.is_some() != theirs.is_some(), "three at most, and the third is granted");
        drop((held, mine, theirs));
        assert_eq!(budget.share.left(), 3);
    });
}
