-- Ends the job of an expired reply, unless a process is trying it: then the attempt ends it.
UPDATE trabajo SET estado = :caducado, terminado_en = :now
WHERE id = :id AND estado || '' = 'pendiente' AND arrendado_por IS NULL
