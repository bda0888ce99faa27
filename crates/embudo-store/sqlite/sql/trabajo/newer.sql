-- ?1 lead_id, ?2 tipo, ?3 id. Row numbers rise with each insertion.
SELECT EXISTS (
    SELECT 1 FROM trabajo
    WHERE lead_id = ?1 AND tipo = ?2 AND rowid > (SELECT mio.rowid FROM trabajo AS mio WHERE mio.id = ?3)
)
