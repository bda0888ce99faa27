DELETE FROM sesion WHERE rowid IN (SELECT rowid FROM sesion WHERE expira_en <= :now LIMIT :max)
