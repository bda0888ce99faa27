SELECT datos FROM cifra WHERE empresa_id = :empresa AND zona = :zona AND nivel = :nivel AND dia = :dia
