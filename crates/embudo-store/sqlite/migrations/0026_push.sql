-- Devices on which people are told of things by web push. `sesion_id` is the session that it was switched on in, or a later one of the
-- same browser; it may have run out. `usado_en`: when the push service last took something for it.
CREATE TABLE dispositivo (
    id BLOB PRIMARY KEY,
    usuario_id BLOB NOT NULL REFERENCES usuario (id),
    sesion_id BLOB NOT NULL,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh BLOB NOT NULL,
    auth BLOB NOT NULL,
    agente TEXT NOT NULL,
    creado_en INTEGER NOT NULL,
    usado_en INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX dispositivo_usuario ON dispositivo (usuario_id);

-- What a person wants to see on their devices.
ALTER TABLE aviso_persona ADD COLUMN en_dispositivos TEXT NOT NULL DEFAULT '';

-- An address that gets everything goes on to do so.
UPDATE empresa SET avisos_elegidos = 'leads perfiles respuestas mensajes problemas'
WHERE avisos_elegidos = 'leads perfiles respuestas problemas';

-- Clients who wait for an answer, by when they wrote.
CREATE INDEX lead_actividad_responder ON lead_actividad (turno_en) WHERE accion = 'responder';
