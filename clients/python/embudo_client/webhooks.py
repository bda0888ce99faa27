"""Verifies Embudo's webhooks: Standard Webhooks v1 (https://www.standardwebhooks.com), with the standard library alone."""

import base64
import hmac
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# More signatures than anybody rotates secrets; the rest is not looked at.
MAX_SIGNATURES = 16


class WebhookError(Exception):
    """The call is not from who holds the secret, or it is an old one."""


@dataclass(frozen=True)
class Verified:
    """A signal that is what it says."""

    id: str
    """The webhook-id: the same on every attempt of one signal."""
    timestamp: int
    """When this attempt was sent, in seconds since 1970."""
    body: Any
    """What it says; `embudo_client.models` has a class for each (`SenalPerfil.from_dict(body)`)."""


class Webhook:
    def __init__(self, secrets: str, tolerance_s: int = 300) -> None:
        """One secret, or several separated by white space while they are being changed: `whsec_` and base64."""
        try:
            self._keys = [base64.b64decode(text.removeprefix("whsec_"), validate=True) for text in secrets.split()]
        except ValueError:
            self._keys = []
        if not self._keys or any(len(key) < 24 for key in self._keys):
            raise WebhookError("a secret is whsec_ and the base64 of 24 bytes or more")
        self._tolerance_s = tolerance_s

    def verify(self, raw: bytes, headers: Mapping[str, str], now: float | None = None) -> Verified:
        """The signal, if it is signed with one of the secrets and not older (or newer) than the tolerance.

        `raw` is the body as it came, byte for byte: what a framework parsed and wrote again is another body.
        """
        given = {name.lower(): value for name, value in headers.items()}
        try:
            id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        except KeyError as missing:
            raise WebhookError(f"{missing.args[0]} is missing") from None
        if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
            raise WebhookError("webhook-timestamp is no number of seconds")
        if abs((time.time() if now is None else now) - int(timestamp)) > self._tolerance_s:
            raise WebhookError("webhook-timestamp is too far from now")
        signed = f"{id}.{timestamp}.".encode() + raw
        known = [b"v1," + base64.b64encode(hmac.digest(key, signed, "sha256")) for key in self._keys]
        # Every pair is compared, so that the time tells nothing of which one fits.
        fits = False
        for signature in signatures.split(" ")[:MAX_SIGNATURES]:
            for right in known:
                fits |= hmac.compare_digest(signature.encode(), right)
        if not fits:
            raise WebhookError("no signature fits")
        return Verified(id, int(timestamp), json.loads(raw))
