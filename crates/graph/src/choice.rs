//! Enumerations whose values have the names users type, all from one list.

/// One of a few values, each with the name that users type.
///
/// [`choices!`](crate::choices) writes such enumerations.
pub trait Choice: Copy + 'static {
    /// What is chosen, in words for a message.
    const WHAT: &'static str;

    /// Every value, in the order users see them.
    const ALL: &'static [Self];

    /// What users type.
    fn name(self) -> &'static str;

    /// The value of that name.
    ///
    /// # Errors
    /// When no value is called so; the error lists those that are.
    fn from_name(name: &str) -> Result<Self, UnknownChoice> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name).ok_or_else(|| UnknownChoice {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::ALL.iter().map(|choice| choice.name()).collect(),
        })
    }
}

/// A name that is not in the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} '{name}': known are {}", known.join(", "))]
pub struct UnknownChoice {
    /// What was to be chosen.
    pub what: &'static str,
    /// What was written.
    pub name: String,
    /// What could have been written.
    pub known: Vec<&'static str>,
}

/// Declares an enumeration with [`Choice`](crate::Choice), `ALL`, `name`, `Display`, `FromStr` and serde, all from one
/// list of names. The crate that uses it depends on serde.
///
/// ```
/// gflowcausal_graph::choices! {
///     /// How it tastes.
///     #[derive(Default)]
///     pub enum Taste: "taste" {
///         /// Like sugar.
///         #[default]
///         Sweet = "sweet",
///         /// Like lemons.
///         Sour = "sour",
///     }
/// }
/// assert_eq!("sour".parse(), Ok(Taste::Sour));
/// assert_eq!(Taste::default().to_string(), "sweet");
/// let error = "bitter".parse::<Taste>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown taste 'bitter': known are sweet, sour");
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        pub enum $Kind:ident: $what:literal {
            $($(#[$variant_meta:meta])* $Variant:ident = $name:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(try_from = "String", into = "&'static str")]
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

        impl $crate::Choice for $Kind {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = Self::ALL;

            fn name(self) -> &'static str {
                $Kind::name(self)
            }
        }

        impl ::std::fmt::Display for $Kind {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl From<$Kind> for &'static str {
            fn from(kind: $Kind) -> Self {
                kind.name()
            }
        }

        impl ::std::str::FromStr for $Kind {
            type Err = $crate::UnknownChoice;

            fn from_str(name: &str) -> Result<Self, $crate::UnknownChoice> {
                $crate::Choice::from_name(name)
            }
        }

        impl TryFrom<String> for $Kind {
            type Error = $crate::UnknownChoice;

            fn try_from(name: String) -> Result<Self, $crate::UnknownChoice> {
                name.parse()
            }
        }
    };
}
