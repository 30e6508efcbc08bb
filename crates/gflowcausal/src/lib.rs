//! Causal discovery that returns a sampler of graphs: the best graph, the runners-up, and how sure to be of each edge.
//!
//! The parts are modules of their own: [`graph`] (graphs and their laws), [`graph_io`] (graph files), [`data`] (tables and simulation), [`score`]
//! (scores of graphs given data), [`search`] (other algorithms on the same scores), [`flow`] (the GFlowNet), [`neural`]
//! (networks that find graphs).

mod checkpoints;
mod clock;
mod dag_posterior;
mod data_file;
mod design_matrix;
mod discover;
mod driver;
mod effects;
mod error;
mod experiments;
mod fingerprint;
mod front_end;
mod graph_file;
mod local_search;
mod method;
mod model;
mod options;
mod outputs;
mod paper;
mod prepare;
mod preview;
mod problem_size;
mod representative;
pub mod request_help;
mod result;
mod run_dir;
mod run_file;
mod sample;
mod score_graph;
mod simulated_files;
mod structure_mcmc;
mod training_log;
mod training_record;

pub use gflowcausal_data as data;
pub use gflowcausal_determinism::{
    StopFlag, Stream, interruptible, log_add, log_sum_exp, rand, stream, thread_count, with_threads,
};
pub use gflowcausal_flow as flow;
pub use gflowcausal_flow::NetworkName;
pub use gflowcausal_graph as graph;
pub use gflowcausal_graph_io as graph_io;
pub use gflowcausal_neural as neural;
pub use gflowcausal_posterior as posterior;
pub use gflowcausal_score as score;
pub use gflowcausal_search as search;

pub use checkpoints::Checkpoints;
pub use data_file::{DataFile, NamedTable};
pub use design_matrix::Design;
pub use discover::{Discovery, Problem, discover};
pub use driver::{Observer, RunData, RunOutcome, RunRequest};
pub use effects::{
    DoseResult, EffectModel, EffectRequest, EffectResult, EffectsResult, GraphsResult, HistogramResult,
    OutcomeResult,
};
pub use error::Error;
pub use fingerprint::fingerprint;
pub use front_end::FrontEnd;
pub use gflowcausal_posterior::{
    Candidate, CandidateLimit, Convergence, Coverage, GraphSample, Objects, ParentSets, Posterior, RunnerUp,
    Source,
};
pub use graph_file::{graph_bytes, read_graph, read_network, read_truth};
pub use method::{
    Control, Deadlines, Discover, MethodInput, MethodOutput, OptionGroups, Phase, RunContext, methods,
};
pub use model::{FamilyEvidence, FamilyTotal, ScoreName, ScoringModel, VariableEvidence};
pub use options::{Config, OPTIONS, PosteriorName, PruneName, TestName, option};
pub use options::{Kind, Named, OptionSpec, Range};
pub use outputs::{write_outputs, write_samples};
pub use preview::{Preview, PreviewColumn};
pub use result::{
    ClassResult, ConsensusResult, CpdagResult, DataResult, EdgeResult, FindingResult, GraphResult,
    InterventionsResult, MetricsResult, MissedParent, PosteriorResult, RunResult, RunnerUpResult,
    SampleSummary, ScoreResult, Seconds, SortabilityResult,
};
pub use run_dir::{DirectoryMode, FileError, RunDir};
pub use run_file::{RunFile, RunSettings, parse_duration, read_knowledge, stored_run};
pub use sample::{SampleSource, sample};
pub use score_graph::{EdgeReport, GraphReport, NodeReport, score_graph};
pub use simulated_files::write_simulated;
pub use training_record::Training;
