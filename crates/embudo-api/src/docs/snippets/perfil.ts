import { Embudo } from "embudo-client";

const embudo = new Embudo({ url: process.env.EMBUDO_URL!, key: process.env.FUNNEL_API_KEY! });
const done = await embudo.perfil(process.env.LEAD!, { tipoReforma: "bano", m2Suelo: 5.5, calidadGlobal: "media" });
console.log(done.actualizado);
