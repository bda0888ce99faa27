UPDATE empresa SET avisos_personas = :elegidos::text WHERE id = :id::uuid AND avisos_personas <> :elegidos::text
