curl --fail-with-body "$EMBUDO_URL/api/leads/$LEAD/perfil" \
  -H "Authorization: Bearer $FUNNEL_API_KEY" \
  -H "Content-Type: application/json" \
  -d '{ "tipoReforma": "bano", "m2Suelo": 5.5, "calidadGlobal": "media" }'
