//! `#[derive(Classify)]`: the word on each variant becomes its verdict.
//!
//! A straight line: [`Words::read`] says what was written, [`Shape::answer`] what that means for one variant,
//! [`write`] puts it into impls. Every fault is reported, each on its own token; with a fault the impls are there all
//! the same, so that one mistake does not also read as a missing trait.

mod words;

#[cfg(test)]
mod tests;

use crate::errors::{Errors, nearest, one_of};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use resilient_policy::Rule;
use syn::{Attribute, Data, DeriveInput, Field, Fields, Member, Path, Type, parse_quote};
use words::{Place, Word, Words};

/// The impls for `input`, and what is wrong with it.
pub fn expand(input: TokenStream) -> TokenStream {
    let input = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut errors = Errors::default();
    let mut answers = Vec::new();
    let mut krate = None;
    match &input.data {
        Data::Enum(data) => {
            let default = Words::read(&input.attrs, Place::Enum, &mut errors);
            for variant in &data.variants {
                let name = &variant.ident;
                let shape = Shape { name, path: quote!(Self::#name), fields: &variant.fields };
                let words = shape.words(&variant.attrs, Place::Variant, &mut errors);
                let words = if words.is_silent() { &default } else { &words };
                answers.extend(shape.answer(words, &mut errors));
            }
            krate = default.krate;
        }
        Data::Struct(data) => {
            let shape = Shape { name: &input.ident, path: quote!(Self), fields: &data.fields };
            let words = shape.words(&input.attrs, Place::Struct, &mut errors);
            answers.extend(shape.answer(&words, &mut errors));
            krate = words.krate;
        }
        Data::Union(data) => {
            errors.over(
                Rule::R27,
                &data.union_token,
                "a union does not know which field it holds; write `impl Classify` by hand",
            );
        }
    }
    only_one_is_rejected(&answers, &mut errors);
    let krate = krate.unwrap_or_else(|| parse_quote!(::resilient));
    let (impls, errors) = (write(&input, &krate, &answers, errors.is_empty()), errors.to_tokens());
    quote!(#impls #errors)
}

/// A variant, or a struct as a whole.
struct Shape<'a> {
    name: &'a Ident,
    path: TokenStream,
    fields: &'a Fields,
}

/// What one shape answers, and whether it is known never to have been executed.
struct Answer<'a> {
    path: TokenStream,
    kind: Kind<'a>,
    unsent: bool,
}

enum Kind<'a> {
    /// A constant of `Verdict`, with the wait that a field holds.
    Fixed(&'static str, Option<Part<'a>>),
    /// Whatever the field answers.
    Delegate(Part<'a>),
    /// The same, and the field is all there is; with the attribute that said so.
    Rejected(Part<'a>, Path),
}

/// A field, and how to reach it.
type Part<'a> = (Member, &'a Field);

impl<'a> Shape<'a> {
    /// The words on the shape, and those on its fields.
    fn words(&self, attrs: &[Attribute], place: Place, errors: &mut Errors) -> Words {
        let mut words = Words::read(attrs, place, errors);
        for field in self.fields {
            let on_field = Words::read(&field.attrs, Place::Field, errors);
            words.garbled |= on_field.garbled;
            match (on_field.word, &words.word) {
                (None, _) | (Some(_), Some((Word::Delegate, _))) => {}
                (Some((word, path)), _) => words.put(word, &path, errors),
            }
        }
        words
    }

    /// What the words mean here; `None` after a fault.
    fn answer(self, words: &Words, errors: &mut Errors) -> Option<Answer<'a>> {
        let kind = match &words.word {
            None if words.garbled => return None,
            None if words.not_sent.is_some() => Kind::Fixed("TRANSIENT", None),
            None => {
                let name = self.name;
                let advice = "put `#[permanent]`, `#[transient]` or another word on it";
                errors.over(
                    Rule::R27,
                    name,
                    format_args!("`{name}` does not say what it means for a caller; {advice}"),
                );
                return None;
            }
            Some((Word::Fixed(verdict, None), _)) => Kind::Fixed(verdict, None),
            Some((Word::Fixed(verdict, Some(wait)), _)) => Kind::Fixed(verdict, Some(self.named(wait, errors)?)),
            Some((Word::Delegate, path)) => Kind::Delegate(self.delegate(path, errors)?),
            Some((Word::Rejected, path)) => {
                let Some(field) = self.only_field() else {
                    let name = self.name;
                    errors.over(
                        Rule::R27,
                        path,
                        format_args!("`#[rejected]` needs exactly one field; write `{name}(Rejected)`"),
                    );
                    return None;
                };
                Kind::Rejected(field, path.clone())
            }
        };
        Some(Answer { path: self.path, kind, unsent: words.not_sent.is_some() })
    }

    fn parts(&self) -> impl Iterator<Item = Part<'a>> {
        self.fields.members().zip(self.fields)
    }

    fn only_field(&self) -> Option<Part<'a>> {
        self.parts().next().filter(|_| self.fields.len() == 1)
    }

    /// The field that `wait` names.
    fn named(&self, wait: &Member, errors: &mut Errors) -> Option<Part<'a>> {
        let found = self.parts().find(|(member, _)| member == wait);
        if found.is_none() {
            let (name, wait_text) = (self.name, text(wait));
            let names: Vec<_> = self.parts().map(|(member, _)| text(&member)).collect();
            let names = names.iter().map(String::as_str);
            let advice = match nearest(&wait_text, names.clone()) {
                _ if self.fields.is_empty() => "leave `retry_after` out, or add a field of type `Duration`".to_owned(),
                Some(near) if matches!(wait, Member::Named(_)) => format!("did you mean `{near}`?"),
                _ => format!("name {}", one_of(names)),
            };
            errors.over(Rule::R27, wait, format_args!("`{name}` has no field `{wait_text}`; {advice}"));
        }
        found
    }

    /// The field that answers: the marked one, the one that other derives take for the cause, or the only one.
    fn delegate(&self, word: &Path, errors: &mut Errors) -> Option<Part<'a>> {
        let is = |field: &Field, name: &str| field.attrs.iter().any(|attr| attr.path().is_ident(name));
        let mut marked = self.parts().filter(|(_, field)| is(field, "classify"));
        if let Some(first) = marked.next() {
            if let Some((_, second)) = marked.next() {
                let at = second.attrs.iter().find(|attr| attr.path().is_ident("classify"));
                errors.over(
                    Rule::R02,
                    &at.map(Attribute::path),
                    "only one field can answer; drop this `#[classify(delegate)]`",
                );
            }
            return Some(first);
        }
        let cause = |(member, field): &Part| {
            is(field, "from") || is(field, "source") || matches!(member, Member::Named(name) if name == "source")
        };
        let found = self.parts().find(cause).or_else(|| self.only_field());
        if found.is_none() {
            let name = self.name;
            errors.over(
                Rule::R27,
                word,
                match self.fields.len() {
                    0 => format!("`{name}` has no field that could answer; write `#[permanent]` or another word"),
                    n => format!("`{name}` has {n} fields; put `#[classify(delegate)]` on the one that answers"),
                },
            );
        }
        found
    }
}

