// What makes the panel nicer where scripts run; everything works without.

// A switch in the frame comes back to the page it was pressed on.
for (const form of document.querySelectorAll("form[data-aqui]")) {
  form.elements.a.value = location.pathname + location.search;
}

// An open menu closes when the person goes on elsewhere.
const menus = document.querySelectorAll("details.menu");
document.addEventListener("click", (event) => {
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

// A link that is shown once can be copied with one press.
for (const field of document.querySelectorAll("input[data-copiar]")) {
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
