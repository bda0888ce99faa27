-- Devices on which people are told of things by web push. `sesion_id` is the session that it was switched on in, or a later one of the
-- same browser; it may have run out. `usado_en`: when the push service last took something for it.
CREATE TABLE dispositivo (
    id uuid PRIMARY KEY,
    usuario_id uuid NOT NULL REFERENCES usuario (id),
    sesion_id uuid NOT NULL,
    endpoint text NOT NULL UNIQUE,
    p256dh bytea NOT NULL,
    auth bytea NOT NULL,
    agente text NOT NULL,
    creado_en timestamptz NOT NULL,
    usado_en timestamptz
);
CREATE INDEX dispositivo_usuario ON dispositivo (usuario_id);

-- What a person wants to see on their devices.
ALTER TABLE aviso_persona ADD COLUMN en_dispositivos text NOT NULL DEFAULT '';

-- An address that gets everything goes on to do so.
UPDATE empresa SET avisos_elegidos = 'leads perfiles respuestas mensajes problemas'
WHERE avisos_elegidos = 'leads perfiles respuestas problemas';

-- Clients who wait for an answer, by when they wrote.
CREATE INDEX lead_actividad_responder ON lead_actividad (turno_en) WHERE accion = 'responder';
