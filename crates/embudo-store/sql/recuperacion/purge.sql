DELETE FROM recuperacion WHERE huella IN (SELECT huella FROM recuperacion WHERE expira_en <= :now LIMIT :max)
