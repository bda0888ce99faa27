// A whole lead through the client, and every webhook that comes of it through the verifier. Run by `run.py`: prints its port,
// waits for a line, prints the lead.
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { once } from "node:events";
import { Embudo, EmbudoError, Webhook, WebhookError, type Signal } from "embudo-client";

const { EMBUDO_URL, FUNNEL_API_KEY, WEBHOOK_SECRET, PHOTO } = process.env as Record<string, string>;
const OTHER = "whsec_" + "A".repeat(32);
const webhook = new Webhook(WEBHOOK_SECRET);
const calls: { path: string; raw: Buffer; headers: IncomingHttpHeaders }[] = [];
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  calls.push({ path: request.url!, raw: Buffer.concat(parts), headers: request.headers });
  response.end();
  server.emit("call");
}).listen(0, "127.0.0.1");
await once(server, "listening");
console.log("port", (server.address() as { port: number }).port);
await once(process.stdin, "data");

/** The verified body of the call that fits, once it came. */
async function told<Body>(path: string, fits: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    for (const call of calls.filter((call) => call.path === path)) {
      const { body } = webhook.verify<Body>(call.raw, call.headers);
      if (fits(body)) return body;
    }
    await once(server, "call", { signal: AbortSignal.timeout(180_000) });
  }
}

const embudo = new Embudo({ url: EMBUDO_URL + "/", key: FUNNEL_API_KEY });
const person = { nombre: "Ana García", telefono: "612 34 56 78", email: "ana@ejemplo.es", provincia: "Madrid" };
const { id } = await embudo.crearLead(person, { idempotencyKey: "walk-ts" });
assert.equal((await embudo.crearLead(person, { idempotencyKey: "walk-ts" })).id, id, "once");
assert.deepEqual((await embudo.perfil(id, { tipoReforma: "bano", m2Suelo: 5.5 })).actualizado, ["tipoReforma", "m2Suelo"]);
await embudo.conversacion(id, { rol: "user", mensaje: "Hola" });
await embudo.calificacion(id, { score: 82, nivel: "A" });
await embudo.intento(id, { canal: "messaging", numeroIntento: 1 });
const items = [{ tipo: "foto" as const, imagen: PHOTO }, { tipo: "texto" as const, texto: "Quiero plato de ducha" }];
const done = await embudo.ingesta(id, { items, perfilCompleto: true });
assert.deepEqual([done.fotos, done.notas], [1, 1]);

// The loop sends a render and asks for the quote; its PDF comes here.
const pdf = await told<Signal<"entregaPdf">>("/pdf", (body) => body.leadId === id);
assert.ok(Buffer.from(pdf.pdfBase64, "base64").subarray(0, 5).toString() === "%PDF-");
await told<Signal<"evento">>("/eventos", (body) => body.leadId === id && body.tipo === "lead.creado");
const sent = await told<Signal<"evento">>("/eventos", (body) => body.leadId === id && body.tipo === "presupuesto.enviado");
await embudo.mensajeria(id);
assert.equal((await told<Signal<"inicioConversacion">>("/inicio", (body) => body.leadId === id)).telefono, "+34612345678");

const ficha = await embudo.verLead(id);
assert.deepEqual(ficha.fotos.map((foto) => foto.momento).sort(), ["antes", "despues"]);
assert.deepEqual([ficha.tipoReforma, ficha.calificacion?.score, ficha.intentos.length], ["bano", 82, 1]);
const [quote] = ficha.presupuestos;
assert.equal(pdf.filename, `presupuesto-${quote.numero}.pdf`);
assert.deepEqual(sent.datos, { numero: quote.numero, totalCents: quote.totalCents });
assert.ok((await embudo.listarLeads({ telefono: "612345678" })).leads.some((lead) => lead.id === id));
const [detail] = (await embudo.listarPresupuestos(id)).presupuestos;
assert.deepEqual([detail.numero, detail.totalCents], [quote.numero, quote.totalCents]);
const visit = await embudo.verVisita(id);
assert.ok(visit.visita === null && visit.huecos.length === visit.horaLocal.length);
assert.ok((await embudo.listarEventos(id, { limite: 1 })).siguiente !== null);
assert.ok((await embudo.verPendiente({ limite: 1 })).pendientes.length <= 1);
await assert.rejects(embudo.perfil(id, { m2Suelo: -1 }), (error: EmbudoError) => error.status === 422 && "errores" in error.problem!);
await assert.rejects(embudo.verLead("00000000-0000-0000-0000-000000000000"), { name: "EmbudoError", status: 404 });
await assert.rejects(new Embudo({ url: EMBUDO_URL, key: "otra" }).verLead(id), { status: 401 });

// Every call was real; nothing else passes.
const refused = (secrets: string, raw: Buffer | string, headers: IncomingHttpHeaders, now?: Date) =>
  assert.throws(() => new Webhook(secrets).verify(raw, headers, now), WebhookError);
for (const { raw, headers } of calls) {
  assert.equal(new Webhook(`${OTHER} ${WEBHOOK_SECRET}`).verify(raw, new Headers(headers as Record<string, string>)).id, headers["webhook-id"]);
  refused(OTHER, raw, headers);
  refused(WEBHOOK_SECRET, Buffer.concat([raw, Buffer.from(" ")]), headers);
  refused(WEBHOOK_SECRET, raw, { ...headers, "webhook-id": "otro" });
  refused(WEBHOOK_SECRET, raw, { ...headers, "webhook-signature": undefined });
  refused(WEBHOOK_SECRET, raw, { ...headers, "webhook-signature": "v1, v2,AAAA v1,AAAA" });
  refused(WEBHOOK_SECRET, raw, headers, new Date(Date.now() + 301_000 + 10_000));
  refused(WEBHOOK_SECRET, raw, headers, new Date(Date.now() - 301_000 - 200_000));
}
assert.throws(() => new Webhook(" "), WebhookError);
assert.throws(() => new Webhook("whsec_AAAA"), WebhookError);
console.log("lead", id, calls.length);
process.exit(0);
