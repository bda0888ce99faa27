import { Embudo } from "embudo-client";

const embudo = new Embudo({ url: process.env.EMBUDO_URL!, key: process.env.FUNNEL_API_KEY! });
const done = await embudo.conversacion(process.env.LEAD!, { rol: "user", mensaje: "¿Cuándo podéis venir?", botStep: "visita" });
console.log(done.id);
