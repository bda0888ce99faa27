// Photos from a telephone or a desk: made upright and small here, sent one by one with their progress, tried again or removed.

const formulario = document.getElementById('fotos');
const aviso = document.getElementById('subiendo');
const LADO_MAXIMO = 2000;
const A_LA_VEZ = 2;
const MAXIMO_BYTES = 15 * 1024 * 1024;
// A connection that died without saying so must not hold back the others, nor the step that waits for them.
const QUIETA_MS = 60_000;

const cola = [];
let subiendo = 0;
let alTerminar = null;

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

// Decoding applies the camera's orientation; drawing drops its other notes, where the photo was taken among them.
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

function enviar(ruta, cuerpo, alAvanzar) {
  return new Promise((bien, mal) => {
    const envio = new XMLHttpRequest();
    envio.open('POST', ruta);
    envio.setRequestHeader('Accept', 'application/json');
    envio.setRequestHeader('Content-Type', cuerpo.type || 'application/octet-stream');
    envio.responseType = 'json';
    envio.timeout = QUIETA_MS;
    const inicio = performance.now();
    envio.upload.addEventListener('progress', (suceso) => {
      // Counted from the start of the request; a slow one that still moves goes on.
      envio.timeout = performance.now() - inicio + QUIETA_MS;
      if (suceso.lengthComputable) alAvanzar(suceso.loaded / suceso.total);
    });
    envio.addEventListener('load', () => {
      if (envio.status === 201) bien(envio.response);
      else mal(new Error(envio.response?.texto ?? 'No se ha podido subir.'));
    });
    envio.addEventListener('error', () => mal(new Error('Sin conexión: prueba otra vez.')));
    envio.addEventListener('timeout', () => mal(new Error('La conexión se ha parado: prueba otra vez.')));
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

  encolar() {
    this.fila.classList.remove('mal-subida');
    this.fila.querySelector('.miniatura-otra')?.remove();
    this.fila.querySelector('.miniatura-borrar')?.remove();
    this.estado.hidden = false;
    this.progreso.hidden = false;
    this.progreso.value = 0;
    this.texto.textContent = 'En cola';
    cola.push(this);
    seguir();
  }

  async subir() {
    this.texto.textContent = 'Subiendo';
    try {
      this.reducida ??= await reducir(this.archivo);
      if (this.reducida.size > MAXIMO_BYTES) throw new Error('Pesa más de 15 MB.');
      const hecha = await enviar(this.zona.dataset.subir, this.reducida, (parte) => { this.progreso.value = parte; });
      this.estado.hidden = true;
      this.fila.dataset.id = hecha.id;
      this.vista.alt = 'Foto guardada';
      this.fila.append(boton('miniatura-borrar', 'basura', `Borrar ${this.archivo.name}`, () => borrar(this.fila)));
    } catch (error) {
      this.fila.classList.add('mal-subida');
      this.progreso.hidden = true;
      this.texto.textContent = error.message;
      this.fila.append(
        boton('miniatura-otra', 'otra-vez', `Probar otra vez con ${this.archivo.name}`, () => this.encolar()),
        boton('miniatura-borrar', 'basura', `Quitar ${this.archivo.name}`, () => this.fila.remove()),
      );
    }
  }
}

function seguir() {
  while (subiendo < A_LA_VEZ && cola.length > 0) {
    const una = cola.shift();
    subiendo += 1;
    una.subir().finally(() => {
      subiendo -= 1;
      seguir();
    });
  }
  const quedan = subiendo + cola.length;
  aviso.textContent = quedan === 0 ? '' : quedan === 1 ? 'Subiendo una foto…' : `Subiendo ${quedan} fotos…`;
  if (quedan === 0 && alTerminar) {
    const hacer = alTerminar;
    alTerminar = null;
    hacer();
  }
}

async function borrar(fila) {
  fila.setAttribute('aria-busy', 'true');
  try {
    const respuesta = await fetch(`${formulario.dataset.borrar}${fila.dataset.id}/borrar`, {
      method: 'POST',
      headers: { Accept: 'application/json' },
    });
    if (respuesta.ok) fila.remove();
  } finally {
    fila.removeAttribute('aria-busy');
  }
}

function tomar(zona, archivos) {
  const maximo = Number(formulario.dataset.maximo);
  for (const archivo of archivos) {
    if (document.querySelectorAll('.miniatura').length >= maximo) {
      aviso.textContent = `Con ${maximo} fotos nos sobra.`;
      return;
    }
    if (archivo.type === '' || archivo.type.startsWith('image/')) new Subida(zona, archivo);
  }
}

for (const zona of document.querySelectorAll('.zona-fotos')) {
  for (const entrada of zona.querySelectorAll('input[type=file]')) {
    entrada.addEventListener('change', () => {
      tomar(zona, entrada.files);
      // Chosen again, the same photo counts again; and the form itself must not send it a second time.
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

// A file dropped beside the zones must not replace the page and with it what was typed.
addEventListener('dragover', (suceso) => suceso.preventDefault());
addEventListener('drop', (suceso) => suceso.preventDefault());

// Going on waits for the photos that are on their way.
formulario.addEventListener('submit', (suceso) => {
  if (subiendo + cola.length === 0) return;
  suceso.preventDefault();
  const con = suceso.submitter;
  alTerminar = () => formulario.requestSubmit(con);
}, true);
