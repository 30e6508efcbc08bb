//! Graph files: reading and writing, and finding out which format a file has; and Tetrad's knowledge files.

mod attribute;
mod bif;
mod bif_network;
mod builder;
mod csv;
mod cursor;
mod dot;
mod error;
mod format;
mod gml;
mod graphml;
mod json;
mod matrix;
mod npy;
mod tetrad_graph;
mod tetrad_knowledge;

pub use bif_network::read_network;
pub use csv::csv_name;
pub use error::{FormatError, WriteError};
pub use format::{Format, Orientation, ReadOptions};
pub use tetrad_knowledge::{KnowledgeFileError, read_knowledge};
