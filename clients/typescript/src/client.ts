// Calls Embudo's API. The types come from its OpenAPI document; each method has the name of its operation there.
import type { components, paths } from "./api.js";

export type Schemas = components["schemas"];
type Query<Path extends "/api/leads" | "/api/pendiente" | "/api/leads/{id}/eventos"> = NonNullable<paths[Path]["get"]["parameters"]["query"]>;

export interface EmbudoOptions {
  /** Where the server is, such as https://leads.ejemplo.es. */
  url: string;
  /** FUNNEL_API_KEY, or a key of one company. */
  key: string;
  /** How long one call may take; 60 s unless told. */
  timeoutMs?: number;
}

export interface CallOptions {
  /** The same key with the same body is done once. For what a webhook causes, take its webhook-id. */
  idempotencyKey?: string;
}

/** The server refused a call. */
export class EmbudoError extends Error {
  constructor(
    readonly status: number,
    /** What it said (RFC 9457); on 422 with every mistake of the body. */
    readonly problem: Schemas["Problema"] | Schemas["ProblemaNoValido"] | null,
  ) {
    super(`${status} ${problem?.detail ?? problem?.title ?? ""}`.trim());
    this.name = "EmbudoError";
  }
}

export class Embudo {
  readonly #url: string;
  readonly #key: string;
  readonly #timeoutMs: number;

  constructor({ url, key, timeoutMs = 60_000 }: EmbudoOptions) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeoutMs = timeoutMs;
  }

  crearLead(body: Schemas["NuevoLead"], options?: CallOptions): Promise<Schemas["HechoConId"]> {
    return this.#call("POST", "/api/leads", body, options);
  }

  listarLeads(query: Query<"/api/leads"> = {}): Promise<Schemas["PaginaDeLeads"]> {
    return this.#call("GET", `/api/leads${search(query)}`);
  }

  verPendiente(query: Query<"/api/pendiente"> = {}): Promise<Schemas["Pendencias"]> {
    return this.#call("GET", `/api/pendiente${search(query)}`);
  }

  verLead(id: string): Promise<Schemas["Ficha"]> {
    return this.#call("GET", lead(id));
  }

  listarEventos(id: string, query: Query<"/api/leads/{id}/eventos"> = {}): Promise<Schemas["PaginaDeEventos"]> {
    return this.#call("GET", lead(id, "eventos") + search(query));
  }

  listarPresupuestos(id: string): Promise<Schemas["PresupuestosDelLead"]> {
    return this.#call("GET", lead(id, "presupuestos"));
  }

  verVisita(id: string): Promise<Schemas["HuecosDeVisita"]> {
    return this.#call("GET", lead(id, "visita"));
  }

  corregirContacto(id: string, body: Schemas["Contacto"]): Promise<Schemas["Hecho"]> {
    return this.#call("PATCH", lead(id), body);
  }

  ingesta(id: string, body: Schemas["Ingesta"], options?: CallOptions): Promise<Schemas["IngestaHecha"]> {
    return this.#call("POST", lead(id, "ingesta"), body, options);
  }

  conversacion(id: string, body: Schemas["Turno"], options?: CallOptions): Promise<Schemas["HechoConId"]> {
    return this.#call("POST", lead(id, "conversacion"), body, options);
  }

  perfil(id: string, body: Schemas["Perfil"], options?: CallOptions): Promise<Schemas["PerfilHecho"]> {
    return this.#call("POST", lead(id, "perfil"), body, options);
  }

  calificacion(id: string, body: Schemas["Calificacion"], options?: CallOptions): Promise<Schemas["Hecho"]> {
    return this.#call("POST", lead(id, "calificacion"), body, options);
  }

  intento(id: string, body: Schemas["Intento"], options?: CallOptions): Promise<Schemas["HechoConId"]> {
    return this.#call("POST", lead(id, "intento"), body, options);
  }

  mensajeria(id: string, options?: CallOptions): Promise<Schemas["MensajeriaHecha"]> {
    return this.#call("POST", lead(id, "mensajeria"), {}, options);
  }

  async #call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (options.idempotencyKey !== undefined) headers["idempotency-key"] = options.idempotencyKey;
    const answer = await fetch(this.#url + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: "error",
      signal: AbortSignal.timeout(this.#timeoutMs),
    });
    const text = await answer.text();
    if (!answer.ok) throw new EmbudoError(answer.status, parsed(text));
    return JSON.parse(text) as T;
  }
}

function lead(id: string, endpoint?: string): string {
  return `/api/leads/${encodeURIComponent(id)}${endpoint === undefined ? "" : `/${endpoint}`}`;
}

function search(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return `?${parameters}`;
}

/** A proxy before the server may answer with anything. */
function parsed(text: string): Schemas["Problema"] | null {
  try {
    return JSON.parse(text) as Schemas["Problema"];
  } catch {
    return null;
  }
}
