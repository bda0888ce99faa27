DELETE FROM arriendo WHERE nombre = :nombre AND por = :quien
