// Photos from a telephone or a computer: turned upright and made smaller here, uploaded one by one with their progress,
// and retried, cancelled or deleted. A person who leaves the step with a failed photo must confirm it.

const formulario = document.getElementById('fotos');
const aviso = document.getElementById('subiendo');
const sinSubir = document.getElementById('sin-subir');
const continuar = formulario.querySelector('.acciones .boton');
const LADO_MAXIMO = 2000;
const A_LA_VEZ = 2;
const MAXIMO_BYTES = 15 * 1024 * 1024;
// A dead connection must not block the other uploads, nor the step that waits for them.
const QUIETA_MS = 60_000;

const cola = [];
const enCurso = new Set();
// Uploads that failed, whether or not they can be retried.
const fallidas = new Set();
let esperando = false;

// The error of an upload. `conArreglo`: a retry may help.
class Fallo extends Error {
  constructor(mensaje, conArreglo) {
    super(mensaje);
    this.conArreglo = conArreglo;
  }
}

function icono(nombre) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('class', 'icono icono-s');
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `${formulario.dataset.iconos}#${nombre}`);
  svg.append(use);
  return svg;
}

function boton(clase, dibujo, etiqueta, alPulsar) {
  const uno = document.createElement('button');
  uno.type = 'button';
  uno.className = clase;
  uno.setAttribute('aria-label', etiqueta);
  uno.append(icono(dibujo));
  uno.addEventListener('click', alPulsar);
  return uno;
}

function parrafo(texto) {
  const uno = document.createElement('p');
  uno.textContent = texto;
  return uno;
}

// Decoding applies the camera's orientation. Drawing removes the other metadata, for example where the photo was taken.
async function reducir(archivo) {
  let imagen;
  try {
    imagen = await createImageBitmap(archivo, { imageOrientation: 'from-image' });
  } catch {
    return archivo;
  }
  const escala = Math.min(1, LADO_MAXIMO / Math.max(imagen.width, imagen.height));
  const lienzo = document.createElement('canvas');
  lienzo.width = Math.max(1, Math.round(imagen.width * escala));
  lienzo.height = Math.max(1, Math.round(imagen.height * escala));
  const pincel = lienzo.getContext('2d');
  pincel.fillStyle = '#fff';
  pincel.fillRect(0, 0, lienzo.width, lienzo.height);
  pincel.drawImage(imagen, 0, 0, lienzo.width, lienzo.height);
  imagen.close();
  const jpeg = await new Promise((listo) => lienzo.toBlob(listo, 'image/jpeg', 0.85));
  return jpeg ?? archivo;
}

function enviar(envio, ruta, cuerpo, alAvanzar) {
  return new Promise((bien, mal) => {
    envio.open('POST', ruta);
    envio.setRequestHeader('Accept', 'application/json');
    envio.setRequestHeader('Content-Type', cuerpo.type || 'application/octet-stream');
    envio.responseType = 'json';
    envio.timeout = QUIETA_MS;
    const inicio = performance.now();
    envio.upload.addEventListener('progress', (suceso) => {
      // The timeout counts from the start of the request, so it is extended while a slow upload makes progress.
      envio.timeout = performance.now() - inicio + QUIETA_MS;
      if (suceso.lengthComputable) alAvanzar(suceso.loaded / suceso.total);
    });
    envio.addEventListener('load', () => {
      if (envio.status === 201) return bien(envio.response);
      // After a quota or a server error a retry may help. Any other refusal would be repeated.
      const conArreglo = envio.status === 429 || envio.status >= 500;
      return mal(new Fallo(envio.response?.texto ?? 'No se ha podido subir.', conArreglo));
    });
    envio.addEventListener('error', () => mal(new Fallo('Sin conexión.', true)));
    envio.addEventListener('timeout', () => mal(new Fallo('La conexión se ha parado.', true)));
    envio.addEventListener('abort', () => mal(new Fallo('', false)));
    envio.send(cuerpo);
  });
}

class Subida {
  constructor(zona, archivo) {
    this.zona = zona;
    this.archivo = archivo;
    this.fila = document.createElement('li');
    this.fila.className = 'miniatura';
    this.vista = document.createElement('img');
    this.vista.alt = `Foto nueva: ${archivo.name}`;
    this.vista.src = URL.createObjectURL(archivo);
    this.vista.addEventListener('error', () => this.vista.remove());
    this.estado = document.createElement('div');
    this.estado.className = 'miniatura-estado';
    this.progreso = document.createElement('progress');
    this.progreso.max = 1;
    this.progreso.setAttribute('aria-label', `Subiendo ${archivo.name}`);
    this.texto = document.createElement('span');
    this.estado.append(this.texto, this.progreso);
    this.fila.append(this.vista, this.estado);
    zona.querySelector('.miniaturas').append(this.fila);
    this.encolar();
  }

