// What the steps gain with a module: the price follows the answers, the slider and the box say the same, what was typed is still
// there after going back, a mistake goes away once it is mended, a second press of a button is ignored. Everything works without it.

import './errores.js';

const raiz = document.documentElement;
raiz.classList.add('con-js');

const caja = document.getElementById('rango');
const formulario = document.querySelector('form[data-rango]');
// The answers that the price depends on.
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
  // As in Spain: points group thousands, a comma starts the decimals.
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
  // What the slider shows is what is sent; a box that came back with a mistake stays as it was left.
  if (!metros.value && !metros.hasAttribute('aria-invalid')) metros.value = regla.value.replace('.', ',');
  marcar();
  hablar();
}

// A postal code names its province.
const codigo = document.getElementById('codigoPostal');
const provincia = document.getElementById('provincia');
if (codigo && provincia) {
  codigo.addEventListener('input', () => {
    const cifras = codigo.value.replaceAll(' ', '');
    const suya = /^\d{5}$/.test(cifras) && provincia.querySelector(`option[data-codigo="${cifras.slice(0, 2)}"]`);
    if (suya) suya.selected = true;
  });
}

// What was typed before there is a lead is kept in this tab, with the page's secret, for whoever goes a step back; the end of the form
// forgets it.
const borrador = document.querySelector('form[data-borrador]');
const CAMPOS = ['nombre', 'telefono', 'email', 'codigoPostal', 'provincia', 'comercial'];
function guardado() {
  try {
    return JSON.parse(sessionStorage.getItem(borrador.dataset.borrador)) ?? {};
  } catch {
    // No storage here, as in some frames: nothing is kept.
    return {};
  }
}
if (borrador) {
  const campo = (nombre) => borrador.elements[nombre];
  const valores = guardado();
  // The same form filled in further on in this tab is the same page: sent again, it corrects what it made.
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
      // The same.
    }
  });
}

if (document.querySelector('.carta')) {
  try {
    sessionStorage.removeItem(`${location.pathname.split('/').slice(0, 3).join('/')}/contacto`);
  } catch {
    // Nothing was kept.
  }
}

// A message is about the value that was sent: once that changes, it goes, and with the last one the list above.
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
