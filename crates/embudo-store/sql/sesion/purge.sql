DELETE FROM sesion WHERE id IN (SELECT id FROM sesion WHERE expira_en <= :now LIMIT :max)
