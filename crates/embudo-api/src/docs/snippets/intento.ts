import { Embudo } from "embudo-client";

const embudo = new Embudo({ url: process.env.EMBUDO_URL!, key: process.env.FUNNEL_API_KEY! });
const done = await embudo.intento(process.env.LEAD!, { canal: "llamada", numeroIntento: 1, resultado: "no_contesta" });
console.log(done.id);
