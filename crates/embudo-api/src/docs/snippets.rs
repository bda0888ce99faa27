//! Programs that call an operation: the same call in each language, as `scripts/test-clients` runs it.

use super::html::esc;

struct Snippet {
    /// The `operationId`.
    operation: &'static str,
    /// The name of each language, and the program.
    programs: [(&'static str, &'static str); 3],
}

/// A line for each of these operations; their programs are files, which `scripts/test-clients` runs.
macro_rules! snippets {
    ($($operation:literal),+ $(,)?) => {
        const SNIPPETS: &[Snippet] = &[$(Snippet {
            operation: $operation,
            programs: [
                ("curl", include_str!(concat!("snippets/", $operation, ".sh"))),
                ("TypeScript", include_str!(concat!("snippets/", $operation, ".ts"))),
                ("Python", include_str!(concat!("snippets/", $operation, ".py"))),
            ],
        }),+];
    };
}

snippets!["ingesta", "conversacion", "perfil", "calificacion", "intento"];

/// The programs of an operation; empty if it has none.
pub(super) fn of(operation: &str) -> String {
    let Some(snippet) = SNIPPETS.iter().find(|snippet| snippet.operation == operation) else {
        return String::new();
    };
    let program = |(language, text): &(&str, &str)| {
        format!(
            "<details class=\"ejemplo\"><summary>{language}</summary><pre tabindex=\"0\">{}</pre></details>",
            esc(text.trim_end())
        )
    };
    format!("<h4>Desde tu programa</h4>{}", snippet.programs.iter().map(program).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_five_endpoints_is_called_in_each_language() {
        let document = crate::openapi::document();
        let five = ["ingesta", "conversacion", "perfil", "calificacion", "intento"];
        assert_eq!(SNIPPETS.iter().map(|snippet| snippet.operation).collect::<Vec<_>>(), five);
        for Snippet { operation, programs } in SNIPPETS {
            let path = format!("/api/leads/{{id}}/{operation}");
            assert_eq!(document["paths"][&path]["post"]["operationId"], *operation);
            let [(_, curl), (_, typescript), (_, python)] = programs;
            assert!(curl.contains(&format!("/api/leads/$LEAD/{operation}\"")), "{curl}");
            assert!(typescript.contains(&format!("embudo.{operation}(")), "{typescript}");
            assert!(python.contains(&format!("embudo.{operation}(")), "{python}");
            let html = of(operation);
            assert_eq!(html.matches("<pre").count(), 3);
            assert!(html.contains("embudo-client") && !html.contains("<b>"));
        }
        assert_eq!(of("listarLeads"), "");
    }
}
