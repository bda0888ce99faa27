"""Bodies, answers and signals, as generated from the OpenAPI document."""

from .openapi.models import *
