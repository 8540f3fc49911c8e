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

/// `let mut call = …;`
pub fn call(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let (keyed, selects) = (plan.key.map(|at| keyed(plan, at)), selects(plan));
    let call = if plan.function.output.is_async() {
        quote_spanned!(Span::mixed_site()=> #root::core::pin::pin!(#root::Call::new(__site)#keyed #selects))
    } else {
        quote_spanned!(Span::mixed_site()=> #root::BlockingCall::new(__site)#keyed #selects)
    };
    let leading = plan.coalesces.then(|| leading(plan));
    let moved = plan.threaded.then(|| moved(plan));
    quote_spanned!(Span::mixed_site()=> #moved #leading let mut __call = #call;)
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

/// How the runtime's methods are called: on the pinned call, and with `.await`; or on the call itself.
pub fn lent(plan: &Plan<'_>) -> TokenStream {
    if plan.function.output.is_async() {
        quote_spanned!(Span::mixed_site()=> __call.as_mut())
    } else {
        quote_spanned!(Span::mixed_site()=> __call)
    }
}

/// `let judge = …;`, where plan B needs it too.
pub fn judge(plan: &Plan<'_>) -> TokenStream {
    match plan.ending {
        Ending::Path { .. } => {
            let closure = closure(plan);
            quote_spanned!(Span::mixed_site()=> let __judge = #closure;)
        }
        _ => TokenStream::new(),
    }
}

/// What judges an outcome, where an attempt needs it: in the call itself, where an `impl Trait` in it is inferred.
fn judge_here(plan: &Plan<'_>) -> TokenStream {
    match plan.ending {
        Ending::Path { .. } => quote_spanned!(Span::mixed_site()=> __judge),
        _ => closure(plan),
    }
}

/// As a closure: the function's own type inside of a future would repeat a missing bound's error, and a pointer would take
/// room in every call.
fn closure(plan: &Plan<'_>) -> TokenStream {
    let (root, ret, judged) = (&plan.root, &plan.function.output.tokens, judged(plan));
    quote_spanned!(Span::mixed_site()=> |__outcome: &#ret| -> #root::Judgement { #judged })
}

/// What judges an outcome, by one bounded path that carries the user's type and nothing else of the user's.
fn judged(plan: &Plan<'_>) -> TokenStream {
    let (root, ret) = (&plan.root, &plan.function.output.tokens);
    let base = match (plan.judge.by, plan.strict) {
        (Some(path), _) => quote_spanned!(Span::mixed_site()=> #root::judge_by(__outcome, #path)),
        (None, true) => {
            let judge = asked(plan, "Error", &quote!(Judged), &quote!(judge));
            quote_spanned!(Span::mixed_site()=> #judge(__outcome))
        }
        (None, false) => {
            let judge = probed(plan, &quote!(judge));
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
    let success = plan.judge.success_on.map(said).map(|yes| quote!(.success_on(#yes)));
    let ignore = plan.judge.ignore_on.map(said).map(|yes| quote!(.ignore_on(#yes)));
    quote_spanned!(Span::mixed_site()=> #base #success #ignore)
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
    let root = &plan.root;
    if plan.hedged {
        return hedged(plan);
    }
    let each = arguments::each(plan);
    let way = match (plan.threaded, plan.looped) {
        (false, true) => quote!(attempt),
        (false, false) => quote!(once),
        (true, true) => quote!(threaded),
        (true, false) => quote!(threaded_once),
    };
    let attempt = attempt(plan, &way);
    // With the user's word as its place, "value moved in the previous iteration of the loop" says which loop.
    let repeat = quote_spanned!(Span::mixed_site().located_at(plan.cause)=> loop);
    let ending = if plan.looped {
        quote_spanned! {Span::mixed_site()=>
            #repeat {
                #each
                #attempt
                if let #root::core::ops::ControlFlow::Break(__ending) = __flow {
                    break __ending;
                }
            }
        }
    } else {
        quote_spanned! {Span::mixed_site()=>
            {
                #each
                #attempt
                __flow
            }
        }
    };
    let ending = if plan.coalesces { joined(plan, &ending) } else { ending };
    quote_spanned!(Span::mixed_site()=> let __ending = #ending;)
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
    let lent = if is_async { lent(plan) } else { quote_spanned!(Span::mixed_site()=> &mut __call) };
    let wait = is_async.then(|| quote!(.await));
    quote_spanned! {Span::mixed_site()=>
        match #join(#lent, __digest, &__key, &mut __leading)#wait {
            #root::core::ops::ControlFlow::Break(__ending) => __ending,
            #root::core::ops::ControlFlow::Continue(()) => {
                let __ending = #attempts;
                #land(#lent, &mut __leading, __ending)
            }
        }
    }
}

/// The same for attempts in two copies: a closure makes each, from arguments of its own, and they are pinned side by side.
fn hedged(plan: &Plan<'_>) -> TokenStream {
    let root = &plan.root;
    let (each, body, judge) = (arguments::each(plan), future(plan), judge_here(plan));
    let repeat = quote_spanned!(Span::mixed_site().located_at(plan.cause)=> loop);
    let place = quote!(#root::core::pin::pin!(#root::core::option::Option::None));
    quote_spanned! {Span::mixed_site()=>
        let (mut __first, mut __second) = (#place, #place);
        let __ending = #repeat {
            let __make = || { #each #body };
            let __flow = __call.as_mut().hedged(__first.as_mut(), __second.as_mut(), __make, #judge).await;
            if let #root::core::ops::ControlFlow::Break(__ending) = __flow {
                break __ending;
            }
        };
    }
}

/// `let flow = …;`: one attempt and what came of it. A future is pinned first; a closure stands in the call itself, where
/// rustc sees that it is called once and may hand on what it borrows.
fn attempt(plan: &Plan<'_>, way: &TokenStream) -> TokenStream {
    let (body, judge) = (body(plan), judge_here(plan));
    // The statement holds the user's body: this silences only what our own statement before it would set off.
    let allow = quote!(#[allow(clippy::items_after_statements)]);
    if plan.function.output.is_async() {
        quote_spanned! {Span::mixed_site()=>
            #allow
            let __attempt = #body;
            let __flow = __call.as_mut().#way(__attempt, #judge).await;
        }
    } else if plan.threaded {
        let way = returned(plan, &quote!(Movable::#way));
        quote_spanned!(Span::mixed_site()=> #allow let __flow = #way(&mut __call, #body, #judge);)
    } else {
        quote_spanned!(Span::mixed_site()=> #allow let __flow = __call.#way(#body, #judge);)
    }
}

/// The user's body as one attempt: a future pinned in place, or a closure.
fn body(plan: &Plan<'_>) -> TokenStream {
    let function = plan.function;
    if function.output.is_async() {
        return pinned(plan, &future(plan));
    }
    let cause = Span::mixed_site().located_at(plan.cause);
    let moves = plan.moves.then(|| quote_spanned!(cause=> move));
    let (ret, body) = (&function.output.tokens, &function.body);
    quote_spanned!(cause=> #moves || -> #ret #body)
}

/// The user's body as a future.
fn future(plan: &Plan<'_>) -> TokenStream {
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
        _ => {
            let block = in_braces(&function.body, &opening(plan), function.body.stream());
            quote_spanned!(cause=> async #moves #block)
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

/// `pin!(Some(…))`: an `Option`, so that the runtime can drop a body the moment it is cut.
fn pinned(plan: &Plan<'_>, future: &TokenStream) -> TokenStream {
    let root = &plan.root;
    quote_spanned!(Span::mixed_site()=> #root::core::pin::pin!(#root::core::option::Option::Some(#future)))
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
