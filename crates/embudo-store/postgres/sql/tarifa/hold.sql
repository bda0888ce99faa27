-- The foreign key makes every insert of a table wait for this.
SELECT e.id FROM empresa e WHERE e.id = :empresa::uuid FOR UPDATE
