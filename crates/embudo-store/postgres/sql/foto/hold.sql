-- A photo that must not go before the commit.
SELECT empresa_id FROM foto WHERE lead_id = $1::uuid AND id = $2::uuid FOR KEY SHARE
