-- FTS5 deletes an entry only if it gets the text that was inserted: ?2.
INSERT INTO lead_trigrama (lead_trigrama, rowid, texto) VALUES ('delete', ?1, ?2)
