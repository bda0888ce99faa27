// What makes the panel nicer where scripts run; everything works without.

import './errores.js';

// A switch in the frame comes back to the page it was pressed on.
for (const form of document.querySelectorAll("form[data-aqui]")) {
  form.elements.a.value = location.pathname + location.search;
}

// An open menu closes when the person goes on elsewhere.
const menus = document.querySelectorAll("details.menu");
document.addEventListener("click", (event) => {
  // A mistake that leads to a form in a menu leaves it open.
  if (event.target.closest(".resumen-errores, [data-abre]")) return;
  for (const menu of menus) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) {
    if (menu.open) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  }
});

// On a phone the sections stand in a row that is wider than the screen: the one that is shown is in sight.
const here = document.querySelector(".secciones [aria-current]");
if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 16;

// What is there to be copied can be with one press.
for (const field of document.querySelectorAll("[data-copiar]")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "boton-2 copiar";
  button.textContent = "Copiar";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copiado";
  });
  field.after(button);
}

// A page that asked for itself again tells what it was given: the title and the numbers of the rail are taken from there.
document.addEventListener("pagina", ({ detail: fresh }) => {
  document.title = fresh.title;
  for (const line of document.querySelectorAll(".riel-linea")) {
    const twin = fresh.querySelector(`.riel-linea[href="${line.getAttribute("href")}"]`);
    line.querySelector(".chapa")?.remove();
    const badge = twin?.querySelector(".chapa");
    if (badge) line.append(document.adoptNode(badge));
  }
});
