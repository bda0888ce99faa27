-- All but those of one session; a null keeps none.
DELETE FROM dispositivo WHERE usuario_id = :usuario AND (:keep IS NULL OR sesion_id <> :keep)
