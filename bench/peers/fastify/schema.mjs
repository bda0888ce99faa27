// The rules of a chat turn, as a careful Node team would write them with zod. They are the same rules that Embudo
// checks: unknown keys are ignored, an explicit null is refused, U+0000 is refused because PostgreSQL cannot hold it.
import { z } from 'zod';

const sinNulo = (s) => !s.includes('\u0000');
const texto = z.string().refine(sinNulo);

export const turno = z.object({
  rol: z.enum(['user', 'assistant', 'system']),
  mensaje: z.string().min(1).refine(sinNulo),
  mediaType: texto.optional(),
  mediaUrl: texto.optional(),
  transcripcionAudio: texto.optional(),
  estadoWa: z.enum(['sin_enviar', 'enviado', 'entregado', 'leido', 'fallido']).optional(),
  botStep: texto.optional(),
});

export const lead = z.object({
  nombre: z.string().min(1).refine(sinNulo),
  telefono: z.string().min(1).refine(sinNulo),
  email: z.string().min(3).includes('@').refine(sinNulo),
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const esUuid = (s) => UUID.test(s);
