//! The child process as a separate program, for this crate's tests; the server has it as a hidden subcommand.

fn main() -> std::io::Result<()> {
    embudo_quote::child(std::io::stdin().lock(), std::io::stdout().lock())
}
