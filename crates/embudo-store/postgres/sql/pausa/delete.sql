-- Waits for claims that hold jobs for these pauses.
DELETE FROM pausa WHERE empresa_id = $1::uuid AND tipo = ANY ($2::text[])
