//! What may stand behind an `=`, whatever the key.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Lit, Token};

/// What stands behind the `=`, before anyone asked what it is for.
pub enum Operand {
    /// A literal, its sign, and whether a `%` follows.
    Literal { negative: bool, lit: Lit, percent: bool },
    /// A single word.
    Word(Ident),
    /// Any other expression.
    Other(Expr),
}

impl Parse for Operand {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if let Some(literal) = Self::literal(input) {
            return Ok(literal);
        }
        if input.peek(syn::Ident::peek_any) && input.cursor().ident().is_some_and(|(_, rest)| ends(rest)) {
            return input.call(Ident::parse_any).map(Self::Word);
        }
        Ok(match bare(input.parse()?) {
            Expr::Lit(expr) => Self::Literal { negative: false, lit: expr.lit, percent: false },
            other => Self::Other(other),
        })
    }
}

/// Whether nothing follows, or something that can only be the start of another setting.
fn ends(rest: syn::buffer::Cursor<'_>) -> bool {
    rest.eof() || rest.ident().is_some()
}

impl Operand {
    /// A literal that is all there is, with the `-` and the `%` that no expression has.
    fn literal(input: ParseStream) -> Option<Self> {
        let ahead = input.fork();
        let negative = ahead.parse::<Option<Token![-]>>().ok()?.is_some();
        let lit = ahead.parse::<Lit>().ok()?;
        let percent = ahead.parse::<Option<Token![%]>>().ok()?.is_some();
        ends(ahead.cursor()).then(|| {
            input.advance_to(&ahead);
            Self::Literal { negative, lit, percent }
        })
    }
}

/// An expression without the invisible and the superfluous round it.
fn bare(expr: Expr) -> Expr {
    match expr {
        Expr::Group(group) => bare(*group.expr),
        Expr::Paren(paren) => bare(*paren.expr),
        other => other,
    }
}
