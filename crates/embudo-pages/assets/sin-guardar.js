// A form that prepares something and has not kept it: says so while there are changes, and the browser asks before they are lost.

const form = document.querySelector('form[data-sin-guardar]');
const told = form.querySelector('[data-dicho]');
let dirty = form.dataset.sinGuardar !== '0';
let sending = false;
// What one looks for, chooses to see or tries is no change.
const LOOKING = '#q, #capitulo, #mirar, [name^="prueba."]';

const leaving = (event) => {
  if (!sending) event.preventDefault();
};

function watch() {
  // Only while there is something to lose: a page that listens for this is not kept for going back to.
  addEventListener('beforeunload', leaving);
}

if (dirty) watch();

form.addEventListener('input', (event) => {
  if (dirty || event.target.matches(LOOKING)) return;
  dirty = true;
  if (told) told.textContent = 'Tienes cambios sin guardar';
  watch();
});

form.addEventListener('submit', () => {
  sending = true;
});

// A page that is gone back to has not sent anything yet.
addEventListener('pageshow', () => {
  sending = false;
});
