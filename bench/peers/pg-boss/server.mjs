// A fair peer: what a good Node team would put in production to send durable signals with pg-boss. Each call makes a job
// row, a worker takes it, posts it signed to the receiver, and the call is answered when the receiver has; the worker
// marks the job as done in its own time. Jobs are fetched in batches and posted at once over kept-alive connections
// (undici); a new job wakes a worker instead of waiting for the next poll. One process per core with a queue of its own,
// so that who waits for an answer and who gets it are the same process.
// Settings: BIND (host:port), DATABASE_URL, FUNNEL_API_KEY, RECEIVER (URL), PAYLOAD (file with the JSON that is posted),
// PROCESSES, WORKERS (that fetch, per process), BATCH, POOL (connections per process).
import cluster from 'node:cluster';
import { createHash, createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { Pool } from 'undici';

const { BIND = '127.0.0.1:8093', DATABASE_URL, FUNNEL_API_KEY, RECEIVER, PAYLOAD } = process.env;
const number = (name, otherwise) => Number(process.env[name] ?? otherwise);
const POOL = number('POOL', 10);

if (cluster.isPrimary) {
  const boss = new PgBoss({ connectionString: DATABASE_URL, max: 1 });
  await boss.start(); // makes its tables
  await boss.stop({ graceful: false });
  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  await client.query(
    'CREATE TABLE IF NOT EXISTS lead (id uuid PRIMARY KEY, nombre text NOT NULL, telefono text NOT NULL, email text NOT NULL)',
  );
  await client.end();
  for (let i = 1; i <= number('PROCESSES', 2); i++) cluster.fork({ QUEUE: `senales-${i}` });
  process.on('SIGTERM', () => {
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM');
  });
  cluster.on('exit', () => Object.keys(cluster.workers).length || process.exit(0));
} else {
  await serve(process.env.QUEUE);
}

async function serve(queue) {
  const template = JSON.parse(readFileSync(PAYLOAD, 'utf8'));
  const secret = randomBytes(32);
  const leads = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
  const receiver = new Pool(RECEIVER, { connections: 64, pipelining: 1 });
  const boss = new PgBoss({ connectionString: DATABASE_URL, max: POOL, schedule: false, supervise: false });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(queue);

  /** Who waits for which job. */
  const waiting = new Map();

  async function post({ id, data }) {
    const body = JSON.stringify(data);
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await receiver.request({ path: '/', method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`the receiver answered with ${answer.statusCode}`);
    waiting.get(id)?.();
  }

  const fetching = { batchSize: number('BATCH', 32), pollingIntervalSeconds: 0.5, priority: false };
  const workers = [];
  for (let i = 0; i < number('WORKERS', 2); i++) {
    workers.push(await boss.work(queue, fetching, (jobs) => Promise.all(jobs.map(post))));
  }
  let turn = 0;

  async function signal(lead) {
    const id = randomUUID();
    const delivered = new Promise((resolve) => waiting.set(id, resolve));
    await boss.send({ name: queue, data: { ...template, leadId: lead }, options: { id } });
    boss.notifyWorker(workers[turn++ % workers.length]);
    await delivered;
    waiting.delete(id);
  }

  const digest = (text) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${FUNNEL_API_KEY}`);

  async function answer(request) {
    if (request.url === '/readyz') return [200, { ok: true }];
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), expected)) return [401, { title: 'Clave no válida' }];
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const body = JSON.parse(text);
    if (request.url === '/api/leads') {
      const id = randomUUID();
      const values = [id, body.nombre, body.telefono, body.email];
      await leads.query({ name: 'lead', text: 'INSERT INTO lead VALUES ($1, $2, $3, $4)', values });
      return [201, { ok: true, id }];
    }
    const lead = request.url.match(/^\/api\/leads\/([0-9a-f-]{36})\/ingesta$/)?.[1];
    if (!lead || body.perfilCompleto !== true) return [422, { title: 'Datos no válidos' }];
    await signal(lead);
    return [200, { ok: true, fotos: 0, notas: 0, perfilSenalado: true, finalizado: null }];
  }

  const server = createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
    const [status, body] = await answer(request).catch((error) => [500, { title: String(error) }]);
    const bytes = Buffer.from(JSON.stringify(body));
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
  });
  process.on('SIGTERM', () => process.exit(0));
  const at = BIND.lastIndexOf(':');
  server.listen({ host: BIND.slice(0, at), port: Number(BIND.slice(at + 1)) });
}
