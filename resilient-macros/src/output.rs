//! What the function returns, as far as its text shows.

use crate::arguments::peeled;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::punctuated::Punctuated;
use syn::{
    GenericArgument, Lifetime, PathArguments, PathSegment, ReturnType, Signature, Token, Type, TypeInfer,
    TypeParamBound, TypePath,
};

/// What the function returns.
pub struct Output {
    /// What one attempt yields, with `impl Trait` left to inference, in the user's tokens.
    pub tokens: TokenStream,
    /// The same as a type; `None` for a function that says nothing.
    pub ty: Option<Type>,
    /// Where the outcome comes from.
    pub kind: OutputKind,
}

/// Where the outcome comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// The function blocks.
    Sync,
    /// `async fn`
    Async,
    /// `-> impl Future<Output = R>`
    Future,
    /// `-> Pin<Box<dyn Future<Output = R>>>` or one of its aliases.
    Boxed,
    /// A stream, which is many outcomes.
    Stream,
}

impl Output {
    /// Reads the return type.
    pub fn of(sig: &Signature) -> Self {
        let declared = match &sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) => Some(peeled(ty)),
        };
        let (kind, ty) = match declared {
            _ if sig.asyncness.is_some() => (OutputKind::Async, declared.cloned()),
            Some(ty) => match future(ty) {
                Some((kind, ty)) => (kind, Some(ty)),
                None => (OutputKind::Sync, Some(ty.clone())),
            },
            None => (OutputKind::Sync, None),
        };
        let kind = match declared {
            Some(ty) if is_stream(ty) => OutputKind::Stream,
            _ => kind,
        };
        let tokens = match &ty {
            Some(ty) => {
                let mut erased = ty.clone();
                erase(&mut erased);
                erased.into_token_stream()
            }
            None => quote_spanned!(sig.ident.span()=> ()),
        };
        Self { tokens, ty, kind }
    }

    /// Whether awaiting comes into it.
    pub fn is_async(&self) -> bool {
        !matches!(self.kind, OutputKind::Sync)
    }

    /// Whether the last word of the type ends in `Result`, as aliases of it do.
    pub fn names_result(&self) -> bool {
        self.last().is_some_and(|last| last.ident.to_string().ends_with("Result"))
    }

    /// Whether it is the unit type.
    pub fn is_unit(&self) -> bool {
        match &self.ty {
            None => true,
            Some(Type::Tuple(tuple)) => tuple.elems.is_empty(),
            Some(_) => false,
        }
    }

    /// Whether it surely is no `Result`; an alias may be one.
    pub fn is_no_result(&self) -> bool {
        const PLAIN: &[&str] = &[
            "bool", "char", "str", "String", "Option", "Vec", "Box", "Arc", "Rc", "Cow", "HashMap", "BTreeMap", "u8",
            "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64", "Duration",
            "Self",
        ];
        match &self.ty {
            None => true,
            Some(Type::Path(path)) => match path.path.segments.last() {
                Some(last) => {
                    path.qself.is_none() && PLAIN.iter().any(|word| last.ident == word) && !is_associated(path)
                }
                None => false,
            },
            Some(Type::Macro(_) | Type::Infer(_) | Type::Never(_)) => false,
            Some(_) => true,
        }
    }

    /// The type of the good answer, where the text shows it.
    pub fn ok(&self) -> Option<&Type> {
        let last = self.last().filter(|_| self.names_result())?;
        arguments(last).find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(peeled(ty)),
            _ => None,
        })
    }

    fn last(&self) -> Option<&PathSegment> {
        match &self.ty {
            Some(Type::Path(path)) => path.path.segments.last(),
            _ => None,
        }
    }

    /// The `&mut T` that it hands out, if it does.
    pub fn lends(&self) -> Option<&Type> {
        self.ty.as_ref().and_then(|ty| find(ty, &|ty| matches!(ty, Type::Reference(it) if it.mutability.is_some())))
    }

    /// What it hands out that may not live as long as the program, if it does.
    pub fn borrows(&self) -> Option<&Type> {
        self.ty.as_ref().and_then(borrowed)
    }
}

/// The first type in it that names a lifetime, or a reference without one; `'static` is none that ends.
pub fn borrowed(ty: &Type) -> Option<&Type> {
    let ends = |lifetime: &Lifetime| lifetime.ident != "static";
    let named = |bounds: &Punctuated<TypeParamBound, Token![+]>| {
        bounds.iter().any(|bound| matches!(bound, TypeParamBound::Lifetime(lifetime) if ends(lifetime)))
    };
    find(ty, &|ty| match ty {
        Type::Reference(reference) => reference.lifetime.as_ref().is_none_or(ends),
        Type::ImplTrait(ty) => named(&ty.bounds),
        Type::TraitObject(ty) => named(&ty.bounds),
        Type::Path(path) => path.path.segments.iter().flat_map(arguments).any(|argument| match argument {
            GenericArgument::Lifetime(lifetime) => ends(lifetime),
            _ => false,
        }),
        _ => false,
    })
}

