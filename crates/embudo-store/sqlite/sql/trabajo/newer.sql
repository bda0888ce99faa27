-- Whether there is a newer job of this lead and kind. Row numbers rise with each insertion.
SELECT EXISTS (
    SELECT 1 FROM trabajo
    WHERE lead_id = :lead AND tipo = :tipo AND rowid > (SELECT mio.rowid FROM trabajo AS mio WHERE mio.id = :id)
) AS found
