// The box that adds items from the price table. It filters the list while a person types; keys, mouse or touch choose
// an item. Without this module the browser shows its own list, and the server finds the typed item.

/** Lower case without accents, as the server compares texts. */
const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Items of the price table, as the page lists them. */
const read = (list) =>
  [...list.options].map(({ value, dataset }) => ({
    name: value,
    ...dataset,
    prices: dataset.precios.split("|"),
    text: fold(`${value} ${dataset.clave} ${dataset.capitulo}`),
  }));

const make = (tag, text, className = "") => Object.assign(document.createElement(tag), { textContent: text, className });

/** Connects a box with its list of items. `add` does the same as the button of the box. */
export function narrow(box, add) {
  const items = read(box.list).filter((item) => item.prices[box.dataset.columna]);
  const chosen = box.form.elements[`${box.name}.clave`];
  const list = make("ul", "", "buscador");
  const none = make("p", "", "buscador-nada");
  Object.assign(list, { id: `${box.id}-lista`, role: "listbox", ariaLabel: "Partidas de tu tarifa", hidden: true });
  none.role = "status";
  box.removeAttribute("list");
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"], ["aria-controls", list.id]]) {
    box.setAttribute(name, value);
  }
  box.after(list, none);
  let shown = [];
  let at = -1;

  const close = () => {
    list.hidden = true;
    at = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };

  const point = (to) => {
    list.children[at]?.setAttribute("aria-selected", "false");
    at = to;
    const option = list.children[at];
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", option.id);
  };

  const open = () => {
    const words = fold(box.value).split(/\s+/).filter(Boolean);
    shown = items.filter((item) => words.every((word) => item.text.includes(word)));
    list.replaceChildren(...shown.map((item, n) => {
      const option = make("li", "");
      Object.assign(option, { id: `${list.id}-${n}`, role: "option", ariaSelected: "false" });
      const price = make("span", `${item.prices[box.dataset.columna]} / ${item.unidad}`, "dinero");
      option.append(make("span", item.name), make("small", `${item.capitulo} · ${item.clave}`), price);
      return option;
    }));
    none.textContent = shown.length === 0 ? "Nada así en tu tarifa: prueba con otra palabra o añade una partida libre." : "";
    if (shown.length === 0) {
      close();
      return;
    }
    at = -1;
    box.removeAttribute("aria-activedescendant");
    // On a phone the list needs the space above the keyboard and the bars.
    if (list.hidden && matchMedia("(max-width: 799px)").matches) box.scrollIntoView({ block: "start" });
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
  };

  const choose = (n) => {
    box.value = shown[n].name;
    chosen.value = shown[n].clave;
    close();
  };

  box.addEventListener("input", () => {
    chosen.value = "";
    open();
  });
  box.addEventListener("click", () => list.hidden && open());
  box.addEventListener("blur", close);
  // A press on the list must not take the focus from the box.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) choose([...list.children].indexOf(option));
  });
  box.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      if (list.hidden) open();
      const by = key === "ArrowDown" ? 1 : -1;
      if (shown.length > 0) point(at < 0 && by < 0 ? shown.length - 1 : (at + by + shown.length) % shown.length);
    } else if (key === "Escape" && !list.hidden) {
      close();
    } else if (key === "Enter") {
      if (!list.hidden && at >= 0) choose(at);
      else add();
    } else {
      return;
    }
    event.preventDefault();
  });
}
