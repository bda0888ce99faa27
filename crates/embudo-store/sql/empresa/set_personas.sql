UPDATE empresa SET avisos_personas = :elegidos WHERE id = :id AND avisos_personas <> :elegidos
