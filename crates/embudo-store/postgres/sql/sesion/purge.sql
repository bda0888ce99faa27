DELETE FROM sesion WHERE id IN (SELECT id FROM sesion WHERE expira_en <= $1::timestamptz LIMIT $2::bigint)
