-- The renovation type of a lead. Nothing is locked: the writer's transaction is the only one that writes.
SELECT tipo_reforma FROM lead WHERE id = ?1
