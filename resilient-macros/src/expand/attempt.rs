//! The attempts: the user's body, run through the guards until the runtime says that it is over.

use super::arguments;
use super::selects::selects;
use super::site::located;
use crate::arguments::{Hand, words};
use crate::output::{OutputKind, is_opaque};
use crate::plan::{Ending, How, Plan};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// `let mut call = …;`, or nothing where the call goes with its only attempt.
pub fn call(plan: &Plan<'_>) -> TokenStream {
    if goes_along(plan) {
        return TokenStream::new();
    }
    let call = new(plan);
    let leading = plan.coalesces.then(|| leading(plan));
    let moved = plan.threaded.then(|| moved(plan));
    quote_spanned!(Span::mixed_site()=> #moved #leading let mut __call = #call;)
}

/// Whether nothing needs the call before or after its only attempt.
fn goes_along(plan: &Plan<'_>) -> bool {
    let is_asked = plan.key.is_some() || plan.key_of.is_some() || !plan.selects.is_empty() || plan.coalesces;
    plan.function.output.is_async() && !plan.looped && !is_asked && matches!(plan.ending, Ending::Conclude)
}

fn new(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let (keyed, selects) = (plan.key.map(|at| keyed(plan, at)), selects(plan));
    let call = if plan.function.output.is_async() { quote!(Call) } else { quote!(BlockingCall) };
    quote_spanned!(Span::mixed_site()=> #root::#call::new(__site)#keyed #selects)
}

/// The place of a lead, before the call, so that it outlives it.
fn leading(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    quote_spanned!(Span::mixed_site()=> let mut __leading = #root::Leading::new();)
}

/// What goes to another thread can: one bounded path for each of the user's types, so that one which cannot is one error
/// under it.
fn moved(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let arguments = plan.function.arguments.iter().map(|argument| &argument.ty).filter(|ty| !is_opaque(ty));
    quote_spanned!(Span::mixed_site()=> #(let _ = <#arguments as #root::Movable>::moved;)*)
}

/// A function of a trait of the return type: one bounded path, where the type can be named.
fn returned(plan: &Plan<'_>, what: &TokenStream) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let mut path = what.clone().into_iter();
    let name = path.next();
    let rest: TokenStream = path.collect();
    if plan.function.output.ty.as_ref().is_some_and(is_opaque) {
        return quote!(#root::#what);
    }
    quote!(<#ret as #root::#name> #rest)
}

/// The key is read where it came in: an attempt must not be able to change it.
fn keyed(plan: &Plan<'_>, at: usize) -> TokenStream {
    let root = &plan.root;
    let pass = &plan.passes[at];
    let ty = pass.argument.target();
    let value = match &pass.how {
        How::Slot(slot) => quote!(#slot.get()),
        _ => {
            let name = pass.outer.as_ref().or(pass.argument.name()).map(|name| pass.said(name));
            match pass.argument.hand() {
                Hand::Owned => quote!(&#name),
                _ => quote!(#name),
            }
        }
    };
    let key = if is_opaque(ty) {
        located(quote!(#root::KeyArgument::key), ty.span())
    } else {
        quote!(<#ty as #root::KeyArgument>::key)
    };
    quote!(.keyed(#key(#value)))
}

/// `let judge = …;`, where plan B needs it too.
pub fn judge(plan: &Plan<'_>) -> TokenStream {
    match plan.ending {
        Ending::Path { .. } => {
            let (root, ret, judge) = (&plan.root, &plan.function.output.tokens, judged(plan));
            quote_spanned!(Span::mixed_site()=> let __judge: #root::Judge<#ret> = #judge;)
        }
        _ => TokenStream::new(),
    }
}

/// What judges an outcome, where an attempt needs it: in the call itself, where an `impl Trait` in it is inferred.
fn judge_here(plan: &Plan<'_>) -> TokenStream {
    match plan.ending {
        Ending::Path { .. } => quote_spanned!(Span::mixed_site()=> __judge),
        _ => judged(plan),
    }
}

/// What judges an outcome: one bounded path that carries the user's type and nothing else of the user's; as a closure, one
/// more body to compile, only where the user names a judge.
fn judged(plan: &Plan<'_>) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let by_type = || {
        if plan.strict { asked(plan, "Error", &quote!(Judged), &quote!(judge)) } else { probed(plan, &quote!(judge)) }
    };
    let crate::plan::Judge { by, success_on, ignore_on } = plan.judge;
    if by.or(success_on).or(ignore_on).is_none() {
        return by_type();
    }
    let base = match by {
        Some(path) => quote_spanned!(Span::mixed_site()=> #root::judge_by(__outcome, #path)),
        None => {
            let judge = by_type();
            quote_spanned!(Span::mixed_site()=> (#judge)(__outcome))
        }
    };
    let said = |path: &syn::Expr| match path {
        // A closure learns the type of its argument from the pointer.
        syn::Expr::Closure(_) => quote_spanned!(Span::mixed_site()=> {
            let __asked: fn(&#ret) -> #root::core::primitive::bool = #path;
            __asked(__outcome)
        }),
        _ => quote_spanned!(Span::mixed_site()=> #path(__outcome)),
    };
    let success = success_on.map(said).map(|yes| quote!(.success_on(#yes)));
    let ignore = ignore_on.map(said).map(|yes| quote!(.ignore_on(#yes)));
    quote_spanned!(Span::mixed_site()=> |__outcome: &#ret| -> #root::Judgement { #base #success #ignore })
}

/// A function of a part of the return type, its `Value` or its `Error`: what is missing of the part is one error about it.
///
/// The marks at its ends are the only ones of ours that stand in the user's type, at its ends, so that the error is shown
/// under the whole of that type.
pub fn asked(plan: &Plan<'_>, part: &str, bound: &TokenStream, what: &TokenStream) -> TokenStream {
    let (root, ret, part) = (&plan.root, &plan.function.output.tokens, Ident::new(part, Span::mixed_site()));
    let mut places = ret.clone().into_iter().map(|token| token.span());
    let first = places.next().unwrap_or_else(Span::mixed_site);
    let last = places.last().unwrap_or(first);
    if plan.function.output.ty.as_ref().is_some_and(is_opaque) {
        // Nobody can name the part: inference finds it.
        return quote!(#root::unnamed::#what);
    }
    let (open, close) = (quote_spanned!(first=> <), quote_spanned!(last=> <>));
    quote!(<#open #ret as #root::Answer>::#part #close as #root::#bound<#ret>>::#what)
}

/// `judge`, `settle` or `wrap` of a return type that may be no `Result`.
pub fn probed(plan: &Plan<'_>, what: &TokenStream) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    quote!({
        #[allow(unused_imports)]
        use #root::OfValue as _;
        #root::Probe::<#ret>::NEW.#what()
    })
}

/// `let ending = …;`
pub fn attempts(plan: &Plan<'_>) -> TokenStream {
    let ending = if plan.looped { repeated(plan) } else { once(plan) };
    let ending = if plan.coalesces { joined(plan, &ending) } else { ending };
    // The statement may hold the user's body: this silences only what our own statements before it would set off.
    quote_spanned!(Span::mixed_site()=> #[allow(clippy::items_after_statements)] let __ending = #ending;)
}

/// Attempts until the runtime says that the call is over.
fn repeated(plan: &Plan<'_>) -> TokenStream {
    let (root, attempt, each) = (&plan.root, attempt(plan), arguments::each(plan));
    // With the user's word as its place, "value moved in the previous iteration of the loop" says which loop.
    let repeat = quote_spanned!(Span::mixed_site().located_at(plan.cause)=> loop);
    quote_spanned! {Span::mixed_site()=>
        #repeat {
            #each
            let __flow = #attempt;
            if let #root::core::ops::ControlFlow::Break(__ending) = __flow {
                break __ending;
            }
        }
    }
}

/// The only attempt.
fn once(plan: &Plan<'_>) -> TokenStream {
    let (each, attempt) = (arguments::each(plan), attempt(plan));
    if each.is_empty() {
        return attempt;
    }
    quote_spanned! {Span::mixed_site()=>
        {
            #each
            let __ending = #attempt;
            __ending
        }
    }
}

/// The attempts, unless another call that asks the same answers this one, too.
fn joined(plan: &Plan<'_>, attempts: &TokenStream) -> TokenStream {
    let root = &plan.root;
    let is_async = plan.function.output.is_async();
    let (join, land) = if is_async { ("join", "land") } else { ("join_blocking", "land_blocking") };
    let [join, land] = [join, land].map(|name| {
        let name = Ident::new(name, Span::mixed_site());
        returned(plan, &quote!(Shareable::#name))
    });
    let wait = is_async.then(|| quote!(.await));
    quote_spanned! {Span::mixed_site()=>
        match #join(&mut __call, __digest, &__key, &mut __leading)#wait {
            #root::core::ops::ControlFlow::Break(__ending) => __ending,
            #root::core::ops::ControlFlow::Continue(()) => {
                let __ending = #attempts;
                #land(&mut __call, &mut __leading, __ending)
            }
        }
    }
}

/// One attempt: the body stands in the call itself, where rustc sees that a closure is called once and may hand on what it
/// borrows.
fn attempt(plan: &Plan<'_>) -> TokenStream {
    let (root, body, judge) = (&plan.root, body(plan), judge_here(plan));
    if plan.hedged {
        let copy = arguments::copy(plan);
        return quote_spanned!(Span::mixed_site()=> __call.hedged(move || { #copy #body }, #judge).await);
    }
    if plan.threaded {
        let way = if plan.looped { quote!(threaded) } else { quote!(threaded_once) };
        let way = returned(plan, &quote!(Movable::#way));
        return quote_spanned!(Span::mixed_site()=> #way(&mut __call, #body, #judge));
    }
    match (plan.function.output.is_async(), plan.looped) {
        (true, true) => quote_spanned!(Span::mixed_site()=> __call.attempt(#body, #judge).await),
        (true, false) => {
            let call = if goes_along(plan) { new(plan) } else { quote_spanned!(Span::mixed_site()=> &mut __call) };
            quote_spanned!(Span::mixed_site()=> #root::once(#call, #body, #judge).await)
        }
        (false, true) => quote_spanned!(Span::mixed_site()=> __call.attempt(#body, #judge)),
        (false, false) => quote_spanned!(Span::mixed_site()=> __call.once(#body, #judge)),
    }
}

/// The user's body as one attempt.
fn body(plan: &Plan<'_>) -> TokenStream {
    let function = plan.function;
    let cause = Span::mixed_site().located_at(plan.cause);
    let moves = plan.moves.then(|| quote_spanned!(cause=> move));
    match (function.output.kind, &function.unwrapped) {
        (OutputKind::Future | OutputKind::Boxed, Some(unwrapped)) => {
            let block = in_braces(&unwrapped.block, &opening(plan), unwrapped.block.stream());
            quote_spanned!(cause=> async #moves #block)
        }
        (OutputKind::Future | OutputKind::Boxed, None) => {
            let made = evaluated(&function.body, moves.as_ref());
            let opening = opening(plan);
            quote_spanned!(cause=> async #moves { #opening (#made).await })
        }
        (OutputKind::Async, _) => {
            let block = in_braces(&function.body, &opening(plan), function.body.stream());
            quote_spanned!(cause=> async #moves #block)
        }
        (OutputKind::Sync | OutputKind::Stream, _) => {
            let (ret, body) = (&function.output.tokens, &function.body);
            quote_spanned!(cause=> #moves || -> #ret #body)
        }
    }
}

/// A body that makes a future; as a closure where it may `return` one.
fn evaluated(body: &Group, moves: Option<&TokenStream>) -> TokenStream {
    let returns = words(body.stream(), &mut |word| word == "return");
    let asks = body.stream().to_string().contains('?');
    if returns || asks {
        return quote_spanned!(Span::mixed_site()=> (#moves || #body)());
    }
    body.to_token_stream()
}

/// The caller's own braces round our opening and the body: type errors land where they would without us.
fn in_braces(braces: &Group, opening: &TokenStream, body: TokenStream) -> TokenStream {
    let mut block = Group::new(Delimiter::Brace, quote!(#opening #body));
    block.set_span(braces.span());
    TokenTree::Group(block).into_token_stream()
}

/// What the block of an attempt starts with: a `return` that never runs tells inference what an `async` block yields,
/// since it cannot be written down; then the arguments that it owns.
fn opening(plan: &Plan<'_>) -> TokenStream {
    let (ret, inside) = (&plan.function.output.tokens, arguments::inside(plan));
    quote_spanned! {Span::mixed_site()=>
        #[allow(
            unknown_lints, unreachable_code, clippy::diverging_sub_expression, clippy::empty_loop, clippy::let_unit_value,
            clippy::needless_return, clippy::unreachable, clippy::let_with_type_underscore,
        )]
        if false {
            let __returned: #ret = loop {};
            return __returned;
        }
        #inside
    }
}
