export { Embudo, EmbudoError, type CallOptions, type EmbudoOptions, type Schemas } from "./client.js";
export { Webhook, WebhookError, type Signal, type Verified } from "./webhooks.js";
