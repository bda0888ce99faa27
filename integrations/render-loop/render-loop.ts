// The render loop: receives the profile signal, makes a picture of each photo «antes», and sends them back with `finalizar`.
//
//   EMBUDO_URL=https://leads.ejemplo.es FUNNEL_API_KEY=… WEBHOOK_SECRET=whsec_… PORT=9000 node render-loop.js
//
// It answers when the work is done, so that Embudo tries again what failed. A second attempt of a signal whose work is under
// way joins it; one that comes later calls with the same key, and Embudo does nothing twice.
import { createServer, type IncomingMessage } from "node:http";
import { Embudo, Webhook, WebhookError, type Schemas, type Signal } from "embudo-client";

const MAX_BODY = 64 * 1024 * 1024;
const embudo = new Embudo({ url: setting("EMBUDO_URL"), key: setting("FUNNEL_API_KEY") });
const webhook = new Webhook(setting("WEBHOOK_SECRET"));
const underWay = new Map<string, Promise<void>>();

/** Put your generator here: gets a photo (a URL or a data URI), gives the render. */
async function render(photo: string): Promise<string> {
  return photo;
}

async function work(id: string, perfil: Signal<"perfilCompleto">): Promise<void> {
  const items: Schemas["Ingesta"]["items"] = [];
  for (const { zona, fotos } of perfil.zonas) {
    for (const photo of fotos.antes) items.push({ tipo: "foto", imagen: await render(photo), zona, momento: "despues" });
  }
  const done = await embudo.ingesta(perfil.leadId, { items, finalizar: true }, { idempotencyKey: id });
  console.log(`${perfil.leadId}: ${items.length} renders, quote ${done.finalizado?.ok ? "made" : "under way"}`);
}

async function received(request: IncomingMessage): Promise<number> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > MAX_BODY) return 413;
    parts.push(part);
  }
  try {
    const { id, body } = webhook.verify<Signal<"perfilCompleto"> & { muestra?: boolean }>(Buffer.concat(parts), request.headers);
    if (body.muestra) return 200;
    const done = underWay.get(id) ?? work(id, body).finally(() => underWay.delete(id));
    underWay.set(id, done);
    await done;
    return 200;
  } catch (error) {
    console.error(error instanceof WebhookError ? error.message : error);
    return error instanceof WebhookError ? 401 : 500;
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const server = createServer((request, response) => {
  received(request).then((status) => response.writeHead(status).end(), () => request.destroy());
});
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log("port", (server.address() as { port: number }).port));
