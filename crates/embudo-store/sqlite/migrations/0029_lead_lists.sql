-- The lists of the API: leads with one value of a field, newest first, however few have it.
CREATE INDEX lead_tipo ON lead (tipo_reforma, creado_en DESC, id DESC);
CREATE INDEX lead_canal ON lead (canal_origen, creado_en DESC, id DESC);
CREATE INDEX lead_viable ON lead (viable, creado_en DESC, id DESC);
CREATE INDEX lead_estado ON lead (estado_wa, creado_en DESC, id DESC);
CREATE INDEX calificacion_nivel ON calificacion (nivel);
