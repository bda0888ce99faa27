-- Deletes a person's devices except those of one session; all of them if `:keep` is NULL.
DELETE FROM dispositivo WHERE usuario_id = :usuario AND (:keep IS NULL OR sesion_id <> :keep)
