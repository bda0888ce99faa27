// A form with unsaved changes: shows that they are not saved, and makes the browser ask before they are lost.

const form = document.querySelector('form[data-sin-guardar]');
const told = form.querySelector('[data-dicho]');
let dirty = form.dataset.sinGuardar !== '0';
let sending = false;
// Fields that only search, choose what is shown, or try prices are not changes.
const LOOKING = '#q, #capitulo, #mirar, [name^="prueba."]';

const leaving = (event) => {
  if (!sending) event.preventDefault();
};

function watch() {
  // The listener exists only while there are changes, because browsers do not keep a page with this listener in memory
  // for going back.
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

// A page that the browser restores from memory has not been sent yet.
addEventListener('pageshow', () => {
  sending = false;
});
