//! Enumerations whose variants have the names users type, in one list.

/// A name that is not in the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}': known are {}", known.join(", "))]
pub struct UnknownName {
    /// What was to be named.
    pub what: &'static str,
    /// What was written.
    pub name: String,
    /// What could have been written.
    pub known: Vec<&'static str>,
}

/// Declares an enumeration with `ALL`, `name`, `Display`, `FromStr` and serde, all from one list of names.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $Kind:ident: $what:literal {
            $($(#[$variant_meta:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
        #[non_exhaustive]
        pub enum $Kind {
            $($(#[$variant_meta])* $Variant,)+
        }

        impl $Kind {
            /// Every value, in the order users see them.
            pub const ALL: &[Self] = &[$(Self::$Variant),+];

            /// What users type.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)+
                }
            }
        }

        impl std::fmt::Display for $Kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$Kind> for &'static str {
            fn from(kind: $Kind) -> Self {
                kind.name()
            }
        }

        impl std::str::FromStr for $Kind {
            type Err = $crate::simulate::named::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| Self::Err {
                    what: $what,
                    name: name.to_owned(),
                    known: Self::ALL.iter().map(|kind| kind.name()).collect(),
                })
            }
        }

        impl TryFrom<String> for $Kind {
            type Error = $crate::simulate::named::UnknownName;

            fn try_from(name: String) -> Result<Self, Self::Error> {
                name.parse()
            }
        }
    };
}

pub(super) use named;
