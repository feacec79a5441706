//! Enums whose values have a name in the kernel.

/// Makes an enum of one byte with the list of all its values and the name of each.
macro_rules! named {
    ($(#[$meta:meta])* enum $name:ident, $(#[$doc_name:meta])* $fn_name:ident {
        $($(#[$doc:meta])* $value:ident = $text:literal,)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: [$name; [$($name::$value),*].len()] = [$($name::$value),*];

            $(#[$doc_name])*
            pub const fn $fn_name(self) -> &'static str {
                match self {
                    $($name::$value => $text,)*
                }
            }
        }
    };
}

pub(crate) use named;
