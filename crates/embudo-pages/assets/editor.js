// The editor saves by itself while somebody types, and shows what it comes to. Everything works without.

const form = document.querySelector("[data-editor]");
const PAUSE = 900;

if (form && !document.querySelector(".editor-choque")) {
  let timer;
  let running;
  let dirty = false;

  /** Beside the sums, and in the bar that is always in sight on a phone. */
  const say = (state, text) => {
    for (const place of document.querySelectorAll("[data-estado]")) {
      place.dataset.estado = state;
      place.textContent = text;
    }
  };

  const offline = () => say("sin-conexion", "Sin conexión: aún no está guardado. Se vuelve a intentar.");

  /** Every figure of the form says what the server made of what was typed. */
  const show = (page) => {
    const figures = new Map([...page.querySelectorAll("[data-cifra]")].map((figure) => [figure.dataset.cifra, figure]));
    for (const place of form.querySelectorAll("[data-cifra]")) {
      const fresh = figures.get(place.dataset.cifra);
      if (fresh) place.replaceChildren(...fresh.childNodes);
    }
  };

  /** Mistakes stand at their fields, as on the page. */
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
      const folded = field.closest("details");
      if (folded) folded.open = true;
    }
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
      document.getElementById("cuentas").replaceWith(document.adoptNode(fresh));
      if (answer.status !== 409) form.elements.revision.value = fresh.dataset.revision;
      for (const total of document.querySelectorAll("[data-total-barra]")) total.textContent = fresh.dataset.total;
      showMistakes(fresh);
      show(page);
      const standing = fresh.querySelector("[data-estado]");
      // What was typed meanwhile is not saved yet.
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
    // What only a button reads is saved with the button.
    if (/^(tabla|nueva)\./.test(event.target.name)) return;
    dirty = true;
    if (navigator.onLine) say("guardando", "Guardando…");
    else offline();
    clearTimeout(timer);
    timer = setTimeout(() => { timer = undefined; begin(); }, PAUSE);
  });

  window.addEventListener("offline", () => { if (dirty || running) offline(); });
  window.addEventListener("online", () => { if (dirty) begin(); });

  // Two presses are one, and a press waits for what is being saved: it must know the newest revision.
  form.addEventListener("submit", (event) => {
    clearTimeout(timer);
    if (!running) return;
    event.preventDefault();
    const button = event.submitter;
    running.then(() => form.requestSubmit(button));
  });

  // Enter in the box of the table adds what was found there.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !/^tabla\./.test(event.target.name ?? "")) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector(`button[value="${event.target.name}"]`));
  });
}
