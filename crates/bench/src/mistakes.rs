//! What cannot be meant in a suite of the user's own, found out before anything is run.

use gflowcausal::data::builtin;

use super::study::Study;
use super::suite::{Data, MOST_SEEDS, Method, Source, Suite};

/// More would only take time.
const MOST_RANDOM_ORDERS: u32 = 1_000_000;

impl Suite {
    /// What cannot be meant.
    pub(super) fn mistake(&self) -> Option<String> {
        if Self::is_known(&self.name) || self.name == "results" {
            return Some(format!("the name '{}' is taken", self.name));
        }
        if !(1..=MOST_SEEDS).contains(&self.seeds) {
            return Some(format!("it has {} seeds: from 1 to {MOST_SEEDS} can be had", self.seeds));
        }
        match (&self.study, self.method.is_empty(), self.data.is_empty()) {
            (None, true, _) => return Some("it has no [[method]] and no [study]".to_owned()),
            (_, false, true) => return Some("it has no [[data]]".to_owned()),
            _ => {}
        }
        self.mistaken_name()
            .or_else(|| self.data.iter().find_map(Data::mistake))
            .or_else(|| self.method.iter().find_map(Method::mistake))
            .or_else(|| self.study.iter().chain(&self.quick.study).find_map(Study::mistake))
    }

    /// Rows are told apart by their names.
    fn mistaken_name(&self) -> Option<String> {
        let of_methods = self.method.iter().flat_map(|method| &method.data);
        let named = of_methods.chain(self.peer.iter().flat_map(|peer| &peer.data)).chain(&self.quick.data);
        let known = |name: &&String| self.data.iter().any(|data| data.name == **name);
        if let Some(name) = named.into_iter().find(|name| !known(name)) {
            return Some(format!("it names data '{name}', which it does not have"));
        }
        let names =
            self.data.iter().map(|data| &data.name).chain(self.method.iter().map(|method| &method.name));
        if let Some(name) = names.chain([&self.title]).find(|name| name.chars().any(char::is_control)) {
            return Some(format!("the name {name:?} has a character that is none"));
        }
        let data = repeated(self.data.iter().map(|data| &data.name)).map(|name| ("data", name));
        let method = repeated(self.method.iter().map(|method| &method.name)).map(|name| ("methods", name));
        let scale = self.method.iter().find(|method| repeated(method.on.iter()).is_some());
        data.or(method)
            .map(|(what, name)| format!("it has two {what} called '{name}'"))
            .or_else(|| scale.map(|method| format!("method '{}' is on the same scale twice", method.name)))
    }
}

impl Data {
    /// What cannot be meant.
    fn mistake(&self) -> Option<String> {
        let Self { name, source, limit, random_orders, .. } = self;
        let has_seed = match source {
            Source::Simulate(simulation) => simulation.seed != 0,
            Source::Network(simulation) => simulation.seed != 0,
            Source::Builtin(known) if builtin(known).is_none() => {
                return Some(format!("no data called '{known}' come with the program"));
            }
            Source::Builtin(_) => false,
        };
        match (has_seed, limit, random_orders) {
            (true, ..) => {
                Some(format!("data '{name}' have a seed: seeds are those of the bench, 1, 2, 3, …"))
            }
            (_, None, 1..) => Some(format!("data '{name}' have random_orders and no limit to prune them by")),
            (_, _, &orders) if orders > MOST_RANDOM_ORDERS => {
                Some(format!("data '{name}' have more than {MOST_RANDOM_ORDERS} random_orders"))
            }
            _ => None,
        }
    }
}

impl Method {
    /// What cannot be meant.
    fn mistake(&self) -> Option<String> {
        let Self { name, options, on, .. } = self;
        if on.is_empty() {
            return Some(format!("method '{name}' is on no scale"));
        }
        let is_set = options.iter().any(|option| option == "--standardize");
        is_set.then(|| format!("method '{name}' has --standardize: say on = [\"standardised\"]"))
    }
}

/// The first of `values` that stands there before.
fn repeated<'a, T: PartialEq>(values: impl Iterator<Item = &'a T>) -> Option<&'a T> {
    let values: Vec<&T> = values.collect();
    (1..values.len()).find(|&at| values[..at].contains(&values[at])).map(|at| values[at])
}
