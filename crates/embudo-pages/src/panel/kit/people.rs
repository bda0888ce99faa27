//! The people of the panel, to find names by id.

use embudo_domain::user::User;
use embudo_domain::{EmpresaId, UserId};

use crate::WebState;
use crate::parts::Refusal;

pub(in crate::panel) struct People(Vec<User>);

impl People {
    pub async fn load(state: &WebState) -> Result<Self, Refusal> {
        Ok(Self(state.app.store.list_users().await?))
    }

    pub fn name(&self, id: UserId) -> &str {
        self.0.iter().find(|user| user.id == id).map_or("Alguien", |user| user.nombre.as_str())
    }

    /// The name of a person, or «Nadie» without an id.
    pub fn name_or_nobody(&self, id: Option<UserId>) -> String {
        id.map_or("Nadie", |id| self.name(id)).to_owned()
    }

    pub fn works(&self, id: UserId, empresa: EmpresaId) -> bool {
        self.workers(empresa).any(|user| user.id == id)
    }

    pub fn goes(&self, id: UserId, empresa: EmpresaId) -> bool {
        self.goers(empresa).any(|user| user.id == id)
    }

    /// The people who may be put on visits of a company.
    pub fn goers(&self, empresa: EmpresaId) -> impl Iterator<Item = &User> {
        self.0.iter().filter(move |user| user.goes_in(empresa))
    }

    /// The people to whom leads of a company may be assigned.
    pub fn workers(&self, empresa: EmpresaId) -> impl Iterator<Item = &User> {
        self.0.iter().filter(move |user| user.works_in(empresa))
    }
}

/// The people to whom leads of a company may be assigned.
pub(in crate::panel) async fn workers_of(state: &WebState, empresa: EmpresaId) -> Result<Vec<User>, Refusal> {
    let mut people = state.app.store.list_users().await?;
    people.retain(|user| user.works_in(empresa));
    Ok(people)
}
