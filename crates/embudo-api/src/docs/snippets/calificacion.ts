import { Embudo } from "embudo-client";

const embudo = new Embudo({ url: process.env.EMBUDO_URL!, key: process.env.FUNNEL_API_KEY! });
const done = await embudo.calificacion(process.env.LEAD!, { score: 82, nivel: "A", notasAgente: "Quiere empezar en enero" });
console.log(done.ok);
