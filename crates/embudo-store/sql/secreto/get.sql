SELECT valor FROM secreto WHERE nombre = :nombre
