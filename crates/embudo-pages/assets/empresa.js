// Previews a picked or typed colour at once. Without scripts the button beside it does the same.

const form = document.querySelector("form[data-muestra]");
const { color, codigo } = form.elements;
let asked = 0;

form.querySelector("[data-probar]").hidden = true;

async function show(chosen) {
  const own = ++asked;
  const answer = await fetch(`/panel/empresa/marca?color=${encodeURIComponent(chosen)}`);
  if (!answer.ok || own !== asked) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("muestras");
  if (fresh && own === asked) document.getElementById("muestras").replaceWith(fresh);
}

color.addEventListener("input", () => {
  codigo.value = "";
  codigo.placeholder = color.value;
});
color.addEventListener("change", () => show(color.value));
codigo.addEventListener("change", () => {
  const typed = /^#?([0-9a-f]{6})$/i.exec(codigo.value.trim());
  if (!typed) return;
  color.value = `#${typed[1].toLowerCase()}`;
  show(color.value);
});