fn only_one_is_rejected(answers: &[Answer], errors: &mut Errors) {
    let rejected = answers.iter().filter_map(|answer| match &answer.kind {
        Kind::Rejected(_, word) => Some(word),
        Kind::Fixed(..) | Kind::Delegate(_) => None,
    });
    for word in rejected.skip(1) {
        errors.over(Rule::R02, word, "a `Rejected` becomes one variant; write `#[classify(delegate)]` here");
    }
}

/// The impls; a stand-in for the verdicts where something was wrong.
fn write(input: &DeriveInput, krate: &Path, answers: &[Answer], sound: bool) -> TokenStream {
    let name = &input.ident;
    let (head, ty, _) = input.generics.split_for_impl();
    let mut generics = input.generics.clone();
    let body = if !sound {
        quote!(#krate::Verdict::TRANSIENT)
    } else if answers.is_empty() {
        quote!(match *self {})
    } else {
        for field in answers.iter().filter_map(Answer::asked) {
            // A bound on a type without parameters is a warning of its own; one on a type that holds `Self` goes in circles.
            if mentions(&field.ty, |ident| input.generics.type_params().any(|param| param.ident == *ident))
                && !mentions(&field.ty, |ident| ident == name || ident == "Self")
            {
                let ty = &field.ty;
                generics.make_where_clause().predicates.push(parse_quote!(#ty: #krate::Classify));
            }
        }
        let arms = answers.iter().map(|answer| answer.arm(krate));
        quote!(match self { #(#arms)* })
    };
    let bounds = &generics.where_clause;
    let from = answers.iter().find_map(|answer| answer.from(input, krate));
    quote! {
        #[automatically_derived]
        impl #head #krate::Classify for #name #ty #bounds {
            fn classify(&self) -> #krate::Verdict {
                #body
            }
        }
        #from
    }
}

impl<'a> Answer<'a> {
    /// The field that is asked for its own verdict.
    fn asked(&self) -> Option<&'a Field> {
        match &self.kind {
            Kind::Delegate((_, field)) | Kind::Rejected((_, field), _) => Some(field),
            Kind::Fixed(..) => None,
        }
    }

    fn arm(&self, krate: &Path) -> TokenStream {
        let path = &self.path;
        let inner = format_ident!("inner", span = Span::mixed_site());
        let (binding, verdict) = match &self.kind {
            Kind::Fixed(verdict, wait) => {
                let verdict = format_ident!("{verdict}");
                let verdict = quote!(#krate::Verdict::#verdict);
                match wait {
                    None => (None, verdict),
                    Some((member, Field { ty, .. })) => {
                        (Some(member), quote!(<#ty as #krate::__private::RetryAfter>::hint(#inner, #verdict)))
                    }
                }
            }
            Kind::Delegate((member, Field { ty, .. })) | Kind::Rejected((member, Field { ty, .. }), _) => {
                (Some(member), quote!(<#ty as #krate::Classify>::classify(#inner)))
            }
        };
        let binding = binding.map(|member| quote!(#member: #inner,));
        let unsent = self.unsent.then(|| quote!(.unsent()));
        quote!(#path { #binding .. } => #verdict #unsent,)
    }

    /// `From<Rejected>`, unless `#[from]` lets another derive write it.
    fn from(&self, input: &DeriveInput, krate: &Path) -> Option<TokenStream> {
        let Kind::Rejected((member, field), _) = &self.kind else { return None };
        if field.attrs.iter().any(|attr| attr.path().is_ident("from")) {
            return None;
        }
        let (path, name, field) = (&self.path, &input.ident, &field.ty);
        let (head, ty, bounds) = input.generics.split_for_impl();
        let rejected = Ident::new("rejected", Span::mixed_site());
        Some(quote! {
            #[automatically_derived]
            impl #head #krate::__private::core::convert::From<#krate::Rejected> for #name #ty #bounds {
                fn from(#rejected: #krate::Rejected) -> Self {
                    #path { #member: <#field as #krate::__private::HoldsRejected>::holding(#rejected) }
                }
            }
        })
    }
}

fn mentions(ty: &Type, wanted: impl Fn(&Ident) -> bool + Copy) -> bool {
    fn walk(tokens: TokenStream, wanted: impl Fn(&Ident) -> bool + Copy) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => wanted(&ident),
            TokenTree::Group(group) => walk(group.stream(), wanted),
            TokenTree::Punct(_) | TokenTree::Literal(_) => false,
        })
    }
    walk(ty.to_token_stream(), wanted)
}

fn text(member: &Member) -> String {
    member.to_token_stream().to_string()
}
