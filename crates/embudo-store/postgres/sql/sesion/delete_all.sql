-- All but one; a null keeps none.
DELETE FROM sesion WHERE usuario_id = $1::uuid AND ($2::uuid IS NULL OR id <> $2::uuid)
