-- Waits for claims that hold jobs for these pauses.
DELETE FROM pausa WHERE empresa_id = :empresa::uuid AND tipo = ANY (:tipo::text[])
