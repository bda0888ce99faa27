SELECT * FROM trabajo WHERE id = $1::uuid FOR NO KEY UPDATE
