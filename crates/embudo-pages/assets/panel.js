// Conveniences of the panel. All its pages work without this module.

import './errores.js';

// A switch in the frame returns to the page on which it was pressed.
for (const form of document.querySelectorAll("form[data-aqui]")) {
  form.elements.a.value = location.pathname + location.search;
}

// An open menu closes when the person clicks elsewhere.
const menus = document.querySelectorAll("details.menu");
document.addEventListener("click", (event) => {
  // A link from an error to a form in a menu leaves the menu open.
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

// On a phone the row of tabs is wider than the screen. This scrolls to the current tab.
const here = document.querySelector(".secciones [aria-current]");
if (here) here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 16;

// Adds a button that copies the text of a field.
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

// A page that loaded itself again sends this event with the new document. The title and the numbers of the navigation
// rail are taken from it.
document.addEventListener("pagina", ({ detail: fresh }) => {
  document.title = fresh.title;
  for (const line of document.querySelectorAll(".riel-linea")) {
    const twin = fresh.querySelector(`.riel-linea[href="${line.getAttribute("href")}"]`);
    line.querySelector(".chapa")?.remove();
    const badge = twin?.querySelector(".chapa");
    if (badge) line.append(document.adoptNode(badge));
  }
});
