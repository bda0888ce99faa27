import { Embudo } from "embudo-client";

const embudo = new Embudo({ url: process.env.EMBUDO_URL!, key: process.env.FUNNEL_API_KEY! });
const done = await embudo.ingesta(process.env.LEAD!, {
  items: [
    { tipo: "foto", imagen: "https://ejemplo.es/bano.jpg" },
    { tipo: "texto", texto: "Quiero plato de ducha" },
  ],
});
console.log(done.fotos, done.notas);
