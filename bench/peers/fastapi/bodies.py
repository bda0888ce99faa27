"""The rules of a lead and of a chat turn, the same that Embudo checks: unknown keys are ignored, an explicit null is
refused, U+0000 is refused because PostgreSQL cannot hold it."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field


def without_nul(text):
    if "\0" in text:
        raise ValueError("U+0000 is not allowed")
    return text


Text = Annotated[str, AfterValidator(without_nul)]
Said = Annotated[str, Field(min_length=1), AfterValidator(without_nul)]
Address = Annotated[str, Field(min_length=3, pattern="@"), AfterValidator(without_nul)]


class Turno(BaseModel):
    rol: Literal["user", "assistant", "system"]
    mensaje: Said
    # None is the default alone: a null that was sent is no text.
    mediaType: Text = None
    mediaUrl: Text = None
    transcripcionAudio: Text = None
    estadoWa: Literal["sin_enviar", "enviado", "entregado", "leido", "fallido"] = None
    botStep: Text = None


class Lead(BaseModel):
    nombre: Said
    telefono: Said
    email: Address
