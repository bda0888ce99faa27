UPDATE trabajo SET arrendado_por = NULL, arrendado_hasta = NULL WHERE arrendado_por = :quien::uuid
