INSERT INTO lead_trigrama (rowid, texto) VALUES (?1, ?2)
