// What the steps of the form gain with a module: the price follows the answers, slider and box show the same value,
// typed values are still there after going back, an error disappears when it is corrected, and a second press of a
// button is ignored. The form works without this module.

import './errores.js';

const raiz = document.documentElement;
raiz.classList.add('con-js');

const caja = document.getElementById('rango');
const formulario = document.querySelector('form[data-rango]');
// The answers that decide the price.
const PREGUNTAS = [
  ...['tipo', 'm2', 'calidad', 'estructural', 'urgencia', 'provincia'],
  ...['esVivienda', 'contratante', 'dosAnos', 'banos', 'planta', 'ascensor', 'codigoPostal'],
];
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
    if (!PREGUNTAS.includes(nombre)) continue;
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
    // The old price stays on the page. The next answer or the next page brings the right price.
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

// The box, the slider and the preset sizes.
const metros = document.getElementById('m2');
const regla = document.getElementById('m2-regla');
if (metros && regla) {
  const tallas = [...document.querySelectorAll('.talla')];
  // Spanish numbers: points group thousands, a comma starts the decimals.
  const numero = (texto) => {
    const cifras = texto.replace(/[^\d.,-]/g, '');
    const llano = cifras.includes(',') || /^\d{1,3}(\.\d{3})+$/.test(cifras) ? cifras.replaceAll('.', '') : cifras;
    return Number.parseFloat(llano.replace(',', '.'));
  };
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
  // The box gets the value of the slider, because the box is what is sent. A box with an error keeps its text.
  if (!metros.value && !metros.hasAttribute('aria-invalid')) metros.value = regla.value.replace('.', ',');
  marcar();
  hablar();
}

// A postal code decides the province.
const codigo = document.getElementById('codigoPostal');
const provincia = document.getElementById('provincia');
if (codigo && provincia) {
  codigo.addEventListener('input', () => {
    const cifras = codigo.value.replaceAll(' ', '');
    const suya = /^\d{5}$/.test(cifras) && provincia.querySelector(`option[data-codigo="${cifras.slice(0, 2)}"]`);
    if (suya) suya.selected = true;
  });
}

// Before the lead exists, this tab stores what was typed and the secret of the page, so that a person who goes back
// finds it again. The end of the form deletes it.
const borrador = document.querySelector('form[data-borrador]');
const CAMPOS = ['nombre', 'telefono', 'email', 'codigoPostal', 'provincia', 'comercial'];
function guardado() {
  try {
    return JSON.parse(sessionStorage.getItem(borrador.dataset.borrador)) ?? {};
  } catch {
    // Some frames have no storage. Then nothing is kept.
    return {};
  }
}
if (borrador) {
  const campo = (nombre) => borrador.elements[nombre];
  const valores = guardado();
  // If the same form is sent again in this tab, it gets the same secret, so that it corrects the lead instead of
  // creating another.
  if (valores.boleto === campo('boleto').value && valores.secreto) campo('secreto').value = valores.secreto;
  for (const nombre of CAMPOS) {
    const uno = campo(nombre);
    if (uno.type === 'checkbox') uno.checked ||= valores[nombre] === true;
    else if (uno.value === '' && typeof valores[nombre] === 'string') uno.value = valores[nombre];
  }
  borrador.addEventListener('input', () => {
    const ahora = CAMPOS.map((nombre) => [nombre, campo(nombre).type === 'checkbox' ? campo(nombre).checked : campo(nombre).value]);
    const pagina = ['boleto', 'secreto'].map((nombre) => [nombre, campo(nombre).value]);
    try {
      sessionStorage.setItem(borrador.dataset.borrador, JSON.stringify(Object.fromEntries([...ahora, ...pagina])));
    } catch {
      // No storage here either.
    }
  });
}

if (document.querySelector('.carta')) {
  try {
    sessionStorage.removeItem(`${location.pathname.split('/').slice(0, 3).join('/')}/contacto`);
  } catch {
    // No storage, so there is nothing to delete.
  }
}

// An error is about the value that was sent. When the value changes, its error is removed, and with the last error the
// list above.
for (const error of document.querySelectorAll('.error[id$="-error"]')) {
  const campo = document.getElementById(error.id.slice(0, -'-error'.length));
  campo?.addEventListener('input', () => {
    const descrito = (campo.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== '' && id !== error.id);
    if (descrito.length > 0) campo.setAttribute('aria-describedby', descrito.join(' '));
    else campo.removeAttribute('aria-describedby');
    campo.removeAttribute('aria-invalid');
    error.parentElement.querySelector('.sugerencia')?.remove();
    error.remove();
    const resumen = document.querySelector('.resumen-errores');
    resumen?.querySelector(`a[href="#${campo.id}"]`)?.parentElement.remove();
    if (resumen && !resumen.querySelector('li')) resumen.remove();
  }, { once: true });
}

// A second press is ignored while the first one is being sent. After going back with the browser, all buttons work
// again.
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