  // Replaces the buttons with those of the current state.
  botones(...unos) {
    const conFoco = this.fila.contains(document.activeElement);
    for (const viejo of this.fila.querySelectorAll('button')) viejo.remove();
    this.fila.append(...unos);
    if (conFoco) unos[0]?.focus();
  }

  encolar() {
    fallidas.delete(this);
    this.fila.classList.remove('mal-subida');
    this.estado.hidden = false;
    this.progreso.hidden = false;
    this.progreso.value = 0;
    this.texto.textContent = 'En cola';
    this.botones(boton('miniatura-borrar', 'basura', `Cancelar ${this.archivo.name}`, () => this.cancelar()));
    cola.push(this);
    seguir();
  }

  async subir() {
    this.texto.textContent = 'Subiendo';
    try {
      this.reducida ??= await reducir(this.archivo);
      if (this.cancelada) return;
      if (this.reducida.size > MAXIMO_BYTES) throw new Fallo('Pesa más de 15 MB.', false);
      this.envio = new XMLHttpRequest();
      const hecha = await enviar(this.envio, this.zona.dataset.subir, this.reducida, (parte) => { this.progreso.value = parte; });
      this.estado.hidden = true;
      this.fila.dataset.id = hecha.id;
      this.vista.alt = 'Foto guardada';
      this.botones(boton('miniatura-borrar', 'basura', `Borrar ${this.archivo.name}`, () => borrar(this.fila)));
    } catch (fallo) {
      if (!this.cancelada) this.fallar(fallo);
    }
  }

  fallar(fallo) {
    fallidas.add(this);
    this.fila.classList.add('mal-subida');
    this.progreso.hidden = true;
    this.texto.textContent = fallo.message;
    const quitar = boton('miniatura-borrar', 'basura', `Quitar ${this.archivo.name}`, () => this.cancelar());
    if (!fallo.conArreglo) return this.botones(quitar);
    return this.botones(
      boton('miniatura-otra', 'otra-vez', `Probar otra vez con ${this.archivo.name}`, () => this.encolar()),
      quitar,
    );
  }

  // Removes the photo in any state: waiting, uploading, or failed.
  cancelar() {
    this.cancelada = true;
    fallidas.delete(this);
    const lugar = cola.indexOf(this);
    if (lugar >= 0) cola.splice(lugar, 1);
    this.envio?.abort();
    URL.revokeObjectURL(this.vista.src);
    quitarFila(this.fila);
    seguir();
  }
}

// Moves the focus to a neighbour or to the file input, so that the focus is never lost.
function quitarFila(fila) {
  const zona = fila.closest('.zona-fotos');
  const conFoco = fila.contains(document.activeElement);
  const vecina = fila.nextElementSibling ?? fila.previousElementSibling;
  fila.remove();
  if (conFoco) (vecina?.querySelector('button') ?? zona.querySelector('input[multiple]')).focus();
}

function seguir() {
  while (enCurso.size < A_LA_VEZ && cola.length > 0) {
    const una = cola.shift();
    enCurso.add(una);
    una.subir().finally(() => {
      enCurso.delete(una);
      seguir();
    });
  }
  const quedan = enCurso.size + cola.length;
  const subiendo = quedan === 0 ? '' : quedan === 1 ? 'Subiendo una foto…' : `Subiendo ${quedan} fotos…`;
  aviso.textContent = quedan > 0 && esperando ? `${subiendo} Seguimos en cuanto terminen.` : subiendo;
  if (fallidas.size === 0) sinSubir.hidden = true;
  if (quedan === 0 && esperando) salir();
}

async function borrar(fila) {
  fila.setAttribute('aria-busy', 'true');
  try {
    const respuesta = await fetch(`${formulario.dataset.borrar}${fila.dataset.id}/borrar`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
    });
    if (!respuesta.ok) throw new Error();
    quitarFila(fila);
    aviso.textContent = 'Foto borrada.';
  } catch {
    aviso.textContent = 'No se ha podido borrar la foto. Prueba otra vez.';
  } finally {
    fila.removeAttribute('aria-busy');
  }
}

