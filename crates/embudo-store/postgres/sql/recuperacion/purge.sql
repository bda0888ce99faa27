DELETE FROM recuperacion WHERE huella IN (SELECT huella FROM recuperacion WHERE expira_en <= $1::timestamptz LIMIT $2::bigint)
