-- All but one; a null keeps none.
DELETE FROM sesion WHERE usuario_id = :usuario AND (:keep IS NULL OR id <> :keep)
