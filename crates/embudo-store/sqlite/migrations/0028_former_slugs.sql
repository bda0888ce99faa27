-- Names that a company's form had in its address. They lead to the company and nobody else can take them.
CREATE TABLE slug_anterior (
    slug TEXT PRIMARY KEY,
    empresa_id BLOB NOT NULL REFERENCES empresa (id)
) STRICT, WITHOUT ROWID;
