-- A photo that must not go before the commit.
SELECT empresa_id FROM foto WHERE id = $2::uuid AND lead_id = $1::uuid FOR KEY SHARE
