DELETE FROM arriendo WHERE nombre = :nombre::text AND por = :quien::uuid
