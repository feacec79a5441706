//! Attributes for modelled kernel code.
//!
//! ```ignore
//! #[kernel("mm/swap.c", "3.11")]
//! pub async fn lru_add_drain(cpu: &Cpu) { .. }
//! ```
//!
//! turns an `async fn` into a plain function that returns the same future and is `#[track_caller]`: a recorded run
//! then knows the name of the function, the kernel file and version that it follows, and the line that called it. The
//! body stays as written, so that the code panel can show the source file itself. The first parameter must be `cpu`.
//!
//! The same body also becomes a plain function without awaits, the direct form, for bulk runs: a coroutine keeps its
//! variables in memory and costs several times as much. Whoever writes kernel code need not think of it:
//!
//! - a body awaits primitives (`cpu.lock_page(page).await`) and kernel functions (`put_page(cpu, page).await`);
//! - a small helper that takes `cpu` and awaits nothing is marked `#[look]`;
//! - a function that gives control back in between, by `cond_resched` or by calling a function that does, has no direct
//!   form and says so: `#[kernel("mm/mlock.c", "3.11", pauses)]`. The compiler notices where that was forgotten. One
//!   that does nothing after it has given control back says `pauses_last`; its callers pause in its stead.

mod direct;
mod primitives;

use proc_macro::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::VisitMut;
use syn::{FnArg, Ident, ItemFn, LitStr, Pat, ReturnType, Signature, Token, parse_macro_input};

/// Makes an `async fn` a modelled kernel function. Arguments: kernel file, kernel version, and `pauses` or `pauses_last`
/// where the function gives control back.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let args = parse_macro_input!(args as Args);
    let function = parse_macro_input!(item as ItemFn);
    expand(&args, function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives a helper that takes `cpu: &Cpu` and makes no step its direct form.
#[proc_macro_attribute]
pub fn look(_: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    direct::helper(&function).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Gives the handle of direct code the methods of an `impl Cpu`.
#[proc_macro_attribute]
pub fn primitives(_: TokenStream, item: TokenStream) -> TokenStream {
    let methods = parse_macro_input!(item as syn::ItemImpl);
    primitives::both(&methods).into()
}

struct Args {
    file: LitStr,
    version: LitStr,
    pauses: Pauses,
}

/// When a function gives control back.
#[derive(Clone, Copy, PartialEq)]
enum Pauses {
    Never,
    Within,
    Last,
}

impl Parse for Args {
    fn parse(input: ParseStream) -> syn::Result<Args> {
        let file = input.parse()?;
        input.parse::<Token![,]>()?;
        let version = input.parse()?;
        let more = input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty();
        let pauses = if more { pauses(&input.parse()?)? } else { Pauses::Never };
        Ok(Args { file, version, pauses })
    }
}

fn pauses(word: &Ident) -> syn::Result<Pauses> {
    match word.to_string().as_str() {
        "pauses" => Ok(Pauses::Within),
        "pauses_last" => Ok(Pauses::Last),
        _ => Err(syn::Error::new_spanned(word, "#[kernel] takes a file, a version, and `pauses` or `pauses_last`")),
    }
}

fn expand(args: &Args, function: ItemFn) -> syn::Result<proc_macro2::TokenStream> {
    let Args { file, version, pauses } = args;
    if function.sig.asyncness.is_none() {
        return Err(syn::Error::new_spanned(&function.sig.ident, "a kernel function is an async fn"));
    }
    first_is_cpu(&function.sig)?;
    let (direct, shortcut) = direct::function(&function, *pauses)?;
    let ItemFn { attrs, vis, mut sig, mut block } = function;
    if *pauses == Pauses::Within {
        direct::Shortcut.visit_block_mut(&mut block);
    }
    sig.asyncness = None;
    let name = sig.ident.to_string().trim_end_matches('_').to_string();
    let output = output(&sig);
    sig.output = syn::parse_quote!(-> impl ::core::future::Future<Output = #output>);
    Ok(quote! {
        #(#attrs)*
        #[track_caller]
        #vis #sig {
            static FUNC: crate::engine::Func = crate::engine::Func {
                name: #name, file: #file, version: #version, source: file!(), line: line!(),
            };
            let site = ::core::panic::Location::caller();
            async move {
                #shortcut
                let _frame = cpu.enter(&FUNC, site);
                #block
            }
        }
        #direct
    })
}

fn output(sig: &Signature) -> proc_macro2::TokenStream {
    match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    }
}

fn first_is_cpu(sig: &Signature) -> syn::Result<()> {
    match sig.inputs.first() {
        Some(FnArg::Typed(arg)) if matches!(&*arg.pat, Pat::Ident(name) if name.ident == "cpu") => Ok(()),
        _ => Err(syn::Error::new_spanned(&sig.ident, "the first parameter of kernel code is `cpu`")),
    }
}
