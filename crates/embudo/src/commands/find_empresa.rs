//! The company that a person names on the command line.

use embudo_app::App;
use embudo_domain::EmpresaId;
use embudo_domain::ids::parse_uuid;
use std::error::Error;

/// The company with this id or slug.
pub async fn find_empresa(app: &App, name: &str) -> Result<EmpresaId, Box<dyn Error>> {
    let empresas = app.store.list_empresas().await?;
    let id = parse_uuid(name).map(EmpresaId);
    let found = empresas.iter().find(|empresa| Some(empresa.id) == id || empresa.slug == name);
    found.map(|empresa| empresa.id).ok_or_else(|| {
        let known: Vec<&str> = empresas.iter().map(|empresa| empresa.slug.as_str()).collect();
        format!("no company has the id or slug «{name}»; there are: {}", known.join(", ")).into()
    })
}
