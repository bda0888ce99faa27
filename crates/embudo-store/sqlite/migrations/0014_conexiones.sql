-- API keys that are bound to one company. The key itself is kept nowhere.
CREATE TABLE clave_api (
    id BLOB PRIMARY KEY,
    huella BLOB NOT NULL UNIQUE,
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    nombre TEXT NOT NULL,
    prefijo TEXT NOT NULL,
    creada_por TEXT NOT NULL,
    creada_en INTEGER NOT NULL,
    usada_en INTEGER,
    revocada_en INTEGER
) STRICT;
CREATE INDEX clave_api_empresa ON clave_api (empresa_id, creada_en, id);
CREATE INDEX clave_api_viva ON clave_api (creada_en, id) WHERE revocada_en IS NULL;
-- The signals that have a receiver of the company's own, so that whoever works on jobs need not read all settings.
ALTER TABLE ajustes ADD COLUMN conecta TEXT NOT NULL DEFAULT '';
