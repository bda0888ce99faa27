// A fair peer: what a good Node team would put in production for POST /api/leads/:id/conversacion. One worker per core,
// keep-alive, the Bearer key compared in constant time, zod at the door, one prepared statement per call, no logging.
// Settings: BIND (host:port), DATABASE_URL, FUNNEL_API_KEY, WORKERS (2), POOL (connections per worker).
import cluster from 'node:cluster';
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import { open } from './db.mjs';
import { esUuid, lead, turno } from './schema.mjs';

const { BIND = '127.0.0.1:8090', DATABASE_URL, FUNNEL_API_KEY } = process.env;
const workers = Number(process.env.WORKERS ?? 2);
const db = open(DATABASE_URL, Number(process.env.POOL ?? 10));

if (cluster.isPrimary) {
  await db.migrate();
  await db.end();
  for (let i = 0; i < workers; i++) cluster.fork();
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.kill('SIGTERM');
  });
} else {
  await serve();
}

async function serve() {
  const app = Fastify({ logger: false, keepAliveTimeout: 75_000, bodyLimit: 8 * 1024 * 1024 });
  const digest = (s) => createHash('sha256').update(s).digest();
  const expected = digest(`Bearer ${FUNNEL_API_KEY}`);
  const refuse = (reply, status, title, errores) =>
    reply.code(status).type('application/problem+json').send({ type: 'about:blank', title, status, errores });

  app.setErrorHandler((error, _request, reply) => {
    const status = error.statusCode ?? 500;
    return refuse(reply, status === 400 ? 422 : status, error.message);
  });

  app.get('/readyz', async () => {
    await db.ping();
    return { ok: true };
  });

  // The key is looked at before the body is read, as in Embudo.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.url.startsWith('/api/')) return;
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) {
      return refuse(reply, 401, 'Clave no válida');
    }
  });

  // A response schema lets Fastify use its compiled serialiser, which is faster than JSON.stringify.
  const answer = { type: 'object', properties: { ok: { type: 'boolean' }, id: { type: 'string' } } };

  app.post('/api/leads', { schema: { response: { 201: answer } } }, async (request, reply) => {
    const body = lead.safeParse(request.body);
    if (!body.success) return refuse(reply, 422, 'Datos no válidos', body.error.issues);
    const id = randomUUID();
    await db.createLead(id, body.data);
    return reply.code(201).send({ ok: true, id });
  });

  const path = '/api/leads/:id/conversacion';
  app.post(path, { schema: { response: { 200: answer } } }, async (request, reply) => {
    const body = turno.safeParse(request.body);
    if (!body.success) return refuse(reply, 422, 'Datos no válidos', body.error.issues);
    const id = randomUUID();
    const found = esUuid(request.params.id) && (await db.appendTurno(id, request.params.id, body.data));
    if (!found) return refuse(reply, 404, 'No existe ese lead');
    return { ok: true, id };
  });

  process.on('SIGTERM', async () => {
    await app.close();
    await db.end();
    process.exit(0);
  });
  const at = BIND.lastIndexOf(':');
  await app.listen({ host: BIND.slice(0, at), port: Number(BIND.slice(at + 1)) });
}
