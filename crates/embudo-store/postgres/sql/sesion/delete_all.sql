-- All but one; a null keeps none.
DELETE FROM sesion WHERE usuario_id = :usuario::uuid AND (:keep::uuid IS NULL OR id <> :keep::uuid)
