//! The primitives of kernel code for direct runs.

use proc_macro2::TokenStream;
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    ExprMethodCall, FnArg, GenericArgument, ImplItem, ImplItemFn, ItemImpl, PathArguments, ReturnType, Type,
    parse_quote,
};

/// The block as written, and the same for the handle of direct code: what returns something to await returns its
/// result; what gives control back is left out.
pub fn both(methods: &ItemImpl) -> TokenStream {
    let direct = methods.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    });
    let direct = direct.filter_map(twin);
    quote! {
        #methods

        #[allow(unused)]
        impl crate::engine::Direct {
            #(#direct)*
        }
    }
}

fn twin(method: &ImplItemFn) -> Option<TokenStream> {
    let ImplItemFn { attrs, vis, sig, block, .. } = method;
    let mut block = block.clone();
    ByReference.visit_block_mut(&mut block);
    let attrs = attrs.iter().filter(|attr| !attr.path().is_ident("track_caller"));
    let (name, inputs) = (&sig.ident, sig.inputs.iter().filter(|input| matches!(input, FnArg::Typed(_))));
    let (awaited, argument) = returned(&sig.output);
    let (receiver, output) = match awaited.as_str() {
        "Step" => (quote!(&mut self), quote!(-> ::core::result::Result<#argument, crate::engine::Stop>)),
        "LockStep" => (quote!(&mut self), quote!(-> ::core::result::Result<(), crate::engine::Stop>)),
        "Pause" => return None,
        _ => {
            let output = &sig.output;
            (quote!(&self), quote!(#output))
        }
    };
    Some(quote!(#(#attrs)* #vis fn #name(#receiver #(, #inputs)*) #output #block))
}

// `self.step(op)` becomes `self.step(&op)`.
struct ByReference;

impl VisitMut for ByReference {
    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        visit_mut::visit_expr_method_call_mut(self, call);
        if call.method == "step" {
            call.args.iter_mut().for_each(|op| *op = parse_quote!(&#op));
        }
    }
}

// The name of the type that is returned, and its type argument.
fn returned(output: &ReturnType) -> (String, Option<&Type>) {
    let ReturnType::Type(_, ty) = output else { return Default::default() };
    let Type::Path(path) = &**ty else { return Default::default() };
    let Some(last) = path.path.segments.last() else { return Default::default() };
    let argument = match &last.arguments {
        PathArguments::AngleBracketed(list) => list.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    };
    (last.ident.to_string(), argument)
}