/// `Self::Option` is another's type.
fn is_associated(path: &TypePath) -> bool {
    path.path.segments.len() > 1 && path.path.segments.first().is_some_and(|first| first.ident == "Self")
}

/// The output of a type that is a future, by its last word.
fn future(ty: &Type) -> Option<(OutputKind, Type)> {
    match ty {
        Type::ImplTrait(ty) => awaited(&ty.bounds).map(|ty| (OutputKind::Future, ty)),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let mut types = arguments(last).filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(peeled(ty)),
                _ => None,
            });
            if last.ident == "BoxFuture" || last.ident == "LocalBoxFuture" {
                return types.next().map(|ty| (OutputKind::Boxed, ty.clone()));
            }
            if last.ident != "Pin" {
                return None;
            }
            let Some(Type::Path(inner)) = types.next() else { return None };
            let inner = inner.path.segments.last().filter(|inner| inner.ident == "Box")?;
            arguments(inner).find_map(|argument| match argument {
                GenericArgument::Type(ty) => match peeled(ty) {
                    Type::TraitObject(ty) => awaited(&ty.bounds).map(|ty| (OutputKind::Boxed, ty)),
                    _ => None,
                },
                _ => None,
            })
        }
        _ => None,
    }
}

/// `R` of a bound `Future<Output = R>`.
fn awaited(bounds: &Punctuated<TypeParamBound, Token![+]>) -> Option<Type> {
    let last = named(bounds, |name| name == "Future")?;
    arguments(last).find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(peeled(&output.ty).clone()),
        _ => None,
    })
}

fn named(bounds: &Punctuated<TypeParamBound, Token![+]>, is: fn(&Ident) -> bool) -> Option<&PathSegment> {
    bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().filter(|last| is(&last.ident)),
        _ => None,
    })
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let list = match &segment.arguments {
        PathArguments::AngleBracketed(list) => Some(list.args.iter()),
        _ => None,
    };
    list.into_iter().flatten()
}

fn is_stream(ty: &Type) -> bool {
    fn is(name: &Ident) -> bool {
        ["Stream", "BoxStream", "LocalBoxStream", "AsyncIterator"].iter().any(|word| name == word)
    }
    match ty {
        Type::ImplTrait(ty) => named(&ty.bounds, is).is_some(),
        Type::TraitObject(ty) => named(&ty.bounds, is).is_some(),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            is(&last.ident)
                || (["Pin", "Box"].iter().any(|word| last.ident == word)
                    && arguments(last)
                        .any(|argument| matches!(argument, GenericArgument::Type(ty) if is_stream(peeled(ty)))))
        }),
        _ => false,
    }
}

/// Puts `_` where an `impl Trait` stands, which cannot be named in a body.
pub fn erase(ty: &mut Type) {
    each(ty, &mut |ty| {
        if let Type::ImplTrait(opaque) = ty {
            *ty = Type::Infer(TypeInfer { attrs: Vec::new(), underscore_token: Token![_](opaque.impl_token.span) });
        }
    });
}

/// Whether an `impl Trait` stands anywhere in it.
pub fn is_opaque(ty: &Type) -> bool {
    let mut found = false;
    each(&mut ty.clone(), &mut |ty| found |= matches!(ty, Type::ImplTrait(_)));
    found
}

/// `change`, to a type and then to the types that it is made of.
fn each(ty: &mut Type, change: &mut dyn FnMut(&mut Type)) {
    change(ty);
    match ty {
        Type::Array(ty) => each(&mut ty.elem, change),
        Type::Group(ty) => each(&mut ty.elem, change),
        Type::Paren(ty) => each(&mut ty.elem, change),
        Type::Ptr(ty) => each(&mut ty.elem, change),
        Type::Reference(ty) => each(&mut ty.elem, change),
        Type::Slice(ty) => each(&mut ty.elem, change),
        Type::Tuple(ty) => ty.elems.iter_mut().for_each(|ty| each(ty, change)),
        Type::Path(ty) => {
            for segment in &mut ty.path.segments {
                let PathArguments::AngleBracketed(list) = &mut segment.arguments else { continue };
                for argument in &mut list.args {
                    if let GenericArgument::Type(ty) = argument {
                        each(ty, change);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The first type in it that `is` so.
fn find<'a>(ty: &'a Type, is: &dyn Fn(&Type) -> bool) -> Option<&'a Type> {
    match ty {
        _ if is(ty) => Some(ty),
        Type::Array(ty) => find(&ty.elem, is),
        Type::Group(ty) => find(&ty.elem, is),
        Type::Paren(ty) => find(&ty.elem, is),
        Type::Reference(ty) => find(&ty.elem, is),
        Type::Slice(ty) => find(&ty.elem, is),
        Type::Tuple(ty) => ty.elems.iter().find_map(|ty| find(ty, is)),
        Type::Path(path) => path.path.segments.iter().flat_map(arguments).find_map(|argument| match argument {
            GenericArgument::Type(ty) => find(ty, is),
            _ => None,
        }),
        _ => None,
    }
}
