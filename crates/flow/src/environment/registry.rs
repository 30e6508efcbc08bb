//! The list of environments by name, and what is known of each before there are variables.

use std::sync::Arc;

use gflowcausal_graph::Constraints;

use super::{Environment, EnvironmentError, Rules, Walk};
use crate::TerminalKind;

/// An environment before it has variables.
pub(super) struct Registration {
    /// The environment over given variables.
    pub(super) build: fn(Arc<Rules>) -> Box<dyn Environment>,
    /// What its terminal states stand for.
    pub(super) terminal: TerminalKind,
    /// Whether every state that is not terminal allows to stop.
    pub(super) every_state_stops: bool,
    /// Whether the network's inputs are the edges so far, as a matrix with a row for each cause.
    pub(super) shows_matrix: bool,
    /// Whether different states have the same inputs: then the flow that belongs to the inputs is that of each of the
    /// states only after the partial log-reward of the state is taken out.
    pub(super) shares_inputs: bool,
}

/// Makes [`Walk`] from one line for each environment.
macro_rules! register {
    ($($(#[$doc:meta])* $Variant:ident = $name:literal => $registration:path,)+) => {
        gflowcausal_graph::choices! {
            /// An environment by the name users type.
            pub enum Walk: "walk" {
                $($(#[$doc])* $Variant = $name,)+
            }
        }

        impl Walk {
            const fn registration(self) -> &'static Registration {
                match self {
                    $(Self::$Variant => &$registration,)+
                }
            }
        }
    };
}
pub(super) use register;

impl Walk {
    /// The environment of this name that leads to what `constraints` permit.
    ///
    /// # Errors
    /// With fewer than two variables.
    pub fn environment(self, constraints: Constraints) -> Result<Box<dyn Environment>, EnvironmentError> {
        if constraints.nodes() < 2 {
            return Err(EnvironmentError::TooFewNodes(constraints.nodes()));
        }
        Ok((self.registration().build)(Arc::new(Rules::new(constraints))))
    }

    /// Whether the network's inputs are the edges so far, as a matrix with a row for each cause.
    #[must_use]
    pub fn shows_matrix(self) -> bool {
        self.registration().shows_matrix
    }

    /// What terminal states stand for.
    #[must_use]
    pub fn terminal_kind(self) -> TerminalKind {
        self.registration().terminal
    }

    /// Whether terminal states stand for orders.
    #[must_use]
    pub fn ends_in_orders(self) -> bool {
        self.terminal_kind() == TerminalKind::Order
    }

    /// Whether terminal states stand for layerings: their rewards are look-ups in tables of parent sets, and every DAG that is
    /// drawn elsewhere has one to learn from.
    #[must_use]
    pub fn ends_in_layerings(self) -> bool {
        self.terminal_kind() == TerminalKind::Layering
    }

    /// Whether every state that is not terminal allows to stop.
    #[must_use]
    pub fn every_state_stops(self) -> bool {
        self.registration().every_state_stops
    }

    /// Whether different states have the same inputs, and so a flow in common apart from their partial log-rewards.
    #[must_use]
    pub fn shares_inputs(self) -> bool {
        self.registration().shares_inputs
    }
}
