//! The mail with a person's reply: their own words, and who they are.

use embudo_domain::brand::Brand;
use embudo_domain::lead::Lead;
use embudo_domain::reply::Reply;

use super::{WrittenMail, escape, on_one_line, page, signature};

pub(crate) struct ReplyLetter<'a> {
    pub lead: &'a Lead,
    pub brand: &'a Brand,
    pub reply: &'a Reply,
}

impl ReplyLetter<'_> {
    pub fn write(&self) -> WrittenMail {
        let subject = on_one_line(&format!("Sobre tu reforma: mensaje de {}", self.lead.empresa.nombre));
        let (author, said) = (&self.reply.author_name, self.reply.text.trim());
        let text = format!("{said}\n\n{author}\n{}\n", signature(self.lead, self.brand, "\n"));
        let html: String = said
            .split("\n\n")
            .map(|part| {
                let lines: Vec<String> = part.trim().lines().map(escape).collect();
                format!("<p style=\"margin:0 0 16px\">{}</p>", lines.join("<br>"))
            })
            .collect();
        let footer = format!("{author} · {}", signature(self.lead, self.brand, " · "));
        WrittenMail { subject, text, html: page(&html, &footer, self.brand.color.palette().brand) }
    }
}
