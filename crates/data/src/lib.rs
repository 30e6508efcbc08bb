//! Tables in: typed columns, readers, checks, moments, and simulated data with a known graph.

mod builtin;
mod column_values;
mod doctor;
mod em;
mod interventions;
mod loose_number;
mod missing;
mod moments;
mod read;
mod scatter;
mod simulate;
mod table;
mod transform;
mod write;

pub use builtin::{Builtin, builtin};
pub use doctor::{Diagnosis, FINDINGS, Finding, Severity, doctor, doctor_of_experiments, rarely_free};
pub use em::EmEstimate;
pub use interventions::{InterventionError, Interventions, UnintervenedRows};
pub use missing::{Missing, MissingError};
pub use moments::{Moments, MomentsError};
pub use read::{
    ColumnType, Content, Delimiter, Format, Header, NpyHeader, OptionError, ReadError, ReadOptions, Source,
    StreamedMoments, Value, column_of, csv_moments, gunzipped, parse_types, read_table, stream_moments,
};
pub use simulate::{
    BayesNetwork, Cpds, Equations, Experiments, GraphFamily, GraphSize, KnownNetwork, LinearGaussianCpd,
    Model, NetworkSimulation, NoiseFamily, NoiseModel, NoiseScale, NoiseScaleSyntax, RandomGraph, Simulated,
    Simulation, SimulationError, TabularCpd, ValidSimulation, Weights, simulate, simulate_experiments,
    simulate_from, simulate_linear, simulate_network,
};
pub use table::{Column, MISSING_CODE, Table, TableError, Values};
pub use transform::{Transform, TransformError};
pub use write::{write_csv, write_parquet};
