SELECT EXISTS (SELECT 1 FROM idempotencia WHERE ambito = :ambito AND clave = :clave AND expira_en > :now) AS done
