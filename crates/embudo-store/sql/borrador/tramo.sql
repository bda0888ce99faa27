SELECT tramo_apunte, tramo_hoja FROM borrador WHERE id = :id AND tramo_apunte IS NOT NULL
