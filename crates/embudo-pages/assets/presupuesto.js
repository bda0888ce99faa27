// The quote's page works without this module. It prevents a form from being sent twice, hides the bottom bar, and
// updates the total.

import { compareAll } from './comparador.js';
import './errores.js';
import './opciones.js';

compareAll();

for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    const button = form.querySelector('button');
    if (button.getAttribute('aria-disabled') === 'true') event.preventDefault();
    button.setAttribute('aria-disabled', 'true');
  });
}
// A page that the browser restores from memory may be answered again.
window.addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[aria-disabled]')) button.removeAttribute('aria-disabled');
});

// The bar at the bottom repeats the summary and leads to the answer. It is hidden while one of them is visible.
const bar = document.querySelector('.barra');
if (bar && 'IntersectionObserver' in window) {
  const seen = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
    bar.classList.toggle('fuera', seen.size > 0);
  });
  for (const part of document.querySelectorAll('.resumen-total, #respuesta')) watcher.observe(part);
}
