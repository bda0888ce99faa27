// What a careful integrator writes compiles; under each @ts-expect-error stands nonsense that must not.
import type { Embudo, Schemas, Signal } from "embudo-client";

export const perfil: Schemas["Perfil"] = { tipoReforma: "bano", m2Suelo: 5.5, estructural: false };
export const calificacion: Schemas["Calificacion"] = { score: 82, nivel: "A", criterios: { plazo: "1 mes" } };
export const contacto: Schemas["Contacto"] = { telefono: "+34 698 76 54 32" };
export const ingesta: Schemas["Ingesta"] = {
  items: [
    { tipo: "foto", imagen: "https://ejemplo.es/cocina.jpg", zona: "cocina", momento: "despues" },
    { tipo: "texto", texto: "Quiero isla central" },
  ],
  finalizar: true,
};
export type SentToIngesta = Parameters<Embudo["ingesta"]>[1];
export const same: SentToIngesta = ingesta;

export function received(perfil: Signal<"perfilCompleto">, pdf: Signal<"entregaPdf">, inicio: Signal<"inicioConversacion">): string {
  const fotos: string[] = perfil.zonas.flatMap((z) => [...z.fotos.antes, ...z.fotos.despues]);
  const m2: number | null = perfil.reforma.m2Suelo;
  return [perfil.cliente.telefono, fotos.length, m2, pdf.filename, pdf.pdfBase64.length, inicio.empresa].join(" ");
}

export function delivered(ficha: Schemas["Ficha"]): boolean {
  return ficha.presupuestos.some((p) => p.estado === "emitido" && p.entregas.every((e) => e.estado === "entregada"));
}

// @ts-expect-error no such type of work
export const a: Schemas["Perfil"] = { tipoReforma: "garaje" };
// @ts-expect-error a number is a number
export const b: Schemas["Perfil"] = { m2Suelo: "cinco" };
// @ts-expect-error no such field
export const c: Schemas["Perfil"] = { tipoReforma: "bano", metros: 5 };
// @ts-expect-error a score is a number
export const d: Schemas["Calificacion"] = { score: "82" };
// @ts-expect-error null is not absent
export const e: Schemas["Contacto"] = { telefono: null };
// @ts-expect-error a flag is true or false
export const f: Schemas["Ingesta"] = { finalizar: "sí" };
// @ts-expect-error a photo needs its picture
export const g: Schemas["Ingesta"] = { items: [{ tipo: "foto", zona: "cocina" }] };
// @ts-expect-error no such kind of item
export const h: Schemas["Ingesta"] = { items: [{ tipo: "video", imagen: "https://ejemplo.es/a.mp4" }] };
// @ts-expect-error the PDF is no part of the profile
export const i = (senal: Signal<"perfilCompleto">) => senal.pdfBase64;
// @ts-expect-error no such event
export const k = (evento: Signal<"evento">) => evento.tipo === "lead.borrado";
// @ts-expect-error a quote is never «enviado»
export const j = (p: Schemas["Presupuesto"]) => p.estado === "enviado";
