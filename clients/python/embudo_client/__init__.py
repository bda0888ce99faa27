"""Client of Embudo's API, and a verifier of its webhooks. What bodies and answers hold is in `embudo_client.models`."""

from .client import Embudo, EmbudoError
from .webhooks import Verified, Webhook, WebhookError

__all__ = ["Embudo", "EmbudoError", "Verified", "Webhook", "WebhookError"]
