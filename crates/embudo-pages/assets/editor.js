// Saves the editor's form while a person types, and shows the resulting sums. The page works without this module.

import { narrow } from "./buscador.js";

const form = document.querySelector("[data-editor]");
const PAUSE = 900;

if (form) {
  let timer;
  let running;
  let dirty = false;

  /** Shows the state beside the sums, and in the bar that a phone always shows. */
  const say = (state, text) => {
    for (const place of document.querySelectorAll("[data-estado]")) {
      place.dataset.estado = state;
      place.textContent = text;
    }
  };

  const offline = () => say("sin-conexion", "Sin conexión: aún no está guardado. Se vuelve a intentar.");

  /** Unfolds all folds around an element. */
  const reveal = (element) => {
    for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };

  // Folded chapters stay folded after a save, except those with an error or with a new line.
  const FOLDED = `plegado ${new URL(form.action).pathname}`;
  const folds = () => [...form.querySelectorAll("[data-pliegue]")];
  const fold = () => {
    let shut = new Set();
    try {
      shut = new Set(JSON.parse(sessionStorage.getItem(FOLDED)));
    } catch { /* This browser has no storage. */ }
    for (const chapter of folds()) {
      if (shut.has(chapter.dataset.pliegue) && !chapter.querySelector("[aria-invalid], :target")) chapter.open = false;
    }
  };
  form.addEventListener("toggle", ({ target }) => {
    if (!target.dataset.pliegue) return;
    const shut = folds().filter((chapter) => !chapter.open).map((chapter) => chapter.dataset.pliegue);
    try {
      sessionStorage.setItem(FOLDED, JSON.stringify(shut));
    } catch { /* This browser has no storage. */ }
  }, true);
  addEventListener("hashchange", () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    reveal(place);
    place?.scrollIntoView({ block: "center" });
  });

  /** Makes a name as high as its text, in browsers that do not do it themselves. */
  const grow = (name) => {
    if (CSS.supports("field-sizing", "content")) return;
    name.style.height = "auto";
    name.style.height = `${name.scrollHeight + 2}px`;
  };
  const names = () => form.querySelectorAll(".partida-concepto textarea");

  /** Adds the behaviour of this module to the fields of the form. */
  const dress = () => {
    fold();
    names().forEach(grow);
    for (const box of form.querySelectorAll("input[list]")) {
      narrow(box, () => form.requestSubmit(form.querySelector(`button[value="${box.name}"]`)));
    }
  };

  /** Replaces every amount of the form with the amount that the server calculated. */
  const show = (page) => {
    const figures = new Map([...page.querySelectorAll("[data-cifra]")].map((figure) => [figure.dataset.cifra, figure]));
    for (const place of form.querySelectorAll("[data-cifra]")) {
      const fresh = figures.get(place.dataset.cifra);
      if (fresh) place.replaceChildren(...fresh.childNodes);
    }
  };

  /** Shows the errors at their fields, as the server's page does. */
  const showMistakes = (fresh) => {
    for (const error of form.querySelectorAll(".error")) error.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
    }
    for (const item of fresh.querySelectorAll("[data-campo]")) {
      const field = item.dataset.campo && document.getElementById(item.dataset.campo);
      if (!field || !form.contains(field)) continue;
      const error = document.createElement("p");
      error.className = "error";
      error.id = `${field.id}-error`;
      error.textContent = item.textContent;
      field.setAttribute("aria-invalid", "true");
      field.setAttribute("aria-describedby", error.id);
      field.after(error);
      reveal(field);
    }
  };

  const twin = (field) => [...form.elements].find((other) => other.name === field?.name && other.type === field.type);

  /** Somebody else changed the draft too. Replaces this form with the merged one, and keeps what was typed since this
     form was sent. */
  const adopt = (fresh, sent) => {
    const isTyped = (field) => {
      if (!field.name || field.type === "hidden" || field.type === "submit") return false;
      if (field.type === "checkbox") return field.checked !== sent.getAll(field.name).includes(field.value);
      return /^(tabla|nueva)\./.test(field.name) || field.value !== sent.get(field.name);
    };
    const typed = [...form.elements].filter(isTyped);
    const focused = form.contains(document.activeElement) ? document.activeElement : undefined;
    const { selectionStart, selectionEnd } = focused ?? {};
    form.replaceChildren(...document.adoptNode(fresh).childNodes);
    for (const field of typed) {
      const same = twin(field);
      if (same) Object.assign(same, field.type === "checkbox" ? { checked: field.checked } : { value: field.value });
    }
    dress();
    const same = focused && twin(focused);
    reveal(same);
    same?.focus({ preventScroll: true });
    if (typeof selectionStart === "number") same?.setSelectionRange?.(selectionStart, selectionEnd);
  };

  const save = async () => {
    dirty = false;
    const body = new URLSearchParams(new FormData(form));
    body.set("accion", "auto");
    say("guardando", "Guardando…");
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" }, redirect: "manual" });
      if (answer.type === "opaqueredirect" || answer.status === 401) {
        say("sin-guardar", "Sin guardar: vuelve a entrar y guarda otra vez.");
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("cuentas");
      if (!fresh) throw new Error(answer.status);
      const whole = page.querySelector("[data-editor]");
      document.getElementById("cuentas").replaceWith(document.adoptNode(fresh));
      if (whole) adopt(whole, body);
      if (answer.status !== 409) {
        form.elements.revision.value = fresh.dataset.revision;
        form.elements.base.value = fresh.dataset.base;
      }
      for (const total of document.querySelectorAll("[data-total-barra]")) total.textContent = fresh.dataset.total;
      showMistakes(fresh);
      show(page);
      const standing = fresh.querySelector("[data-estado]");
      // What was typed while the request was running is not saved yet.
      if (dirty) say("guardando", "Guardando…");
      else if (standing) say(standing.dataset.estado, standing.textContent);
    } catch {
      dirty = true;
      offline();
      timer = setTimeout(begin, 5000);
    }
  };

  const begin = () => {
    clearTimeout(timer);
    if (running) return;
    running = save().finally(() => {
      running = undefined;
      if (dirty && !timer) timer = setTimeout(begin, PAUSE);
    });
  };

  form.addEventListener("input", (event) => {
    if (event.target.matches(".partida-concepto textarea")) grow(event.target);
    // A field that only a button reads is saved with that button.
    if (/^(tabla|nueva)\./.test(event.target.name)) return;
    dirty = true;
    if (navigator.onLine) say("guardando", "Guardando…");
    else offline();
    clearTimeout(timer);
    timer = setTimeout(() => { timer = undefined; begin(); }, PAUSE);
  });

  window.addEventListener("offline", () => { if (dirty || running) offline(); });
  window.addEventListener("online", () => { if (dirty) begin(); });

  // A second press is ignored. A press waits for the running save, because it must send the newest revision.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    if (!running) return;
    event.preventDefault();
    const button = event.submitter;
    running.then(() => form.requestSubmit(button));
  });

  // A name must not contain line breaks, even if it takes several lines on the screen.
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches(".partida-concepto textarea")) event.preventDefault();
  });

  dress();
}