function tomar(zona, archivos) {
  const maximo = Number(formulario.dataset.maximo);
  const avisos = zona.querySelector('.avisos-zona');
  avisos.replaceChildren();
  for (const archivo of archivos) {
    if (archivo.type !== '' && !archivo.type.startsWith('image/')) {
      avisos.append(parrafo(`No hemos añadido «${archivo.name}» porque no es una foto. Prueba con ${formulario.dataset.formatos}.`));
    } else if (document.querySelectorAll('.miniatura').length >= maximo) {
      avisos.append(parrafo(`Con ${maximo} fotos nos sobra: no hemos añadido más.`));
      return;
    } else {
      new Subida(zona, archivo);
    }
  }
}

for (const zona of document.querySelectorAll('.zona-fotos')) {
  for (const entrada of zona.querySelectorAll('input[type=file]')) {
    entrada.addEventListener('change', () => {
      tomar(zona, entrada.files);
      // The same photo can then be chosen again, and the form itself does not send it a second time.
      entrada.value = '';
    });
  }
  zona.addEventListener('dragover', (suceso) => {
    if (![...suceso.dataTransfer.types].includes('Files')) return;
    suceso.preventDefault();
    zona.classList.add('encima');
  });
  zona.addEventListener('dragleave', (suceso) => {
    if (!zona.contains(suceso.relatedTarget)) zona.classList.remove('encima');
  });
  zona.addEventListener('drop', (suceso) => {
    suceso.preventDefault();
    zona.classList.remove('encima');
    tomar(zona, suceso.dataTransfer.files);
  });
}

for (const quitar of document.querySelectorAll('.miniatura-borrar[form]')) {
  quitar.addEventListener('click', (suceso) => {
    suceso.preventDefault();
    borrar(quitar.closest('.miniatura'));
  });
}

// A file that is dropped beside the zones must not replace the page, because the typed text would be lost.
addEventListener('dragover', (suceso) => suceso.preventDefault());
addEventListener('drop', (suceso) => suceso.preventDefault());

// Leaving the page in another way would abort the running uploads.
addEventListener('beforeunload', (suceso) => {
  if (enCurso.size + cola.length > 0) suceso.preventDefault();
});

// Waits for the running uploads before the next step, and then asks about the failed ones.
function salir() {
  esperando = false;
  continuar.removeAttribute('aria-disabled');
  aviso.textContent = '';
  if (fallidas.size > 0) preguntar();
  else mandar();
}

function preguntar() {
  const [una] = fallidas;
  const texto = fallidas.size === 1
    ? `«${una.archivo.name}» no se ha subido. Puedes arreglarlo arriba o continuar sin ella.`
    : `${fallidas.size} fotos no se han subido. Puedes arreglarlo arriba o continuar sin ellas.`;
  const sinEllas = document.createElement('button');
  sinEllas.type = 'button';
  sinEllas.className = 'boton-2';
  sinEllas.textContent = fallidas.size === 1 ? 'Continuar sin ella' : 'Continuar sin ellas';
  sinEllas.addEventListener('click', mandar);
  decir(texto, sinEllas);
}

function decir(texto, ...mas) {
  sinSubir.replaceChildren(parrafo(texto), ...mas);
  sinSubir.hidden = false;
  sinSubir.focus();
}

// The form is sent from here, so that a failed connection leaves the page as it is instead of showing the browser's own
// error.
async function mandar() {
  continuar.setAttribute('aria-disabled', 'true');
  try {
    const respuesta = await fetch(formulario.action, {
      method: 'POST',
      headers: { Accept: 'application/json' },
      body: new FormData(formulario),
    });
    // If the server refuses the form, it explains why on a page of its own.
    if (!respuesta.ok) formulario.submit();
    else location.assign((await respuesta.json()).a);
  } catch {
    decir('Sin conexión: no se ha enviado. Lo que has escrito sigue aquí; prueba otra vez en un momento.');
  } finally {
    continuar.removeAttribute('aria-disabled');
  }
}

formulario.addEventListener('submit', (suceso) => {
  suceso.preventDefault();
  if (continuar.getAttribute('aria-disabled')) return;
  sinSubir.hidden = true;
  esperando = true;
  continuar.setAttribute('aria-disabled', 'true');
  seguir();
}, true);
