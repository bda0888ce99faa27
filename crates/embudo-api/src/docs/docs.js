// The forms that try a call. Reading the documentation needs none of this.
// The key stays in its input: it is neither stored nor put into an address.

const clave = document.querySelector('#clave');
const indice = document.querySelector('.indice details');
const estrecha = window.matchMedia('(max-width: 860px)');

if (indice) {
  const ajustar = () => { indice.open = !estrecha.matches; };
  ajustar();
  estrecha.addEventListener('change', ajustar);
  indice.addEventListener('click', (e) => {
    if (estrecha.matches && e.target.closest('a')) indice.open = false;
  });
}

function preparar(formulario) {
  formulario.hidden = false;
  const cuerpo = formulario.querySelector('[data-cuerpo]');
  const ejemplo = formulario.querySelector('[data-ejemplo]');
  ejemplo?.addEventListener('change', () => { cuerpo.value = ejemplo.value; escribirCurl(formulario); });
  formulario.addEventListener('input', () => escribirCurl(formulario));
  formulario.addEventListener('change', (e) => {
    if (e.target.dataset.en !== 'path') return;
    delete e.target.dataset.compartido;
    compartir(e.target);
  });
  clave.addEventListener('input', () => escribirCurl(formulario));
  formulario.addEventListener('submit', (e) => { e.preventDefault(); enviar(formulario); });
  formulario.querySelector('[data-copiar]').addEventListener('click', (e) => copiar(e.currentTarget, curl(formulario, clave.value)));
  escribirCurl(formulario);
}

/** Whoever tries one call tries another on the same lead or photo: an id goes into the other forms that have none. */
function compartir(campo) {
  for (const otro of document.querySelectorAll(`[data-en=path][name=${campo.name}]`)) {
    if (otro !== campo && (!otro.value || otro.dataset.compartido)) {
      otro.value = campo.value;
      otro.dataset.compartido = 'si';
      escribirCurl(otro.form);
    }
  }
}

/** What the form asks for: method, address, headers and body. */
function peticion(formulario, llave) {
  const cabeceras = {};
  const consulta = new URLSearchParams();
  let ruta = formulario.dataset.ruta;
  for (const campo of formulario.querySelectorAll('[data-en]')) {
    const valor = campo.value.trim();
    if (campo.dataset.en === 'path') ruta = ruta.replace(`{${campo.name}}`, valor ? encodeURIComponent(valor) : `{${campo.name}}`);
    else if (valor && campo.dataset.en === 'query') consulta.append(campo.name, valor);
    else if (valor) cabeceras[campo.name] = valor;
  }
  if (!('abierta' in formulario.dataset)) cabeceras.Authorization = `Bearer ${llave}`;
  const cuerpo = formulario.querySelector('[data-cuerpo]')?.value;
  if (cuerpo) cabeceras['Content-Type'] = 'application/json';
  const texto = consulta.toString();
  return { metodo: formulario.dataset.metodo, ruta: texto ? `${ruta}?${texto}` : ruta, cabeceras, cuerpo };
}

const entreComillas = (texto) => `'${texto.replaceAll("'", "'\\''")}'`;

function curl(formulario, llave) {
  const p = peticion(formulario, llave || '$FUNNEL_API_KEY');
  const partes = [`curl -X ${p.metodo} ${entreComillas(location.origin + p.ruta)}`];
  for (const [nombre, valor] of Object.entries(p.cabeceras)) {
    const linea = `${nombre}: ${valor}`;
    // Only the variable's name needs the shell to look inside the quotes.
    partes.push(`-H ${!llave && nombre === 'Authorization' ? `"${linea}"` : entreComillas(linea)}`);
  }
  if (p.cuerpo) partes.push(`--data-raw ${entreComillas(p.cuerpo)}`);
  return partes.join(' \\\n  ');
}

/** The page shows the command without the key; the copy button puts it in. */
function escribirCurl(formulario) {
  formulario.querySelector('.curl').textContent = curl(formulario, '');
}

async function copiar(boton, texto) {
  const antes = 'Copiar curl';
  try {
    await navigator.clipboard.writeText(texto);
    boton.textContent = 'Copiado';
  } catch {
    boton.textContent = 'No se pudo: copia el texto';
  }
  setTimeout(() => { boton.textContent = antes; }, 2000);
}

async function enviar(formulario) {
  const resultado = formulario.querySelector('.resultado');
  const boton = formulario.querySelector('[type=submit]');
  if (!('abierta' in formulario.dataset) && !clave.value) {
    mostrar(resultado, [aviso('Escribe primero la clave, arriba.')]);
    clave.focus();
    return;
  }
  const p = peticion(formulario, clave.value);
  boton.disabled = true;
  const inicio = performance.now();
  try {
    const respuesta = await fetch(p.ruta, {
      method: p.metodo,
      headers: p.cabeceras,
      body: p.cuerpo || undefined,
      credentials: 'omit',
      cache: 'no-store',
    });
    const texto = await respuesta.text();
    mostrar(resultado, pintarRespuesta(respuesta, texto, performance.now() - inicio));
  } catch {
    mostrar(resultado, [aviso('No hubo respuesta: comprueba que el servidor sigue en marcha y que la clave solo lleva caracteres ASCII.')]);
  } finally {
    boton.disabled = false;
  }
}

const CABECERAS = ['content-type', 'location', 'idempotency-replayed', 'retry-after', 'www-authenticate', 'x-request-id'];

function pintarRespuesta(respuesta, texto, ms) {
  const chip = elemento('span', String(respuesta.status), `estado e${Math.floor(respuesta.status / 100)}`);
  const resumen = elemento('p', '', 'resumen');
  resumen.append(chip, `${Math.round(ms)} ms · ${new Blob([texto]).size} bytes`);
  const lineas = CABECERAS.filter((n) => respuesta.headers.has(n)).map((n) => `${n}: ${respuesta.headers.get(n)}`);
  const cabeceras = elemento('pre', lineas.join('\n'));
  const piezas = [resumen, cabeceras];
  if (texto) {
    const cuerpo = elemento('pre', bonito(texto));
    cuerpo.tabIndex = 0;
    piezas.push(cuerpo);
  }
  return piezas;
}

/** Indents JSON without parsing it, so that digits and key order stay as they came. */
function bonito(texto) {
  if (!/^\s*[{[]/.test(texto)) return texto;
  const partes = [];
  let nivel = 0;
  let recienAbierto = false;
  const salto = () => '\n' + '  '.repeat(nivel);
  for (const [trozo] of texto.matchAll(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^"{}[\],:\s]+/g)) {
    if (trozo === '}' || trozo === ']') {
      nivel -= 1;
      partes.push(recienAbierto ? '' : salto(), trozo);
      recienAbierto = false;
      continue;
    }
    if (recienAbierto) partes.push(salto());
    recienAbierto = trozo === '{' || trozo === '[';
    if (recienAbierto) nivel += 1;
    if (trozo === ',') partes.push(',', salto());
    else partes.push(trozo === ':' ? ': ' : trozo);
  }
  return partes.join('');
}

function aviso(texto) {
  return elemento('p', texto, 'requerido');
}

function elemento(nombre, texto, clase) {
  const nuevo = document.createElement(nombre);
  nuevo.textContent = texto;
  if (clase) nuevo.className = clase;
  return nuevo;
}

function mostrar(donde, piezas) {
  donde.replaceChildren(...piezas);
}

for (const formulario of document.querySelectorAll('.probar form')) preparar(formulario);
