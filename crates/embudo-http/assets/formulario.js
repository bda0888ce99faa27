// What the steps gain with a module: the price follows the answers, the slider and the box say the same, a second press of a
// button is ignored. Everything works without it.

const raiz = document.documentElement;
raiz.classList.add('con-js');

const caja = document.getElementById('rango');
const formulario = document.querySelector('form[data-rango]');
const ancha = matchMedia('(min-width: 900px)');

function abrirSupuestos() {
  const mas = caja?.querySelector('.rango-mas');
  if (mas && ancha.matches) mas.open = true;
}

let espera;
let enCurso;

async function refrescar() {
  enCurso?.abort();
  enCurso = new AbortController();
  const consulta = new URLSearchParams(caja.dataset.conocidas);
  for (const [nombre, valor] of new FormData(formulario)) {
    if (!['tipo', 'm2', 'calidad', 'estructural', 'urgencia', 'provincia'].includes(nombre)) continue;
    if (valor === '') consulta.delete(nombre);
    else consulta.set(nombre, valor);
  }
  try {
    const respuesta = await fetch(`${caja.dataset.ruta}?${consulta}`, { signal: enCurso.signal });
    if (!respuesta.ok) return;
    const abierto = caja.querySelector('.rango-mas')?.open;
    const nuevo = new DOMParser().parseFromString(await respuesta.text(), 'text/html');
    caja.replaceChildren(...nuevo.body.childNodes);
    const mas = caja.querySelector('.rango-mas');
    if (mas) mas.open = Boolean(abierto);
  } catch {
    // The price shown stays; the next answer or the next page brings the right one.
  }
}

function pronto() {
  clearTimeout(espera);
  espera = setTimeout(refrescar, 200);
}

if (caja && formulario) {
  formulario.addEventListener('input', pronto);
  formulario.addEventListener('change', pronto);
}
abrirSupuestos();

// The box, the slider and the usual sizes.
const metros = document.getElementById('m2');
const regla = document.getElementById('m2-regla');
if (metros && regla) {
  const tallas = [...document.querySelectorAll('.talla')];
  const numero = (texto) => Number.parseFloat(texto.replace(',', '.'));
  const marcar = () => {
    for (const talla of tallas) talla.setAttribute('aria-pressed', String(numero(talla.value) === numero(metros.value)));
  };
  const hablar = () => {
    regla.setAttribute('aria-valuetext', `${regla.value.replace('.', ',')} metros cuadrados`);
    regla.style.setProperty('--parte', (regla.value - regla.min) / (regla.max - regla.min));
  };
  regla.hidden = false;
  regla.addEventListener('input', () => {
    metros.value = regla.value.replace('.', ',');
    marcar();
    hablar();
  });
  metros.addEventListener('input', () => {
    if (numero(metros.value) > 0) regla.value = numero(metros.value);
    marcar();
    hablar();
  });
  for (const talla of tallas) {
    talla.addEventListener('click', (suceso) => {
      suceso.preventDefault();
      metros.value = talla.dataset.valor;
      metros.dispatchEvent(new Event('input', { bubbles: true }));
    });
  }
  marcar();
  hablar();
}

// A second press while the first is on its way does nothing. Coming back by the browser's button, everything is pressable again.
for (const uno of document.forms) {
  uno.addEventListener('submit', (suceso) => {
    if (suceso.defaultPrevented) return;
    if (uno.dataset.enviado) {
      suceso.preventDefault();
      return;
    }
    uno.dataset.enviado = 'si';
    const boton = suceso.submitter;
    if (boton) boton.setAttribute('aria-disabled', 'true');
  });
}
addEventListener('pageshow', () => {
  for (const uno of document.forms) delete uno.dataset.enviado;
  for (const boton of document.querySelectorAll('[aria-disabled="true"]')) boton.removeAttribute('aria-disabled');
});
