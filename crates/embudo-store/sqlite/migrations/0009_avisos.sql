-- Who is told what by mail. Same tables and columns as on PostgreSQL.

-- What the company's own address gets, and what somebody in it wants in their own mail: words with spaces between them.
ALTER TABLE empresa ADD COLUMN avisos_elegidos TEXT NOT NULL DEFAULT 'leads perfiles respuestas problemas';
ALTER TABLE empresa ADD COLUMN avisos_personas TEXT NOT NULL DEFAULT '';

-- What a person chose for a company.
CREATE TABLE aviso_persona (
    empresa_id BLOB NOT NULL REFERENCES empresa (id),
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    elegidos TEXT NOT NULL,
    solo_asignados INTEGER NOT NULL,
    PRIMARY KEY (empresa_id, usuario_id)
) STRICT, WITHOUT ROWID;

-- A pause of the mail holds for the new kind of mail too.
INSERT INTO pausa (empresa_id, tipo, desde, quien)
SELECT empresa_id, 'aviso_persona', desde, quien FROM pausa WHERE tipo = 'correo_empresa';
