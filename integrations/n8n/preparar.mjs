// Escribe en una carpeta los flujos con tus direcciones y las credenciales que usan, listos para importar en n8n.
//
//   EMBUDO_URL=… MENSAJERIA_URL=… FUNNEL_API_KEY=… WEBHOOK_SECRET=… BOT_TOKEN=… node preparar.mjs CARPETA
//
// La carpeta es solo tuya (0700): el fichero de credenciales lleva la clave y los secretos. Bórrala después de importar.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
if (!folder) throw new Error("di en qué carpeta: node preparar.mjs CARPETA");
const needed = (name) => {
  if (!process.env[name]) throw new Error(`falta ${name}`);
  return process.env[name];
};
const settings = { embudo: needed("EMBUDO_URL"), mensajeria: needed("MENSAJERIA_URL") };

// El nodo Crypto toma el secreto como texto, así que los bytes del secreto tienen que ser texto.
const hmacSecret = Buffer.from(needed("WEBHOOK_SECRET").replace(/^whsec_/, ""), "base64").toString("latin1");
if (!/^[\x21-\x7e]{24,64}$/.test(hmacSecret)) {
  throw new Error('WEBHOOK_SECRET no sirve para n8n: haz otro con: echo "whsec_$(openssl rand -hex 24 | tr -d \'\\n\' | base64 -w0)"');
}

mkdirSync(join(folder, "workflows"), { recursive: true, mode: 0o700 });
const templates = new URL("./workflows/", import.meta.url);
for (const file of readdirSync(templates)) {
  const workflow = JSON.parse(readFileSync(new URL(file, templates), "utf8"));
  const { assignments } = workflow.nodes.find((node) => node.name === "Ajustes").parameters.assignments;
  for (const assignment of assignments) assignment.value = settings[assignment.name];
  writeFileSync(join(folder, "workflows", file), JSON.stringify(workflow));
}
const credentials = [
  { id: "embudo-api", name: "Embudo: API", type: "httpHeaderAuth", data: { name: "Authorization", value: `Bearer ${needed("FUNNEL_API_KEY")}` } },
  { id: "embudo-firma", name: "Embudo: firma", type: "crypto", data: { hmacSecret } },
  { id: "embudo-bot", name: "Embudo: bot", type: "httpHeaderAuth", data: { name: "x-bot", value: needed("BOT_TOKEN") } },
];
writeFileSync(join(folder, "credenciales.json"), JSON.stringify(credentials), { mode: 0o600 });
console.log(`${readdirSync(templates).length} flujos y ${credentials.length} credenciales en ${folder}`);
