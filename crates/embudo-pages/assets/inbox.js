// The live inbox: shows changes made elsewhere, and lets the keyboard move through the list. The inbox works without
// this module.

import { ask, follow } from "./vivo.js";

const list = () => document.getElementById("lista");

// Loads the page again and replaces the list. Ticked leads stay ticked, and nothing moves while a person types.
const refresh = async () => {
  const page = await ask(location.href, () => location.reload());
  if (!page) return false;
  const fresh = page.getElementById("lista");
  const old = list();
  if (!fresh || !old) {
    location.reload();
    return true;
  }
  if (fresh.innerHTML === old.innerHTML) return true;
  const ticked = new Set([...old.querySelectorAll("input[name=lead]:checked")].map((box) => box.value));
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.closest(".lead")?.id;
  const isTyping = focused && focused.matches("select, input:not([type=checkbox])");
  if (isTyping) return false;
  old.replaceWith(document.adoptNode(fresh));
  for (const box of fresh.querySelectorAll("input[name=lead]")) box.checked = ticked.has(box.value);
  for (const select of old.querySelectorAll("select")) {
    const same = fresh.querySelector(`#${select.id}`);
    if (same) same.value = select.value;
  }
  // The reason of a refusal stays until the next action.
  const refusal = old.querySelector(".lote-fallo");
  if (refusal) fresh.querySelector(".lote")?.prepend(refusal);
  if (place) {
    const name = focused.matches("input") ? "input" : "a";
    document.getElementById(place)?.querySelector(name)?.focus({ preventScroll: true });
  }
  for (const part of [".pestanas", ".etapas > summary", ".etapas-hoja"]) {
    const tabs = page.querySelector(part);
    if (tabs) document.querySelector(part)?.replaceWith(document.adoptNode(tabs));
  }
  count();
  document.dispatchEvent(new CustomEvent("pagina", { detail: page }));
  return true;
};

// A refused form is shown at the address of the form. This restores the address of the list.
if (list()?.dataset.aqui) history.replaceState(null, "", list().dataset.aqui);

if (list()) follow(list().dataset.vivo, refresh);

const count = () => {
  const label = document.querySelector(".lote-cuantos");
  const ticked = document.querySelectorAll("input[name=lead]:checked").length;
  if (label) label.textContent = ticked === 0 ? "Con los marcados:" : ticked === 1 ? "1 marcado:" : `${ticked} marcados:`;
};
document.addEventListener("change", (event) => {
  if (event.target.matches("input[name=lead]")) count();
});

const step = (by) => {
  const links = [...document.querySelectorAll(".lead-enlace, .carta-enlace")];
  if (links.length === 0) return;
  const at = links.findIndex((link) => link.closest("li").contains(document.activeElement));
  links[Math.min(Math.max(at + by, 0), links.length - 1)].focus();
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Escape leaves the search box, so that the other keys work again.
  if (event.key === "Escape" && event.target.id === "q") event.target.blur();
  if (event.target.matches("input:not([type=checkbox]), textarea, select")) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "/") document.getElementById("q")?.focus();
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "x") document.activeElement.closest(".lead")?.querySelector("input[name=lead]")?.click();
  else if (event.key === "?") document.getElementById("atajos")?.showModal();
  else return;
  event.preventDefault();
});

count();
