-- Names that a company's form had in its address. They lead to the company and nobody else can take them.
CREATE TABLE slug_anterior (
    slug text PRIMARY KEY,
    empresa_id uuid NOT NULL REFERENCES empresa (id)
);
