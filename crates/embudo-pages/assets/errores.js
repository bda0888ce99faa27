// A form with errors: moves the focus to the first error and opens the fold that hides it. Without this module, the
// summary or the field itself has the browser's own `autofocus`.

const FIELDS = 'input:not([type="hidden"]), select, textarea, button, [tabindex]';

// Opens the folds around a part of the page, and moves the focus there.
function reach(hash) {
  const part = document.getElementById(decodeURIComponent(hash.slice(1)));
  if (!part) return;
  for (let around = part; around; around = around.parentElement) {
    if (around.tagName === 'DETAILS') around.open = true;
  }
  (part.matches(FIELDS) ? part : part.querySelector(FIELDS))?.focus();
}

const LINKS = '.resumen-errores a[href^="#"], .cuentas-fallos a[href^="#"]';
const first = document.querySelector('.resumen-errores a[href^="#"]');
if (first) {
  reach(first.hash);
} else if (location.hash) {
  // A link of another page led to a field that must be corrected.
  const part = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (part?.matches('input, select, textarea')) reach(location.hash);
}

document.addEventListener('click', (event) => {
  const link = event.target.closest?.(LINKS);
  if (!link) return;
  event.preventDefault();
  reach(link.hash);
});
