// Verifies Embudo's webhooks: Standard Webhooks v1 (https://www.standardwebhooks.com), with Node's own crypto alone.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { webhooks } from "./api.js";

/** The body of a signal, by its name in the OpenAPI document. */
export type Signal<Name extends keyof webhooks> = webhooks[Name]["post"]["requestBody"]["content"]["application/json"];

export interface Verified<Body> {
  /** The webhook-id: the same on every attempt of one signal. */
  id: string;
  /** When this attempt was sent. */
  at: Date;
  body: Body;
}

/** The call is not from who holds the secret, or it is an old one. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

type HeaderMap = Headers | Record<string, string | string[] | undefined>;

/** More signatures than anybody rotates secrets; the rest is not looked at. */
const MAX_SIGNATURES = 16;

export class Webhook {
  readonly #keys: Buffer[];
  readonly #toleranceS: number;

  /** One secret, or several separated by white space while they are being changed: `whsec_` and base64. */
  constructor(secrets: string, { toleranceS = 300 }: { toleranceS?: number } = {}) {
    const texts = secrets.split(/\s+/).filter((text) => text !== "");
    this.#keys = texts.map((text) => Buffer.from(text.replace(/^whsec_/, ""), "base64"));
    if (this.#keys.length === 0 || this.#keys.some((key) => key.length < 24)) {
      throw new WebhookError("a secret is whsec_ and the base64 of 24 bytes or more");
    }
    this.#toleranceS = toleranceS;
  }

  /**
   * The signal, if it is signed with one of the secrets and not older (or newer) than the tolerance. `raw` is the body
   * as it came, byte for byte: what a framework parsed and wrote again is another body.
   */
  verify<Body>(raw: Uint8Array | string, headers: HeaderMap, now: Date = new Date()): Verified<Body> {
    const id = header(headers, "webhook-id");
    const timestamp = header(headers, "webhook-timestamp");
    const signatures = header(headers, "webhook-signature");
    if (!/^[0-9]{1,12}$/.test(timestamp)) throw new WebhookError("webhook-timestamp is no number of seconds");
    const at = new Date(Number(timestamp) * 1000);
    if (Math.abs(now.getTime() - at.getTime()) > this.#toleranceS * 1000) {
      throw new WebhookError("webhook-timestamp is too far from now");
    }
    const bytes = typeof raw === "string" ? Buffer.from(raw, "utf8") : raw;
    const given = signatures.split(" ").slice(0, MAX_SIGNATURES);
    const known = this.#keys.map((key) => createHmac("sha256", key).update(`${id}.${timestamp}.`).update(bytes).digest());
    // Every pair is compared, so that the time tells nothing of which one fits.
    let fits = false;
    for (const signature of given) {
      const digest = signature.startsWith("v1,") ? Buffer.from(signature.slice(3), "base64") : Buffer.alloc(0);
      for (const right of known) if (digest.length === right.length && timingSafeEqual(digest, right)) fits = true;
    }
    if (!fits) throw new WebhookError("no signature fits");
    return { id, at, body: JSON.parse(Buffer.from(bytes).toString("utf8")) as Body };
  }
}

function header(headers: HeaderMap, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "") throw new WebhookError(`${name} is missing`);
  return value;
}
