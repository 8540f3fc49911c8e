//! The retry budget, in its shapes. In thousandths of a token.

use resilient::Class;

const TOKEN: u64 = 1_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// 3 tokens, +0.3 per call.
    PerCall,
    /// 3 tokens, +0.3 per success.
    PerSuccess,
    /// 500 tokens; a retry costs 14, a throttled one 5; its success gives that back, any other +1.
    Quota,
    /// 10 tokens, −1 per failure, +0.1 per success; retries above half.
    Throttle,
    /// A fifth of the calls in flight, 3 at the least.
    Active,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    paid: u64,
    started: bool,
}

impl Token {
    /// Its retry starts: what was paid is gone.
    pub fn started(self) -> Self {
        Self { started: true, ..self }
    }
}

#[derive(Debug)]
pub struct Budget {
    shape: Shape,
    tokens: u64,
    calls: u64,
    retries: u64,
}

impl Budget {
    pub fn new(shape: Shape) -> Self {
        let mut budget = Self { shape, tokens: 0, calls: 0, retries: 0 };
        budget.tokens = budget.most();
        budget
    }

    fn most(&self) -> u64 {
        match self.shape {
            Shape::PerCall | Shape::PerSuccess => 3 * TOKEN,
            Shape::Quota => 500 * TOKEN,
            Shape::Throttle => 10 * TOKEN,
            Shape::Active => (self.calls / 5).max(3) * TOKEN,
        }
    }

    fn add(&mut self, tokens: u64) {
        self.tokens = (self.tokens + tokens).min(self.most());
    }

    pub fn left(&self) -> u64 {
        if self.shape == Shape::Active { self.most().saturating_sub(self.retries * TOKEN) } else { self.tokens }
    }

    /// A call makes its first attempt.
    pub fn called(&mut self) {
        self.calls += 1;
        self.add(if self.shape == Shape::PerCall { 300 } else { 0 });
    }

    pub fn ended(&mut self) {
        self.calls -= 1;
    }

    /// In a way that may be repeated.
    pub fn failed(&mut self) {
        if self.shape == Shape::Throttle {
            self.tokens = self.tokens.saturating_sub(TOKEN);
        }
    }

    /// With the token that it had, if it had one.
    pub fn succeeded(&mut self, token: Option<Token>) {
        match (self.shape, token) {
            (Shape::PerSuccess, _) => self.add(300),
            (Shape::Throttle, _) => self.add(100),
            (Shape::Quota, Some(token)) => self.add(token.paid),
            (Shape::Quota, None) => self.add(TOKEN),
            (Shape::PerCall | Shape::Active, _) => {}
        }
        self.is_over(token.map(Token::started));
    }

    pub fn take(&mut self, class: Class) -> Option<Token> {
        let (granted, paid) = match self.shape {
            Shape::PerCall | Shape::PerSuccess => (self.tokens >= TOKEN, TOKEN),
            Shape::Quota => {
                let price = if class == Class::Throttled { 5 * TOKEN } else { 14 * TOKEN };
                (self.tokens >= price, price)
            }
            Shape::Throttle => (self.tokens > 5 * TOKEN, 0),
            Shape::Active => (self.left() >= TOKEN, 0),
        };
        granted.then(|| {
            self.retries += 1;
            self.tokens -= paid;
            Token { paid, started: false }
        })
    }

    /// Its retry is over, or will not be.
    pub fn is_over(&mut self, token: Option<Token>) {
        let Some(token) = token else { return };
        self.retries -= 1;
        if !token.started {
            self.add(token.paid);
        }
    }
}
