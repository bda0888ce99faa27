-- Makes the jobs due that were held while their destination was paused.
UPDATE trabajo SET proximo_en = :now
WHERE estado = 'pendiente' AND arrendado_hasta IS NULL AND tipo = :tipo AND proximo_en >= :held AND coalesce(empresa_id, empresa_id) = :empresa
