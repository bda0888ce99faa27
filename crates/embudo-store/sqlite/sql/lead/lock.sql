-- What an ingestion decides by. The writer's transaction is the lock.
SELECT tipo_reforma FROM lead WHERE id = ?1
