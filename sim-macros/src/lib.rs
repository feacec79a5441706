//! The `#[kernel]` attribute.
//!
//! ```ignore
//! #[kernel("mm/swap.c", "3.11")]
//! pub async fn lru_add_drain(cpu: &Cpu) { .. }
//! ```
//!
//! turns an `async fn` into a plain function that returns the same future and is `#[track_caller]`: a recorded run
//! then knows the name of the function, the kernel file and version that it follows, and the line that called it. The
//! body stays as written, so that the code panel can show the source file itself. The first parameter must be `cpu`.

use proc_macro::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{FnArg, ItemFn, LitStr, Pat, ReturnType, Token, parse_macro_input};

/// Makes an `async fn` a modelled kernel function. Arguments: kernel file, kernel version.
#[proc_macro_attribute]
pub fn kernel(args: TokenStream, item: TokenStream) -> TokenStream {
    let args = parse_macro_input!(args with Punctuated::<LitStr, Token![,]>::parse_terminated);
    let function = parse_macro_input!(item as ItemFn);
    expand(&args.into_iter().collect::<Vec<_>>(), function).unwrap_or_else(syn::Error::into_compile_error).into()
}

fn expand(args: &[LitStr], function: ItemFn) -> syn::Result<proc_macro2::TokenStream> {
    let [file, version] = args else {
        return Err(syn::Error::new_spanned(
            &function.sig.ident,
            "#[kernel] takes the kernel file and the version that the function follows",
        ));
    };
    let ItemFn { attrs, vis, mut sig, block } = function;
    if sig.asyncness.take().is_none() {
        return Err(syn::Error::new_spanned(&sig.ident, "a kernel function is an async fn"));
    }
    if !first_is_cpu(&sig) {
        return Err(syn::Error::new_spanned(&sig.ident, "the first parameter of a kernel function is `cpu`"));
    }
    let name = sig.ident.to_string().trim_end_matches('_').to_string();
    let output = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
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
                let _frame = cpu.enter(&FUNC, site);
                #block
            }
        }
    })
}

fn first_is_cpu(sig: &syn::Signature) -> bool {
    match sig.inputs.first() {
        Some(FnArg::Typed(arg)) => matches!(&*arg.pat, Pat::Ident(name) if name.ident == "cpu"),
        _ => false,
    }
}
