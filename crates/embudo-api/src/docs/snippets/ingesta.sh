curl --fail-with-body "$EMBUDO_URL/api/leads/$LEAD/ingesta" \
  -H "Authorization: Bearer $FUNNEL_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "items": [{ "tipo": "foto", "imagen": "https://ejemplo.es/bano.jpg" }, { "tipo": "texto", "texto": "Quiero plato de ducha" }] }'
