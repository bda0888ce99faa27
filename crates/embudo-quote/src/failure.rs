//! The reasons why a quote cannot be drawn.

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The typesetter refuses our own template, which is a fault of this program.
    #[error("the quote cannot be typeset: {0}")]
    Composition(String),
    /// The typesetter panicked.
    #[error("the typesetter panicked: {0}")]
    Panic(String),
    /// The process that draws could not be started, took too long or died.
    #[error("the process that draws gave no PDF: {0}")]
    Process(String),
}
