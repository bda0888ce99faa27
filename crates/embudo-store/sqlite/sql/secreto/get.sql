SELECT valor FROM secreto WHERE nombre = ?1
