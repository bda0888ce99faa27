-- Deletes a person's sessions except one; all of them if `:keep` is NULL.
DELETE FROM sesion WHERE usuario_id = :usuario AND (:keep IS NULL OR id <> :keep)
