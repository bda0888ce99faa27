-- The job of a reply whose time is over; one that is being tried ends by itself.
UPDATE trabajo SET estado = :caducado, terminado_en = :now
WHERE id = :id AND estado || '' = 'pendiente' AND arrendado_por IS NULL
