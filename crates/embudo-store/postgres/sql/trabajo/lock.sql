SELECT * FROM trabajo WHERE id = :id::uuid FOR NO KEY UPDATE
