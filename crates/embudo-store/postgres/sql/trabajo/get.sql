SELECT * FROM trabajo WHERE id = ANY ($1::uuid[])
