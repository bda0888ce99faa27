-- ?2 is the text as it was put in.
INSERT INTO lead_trigrama (lead_trigrama, rowid, texto) VALUES ('delete', ?1, ?2)
