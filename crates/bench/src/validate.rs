//! Refuses a suite of the user's own that makes no sense, before anything is run.

use gflowcausal::data::builtin;

use super::study::Study;
use super::suite::{Data, MOST_SEEDS, Method, Source, Suite};

/// More would only take time.
const MOST_RANDOM_ORDERS: u32 = 1_000_000;

impl Suite {
    /// Says what is wrong with the suite.
    pub(super) fn validate(&self) -> Result<(), String> {
        if Self::is_known(&self.name) || matches!(self.name.as_str(), "results" | "paper") {
            return Err(format!("the name '{}' is taken", self.name));
        }
        if !(1..=MOST_SEEDS).contains(&self.seeds) {
            return Err(format!("it has {} seeds: from 1 to {MOST_SEEDS} can be had", self.seeds));
        }
        match (&self.study, self.method.is_empty(), self.data.is_empty()) {
            (None, true, _) => return Err("it has no [[method]] and no [study]".to_owned()),
            (_, false, true) => return Err("it has no [[data]]".to_owned()),
            _ => {}
        }
        self.validate_names()?;
        self.data.iter().try_for_each(Data::validate)?;
        self.method.iter().try_for_each(Method::validate)?;
        self.study.iter().chain(&self.quick.study).try_for_each(Study::validate)
    }

    /// Rows are distinguished by their names.
    fn validate_names(&self) -> Result<(), String> {
        let of_methods = self.method.iter().flat_map(|method| &method.data);
        let named = of_methods.chain(self.peer.iter().flat_map(|peer| &peer.data)).chain(&self.quick.data);
        let known = |name: &&String| self.data.iter().any(|data| data.name == **name);
        if let Some(name) = named.into_iter().find(|name| !known(name)) {
            return Err(format!("it names data '{name}', which it does not have"));
        }
        let names =
            self.data.iter().map(|data| &data.name).chain(self.method.iter().map(|method| &method.name));
        if let Some(name) = names.chain([&self.title]).find(|name| name.chars().any(char::is_control)) {
            return Err(format!("the name {name:?} has a character that is none"));
        }
        let data = repeated(self.data.iter().map(|data| &data.name)).map(|name| ("data", name));
        let method = repeated(self.method.iter().map(|method| &method.name)).map(|name| ("methods", name));
        if let Some((what, name)) = data.or(method) {
            return Err(format!("it has two {what} called '{name}'"));
        }
        match self.method.iter().find(|method| repeated(method.on.iter()).is_some()) {
            Some(method) => Err(format!("method '{}' is on the same scale twice", method.name)),
            None => Ok(()),
        }
    }
}

impl Data {
    fn validate(&self) -> Result<(), String> {
        let Self { name, source, limit, random_orders, .. } = self;
        let has_seed = match source {
            Source::Simulate(simulation) => simulation.seed != 0,
            Source::Network(simulation) => simulation.seed != 0,
            Source::Builtin(known) if builtin(known).is_none() => {
                return Err(format!("no data called '{known}' come with the program"));
            }
            Source::Builtin(_) => false,
        };
        match (has_seed, limit, random_orders) {
            (true, ..) => Err(format!("data '{name}' have a seed: seeds are those of the bench, 1, 2, 3, …")),
            (_, None, 1..) => Err(format!("data '{name}' have random_orders and no limit to prune them by")),
            (_, _, &orders) if orders > MOST_RANDOM_ORDERS => {
                Err(format!("data '{name}' have more than {MOST_RANDOM_ORDERS} random_orders"))
            }
            _ => Ok(()),
        }
    }
}

impl Method {
    fn validate(&self) -> Result<(), String> {
        let Self { name, options, on, .. } = self;
        if on.is_empty() {
            return Err(format!("method '{name}' is on no scale"));
        }
        if options.iter().any(|option| option == "--standardize") {
            return Err(format!("method '{name}' has --standardize: say on = [\"standardised\"]"));
        }
        Ok(())
    }
}

/// The first of `values` that stands there before.
fn repeated<'a, T: PartialEq>(values: impl Iterator<Item = &'a T>) -> Option<&'a T> {
    let values: Vec<&T> = values.collect();
    (1..values.len()).find(|&at| values[..at].contains(&values[at])).map(|at| values[at])
}
