-- API keys that are bound to one company. The key itself is kept nowhere.
CREATE TABLE clave_api (
    id uuid PRIMARY KEY,
    huella bytea NOT NULL UNIQUE,
    empresa_id uuid NOT NULL REFERENCES empresa (id),
    nombre text NOT NULL,
    prefijo text NOT NULL,
    creada_por text NOT NULL,
    creada_en timestamptz NOT NULL,
    usada_en timestamptz,
    revocada_en timestamptz
);
CREATE INDEX clave_api_empresa ON clave_api (empresa_id, creada_en, id);
CREATE INDEX clave_api_viva ON clave_api (creada_en, id) WHERE revocada_en IS NULL;
-- The signals that have a receiver of the company's own, so that whoever works on jobs need not read all settings.
ALTER TABLE ajustes ADD COLUMN conecta text NOT NULL DEFAULT '';
