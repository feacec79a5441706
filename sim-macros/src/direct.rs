//! The direct form of a kernel function: the same body without its awaits.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprCall, FnArg, Ident, ItemFn, Pat, parse_quote};

use crate::Pauses;

/// The direct form, and the shortcut to it at the start of the coroutine.
pub fn function(function: &ItemFn, pauses: Pauses) -> syn::Result<(TokenStream, TokenStream)> {
    let names: Vec<&Ident> = function.sig.inputs.iter().skip(1).map(plain_name).collect::<syn::Result<_>>()?;
    let output = crate::output(&function.sig);
    let result = quote!(::core::result::Result<#output, crate::engine::Stop>);
    let body = match pauses {
        // Nobody calls it.
        Pauses::Within => quote!(::core::result::Result::Err(crate::engine::Stop)),
        Pauses::Never | Pauses::Last => {
            let block = stripped(function, pauses)?;
            quote!(::core::result::Result::Ok(#block))
        }
    };
    let (direct, last) = (pauses != Pauses::Within, pauses == Pauses::Last);
    let consts = quote! {
        pub(crate) const DIRECT: bool = #direct;
        pub(crate) const PAUSES_LAST: bool = #last;
    };
    let form = form(function, &consts, &quote!(mut), &result, &body);
    let shortcut = match pauses {
        Pauses::Never => {
            let name = &function.sig.ident;
            let directly = directly(&quote!(#name::direct(&mut direct #(, #names)*)));
            quote! {
                match #directly {
                    ::core::option::Option::Some(::core::result::Result::Ok(value)) => return value,
                    ::core::option::Option::Some(::core::result::Result::Err(stop)) => return stop.forever().await,
                    ::core::option::Option::None => {}
                }
            }
        }
        Pauses::Within | Pauses::Last => quote!(),
    };
    Ok((form, shortcut))
}

/// A helper with its direct form.
pub fn helper(function: &ItemFn) -> syn::Result<TokenStream> {
    crate::first_is_cpu(&function.sig)?;
    let consts = quote! {
        pub(crate) const DIRECT: bool = true;
        pub(crate) const PAUSES_LAST: bool = false;
    };
    let block = stripped(function, Pauses::Never)?;
    let form = form(function, &consts, &quote!(), &crate::output(&function.sig), &quote!(#block));
    Ok(quote!(#function #form))
}

fn stripped(function: &ItemFn, pauses: Pauses) -> syn::Result<syn::Block> {
    let mut block = function.block.clone();
    let mut strip = Strip { pauses, error: None };
    strip.visit_block_mut(&mut block);
    strip.error.map_or(Ok(*block), Err)
}

// An associated function of a type that has the name of the function, and so is imported along with it.
fn form(
    function: &ItemFn,
    consts: &TokenStream,
    mutability: &TokenStream,
    output: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let ItemFn { attrs, vis, sig, .. } = function;
    let inline = attrs.iter().filter(|attr| attr.path().is_ident("inline"));
    let (name, generics, inputs) = (&sig.ident, &sig.generics, sig.inputs.iter().skip(1));
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #name {}

        #[allow(clippy::all, unused)]
        impl #name {
            #consts

            #(#inline)*
            #vis fn direct #generics (cpu: &#mutability crate::engine::Direct #(, #inputs)*) -> #output { #body }
        }
    }
}

fn plain_name(input: &FnArg) -> syn::Result<&Ident> {
    if let FnArg::Typed(arg) = input
        && let Pat::Ident(name) = &*arg.pat
    {
        return Ok(&name.ident);
    }
    Err(syn::Error::new_spanned(input, "a parameter of a kernel function is a plain name"))
}

/// `f(cpu, x).await` becomes `f::direct(cpu, x)?`, a primitive's `.await` becomes `?`, `return` returns `Ok`, and `?` is
/// taken for that of an `Option`.
struct Strip {
    pauses: Pauses,
    error: Option<syn::Error>,
}

impl VisitMut for Strip {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Closure(_) | Expr::Async(_)) {
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Await(awaited) => match &*awaited.base {
                // Whoever calls a function that pauses last, pauses.
                step if is_pause(step) && self.pauses == Pauses::Last => *expr = parse_quote!(()),
                step if is_pause(step) => self.refuse(step, "a function that pauses says so: #[kernel(.., pauses)]"),
                step @ (Expr::MethodCall(_) | Expr::Block(_)) => *expr = parse_quote!(#step?),
                other => self.refuse(other, "a kernel function awaits primitives of `cpu` and kernel functions alone"),
            },
            Expr::Call(call) if call.args.first().is_some_and(is_cpu) => *expr = direct_call(call),
            Expr::Try(tried) => {
                let tried = &tried.expr;
                *expr = parse_quote! {
                    match #tried {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => return ::core::result::Result::Ok(::core::option::Option::None),
                    }
                };
            }
            Expr::Return(ret) => {
                let value = ret.expr.take().unwrap_or_else(|| parse_quote!(()));
                *expr = parse_quote!(return ::core::result::Result::Ok(#value));
            }
            _ => {}
        }
    }
}

impl Strip {
    fn refuse(&mut self, expr: &Expr, text: &str) {
        self.error.get_or_insert(syn::Error::new_spanned(expr, text));
    }
}

fn direct_call(call: &ExprCall) -> Expr {
    let (first, args) = arguments(call.args.iter().skip(1));
    let function = &call.func;
    let error = "a function that calls one that pauses, pauses itself: #[kernel(.., pauses)]";
    parse_quote! {
        {
            const { ::core::assert!(#function::DIRECT && !#function::PAUSES_LAST, #error) };
            #(#first)*
            #function::direct(cpu #(, #args)*)
        }
    }
}

// What is computed before the call, and the arguments: those that look at `cpu` are computed before it is lent.
fn arguments<'a>(args: impl Iterator<Item = &'a Expr>) -> (Vec<TokenStream>, Vec<TokenStream>) {
    let (mut first, mut names) = (Vec::new(), Vec::new());
    for (index, arg) in args.enumerate() {
        if mentions_cpu(arg) {
            let name = format_ident!("arg{index}");
            first.push(quote!(let #name = #arg;));
            names.push(quote!(#name));
        } else {
            names.push(quote!(#arg));
        }
    }
    (first, names)
}

fn is_cpu(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("cpu"))
}

fn is_pause(expr: &Expr) -> bool {
    matches!(expr, Expr::MethodCall(call) if is_cpu(&call.receiver) && call.method == "pause")
}

// Control goes back to the engine: where a budget is used up, or until somebody wakes the task.
fn gives_up(step: &syn::ExprMethodCall) -> bool {
    step.method == "pause" || step.method == "sleep"
}

fn mentions_cpu(expr: &Expr) -> bool {
    struct Finder(bool);
    impl Visit<'_> for Finder {
        fn visit_expr(&mut self, expr: &Expr) {
            self.0 |= is_cpu(expr);
            visit::visit_expr(self, expr);
        }
    }
    let mut finder = Finder(false);
    finder.visit_expr(expr);
    finder.0
}

/// In the coroutine of a function that pauses, everything in between takes its direct form where it may. The future is
/// made with the span of what was written: it is the line that a step knows.
pub struct Shortcut;

impl VisitMut for Shortcut {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Closure(_) | Expr::Async(_)) {
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Await(awaited) = expr else { return };
        match &*awaited.base {
            Expr::MethodCall(step) if is_cpu(&step.receiver) && !gives_up(step) => {
                let (first, args) = arguments(step.args.iter());
                let method = &step.method;
                let directly = directly(&quote!(direct.#method(#(#args),*)));
                let future = quote_spanned!(method.span()=> cpu.#method(#(#args),*));
                *expr = either(&first, &directly, &quote!(value), &future);
            }
            Expr::Call(call) if call.args.first().is_some_and(is_cpu) => {
                let (first, args) = arguments(call.args.iter().skip(1));
                let function = &call.func;
                let directly = directly(&quote!(#function::direct(&mut direct #(, #args)*)));
                let directly = quote!(if #function::DIRECT { #directly } else { ::core::option::Option::None });
                let value = quote!({ if #function::PAUSES_LAST { cpu.pause().await; } value });
                let future = quote_spanned!(function.span()=> #function(cpu #(, #args)*));
                *expr = either(&first, &directly, &value, &future);
            }
            _ => {}
        }
    }
}

// The result of a direct call, where it may be made.
fn directly(call: &TokenStream) -> TokenStream {
    quote! {
        match cpu.direct() {
            ::core::option::Option::Some(mut direct) => ::core::option::Option::Some(#call),
            ::core::option::Option::None => ::core::option::Option::None,
        }
    }
}

// In a coroutine: the direct call, or else the future.
fn either(first: &[TokenStream], directly: &TokenStream, value: &TokenStream, future: &TokenStream) -> Expr {
    parse_quote! {
        {
            #(#first)*
            match #directly {
                ::core::option::Option::Some(::core::result::Result::Ok(value)) => #value,
                ::core::option::Option::Some(::core::result::Result::Err(stop)) => stop.forever().await,
                ::core::option::Option::None => #future.await,
            }
        }
    }
}
