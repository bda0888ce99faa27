// Opens photos over the page, switches parts of the page without loading it again, shows changes made elsewhere, and
// ignores a second press of a button. The page works without this module.

import { compareAll } from './comparador.js';
import { ask, follow } from './vivo.js';

const photos = () => [...document.querySelectorAll('a.luz')];

/** The only window that shows photos large. */
function lightbox() {
  const dialog = document.createElement('dialog');
  dialog.className = 'visor';
  dialog.setAttribute('aria-label', 'Foto');
  const picture = document.createElement('img');
  const caption = document.createElement('p');
  const button = (label, text, act) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'boton-2';
    made.setAttribute('aria-label', label);
    made.textContent = text;
    made.addEventListener('click', act);
    return made;
  };
  let at = 0;
  const show = (wanted) => {
    const links = photos();
    at = (wanted + links.length) % links.length;
    picture.src = links[at].href;
    picture.alt = links[at].dataset.pie;
    caption.textContent = `${links[at].dataset.pie} (${at + 1} de ${links.length})`;
  };
  const bar = document.createElement('div');
  bar.className = 'visor-barra';
  bar.append(
    button('Anterior', '‹', () => show(at - 1)),
    caption,
    button('Siguiente', '›', () => show(at + 1)),
    button('Cerrar', '×', () => dialog.close()),
  );
  dialog.append(picture, bar);
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowLeft') show(at - 1);
    if (event.key === 'ArrowRight') show(at + 1);
  });
  document.body.append(dialog);
  return (link) => {
    show(photos().indexOf(link));
    dialog.showModal();
  };
}

if ('HTMLDialogElement' in window) {
  let open;
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a.luz');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open ??= lightbox();
    open(link);
  });
}

const main = document.querySelector('main.lead');
const tabs = [...document.querySelectorAll('.lead-pestana')];
const partOf = (tab) => new URL(tab.href).searchParams.get('parte');

/** Shows one part of the page, on screens that show one at a time. */
function show(part) {
  for (const tab of tabs) {
    main.classList.toggle(`lead-${partOf(tab)}`, partOf(tab) === part);
    if (partOf(tab) === part) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
  }
}

/** The part that contains an element. */
function partWith(element) {
  const name = element?.closest('.lead-parte')?.className.match(/parte-(\w+)/);
  return name?.[1];
}

if (main && tabs.length > 0) {
  main.classList.remove('sin-guion');
  for (const tab of tabs) {
    tab.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(partOf(tab));
      history.replaceState(null, '', tab.href);
    });
  }
  const follow = () => {
    const part = location.hash.length > 1 && partWith(document.getElementById(location.hash.slice(1)));
    if (part) show(part);
  };
  follow();
  addEventListener('hashchange', follow);
}

// A link to a form of this page opens the form without loading the page.
document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-abre]');
  const form = link && document.getElementById(link.dataset.abre);
  if (!form || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const mode = document.getElementById(`modo-${link.dataset.abre}`);
  if (mode) mode.checked = true;
  const part = partWith(form);
  if (part) show(part);
  for (let at = form; at; at = at.parentElement) if (at.matches('details')) at.open = true;
  form.scrollIntoView({ block: 'nearest' });
  form.querySelector('textarea, input:not([type=hidden]), select, a')?.focus({ preventScroll: true });
});

// Shows changes made elsewhere, except in parts that a person points at, scrolls back in or types into: nothing moves
// under the pointer.
const thread = document.getElementById('hilo');
const followed = new Set(thread?.dataset.leads.split(' '));
let news = null;
// A part is replaced only when the server's HTML for it changes, so that changes by scripts and unfolded parts stay.
const LIVE = ['#fichas', '#cifras', '.parte-fotos', '.parte-presupuesto', '.parte-visita', '.parte-datos'];
const written = new Map(LIVE.map((part) => [part, document.querySelector(part)?.outerHTML]));
compareAll();

/** Whether a person is using a part of the page. */
const isBusy = (element) =>
  element.contains(document.activeElement) || (matchMedia('(hover: hover)').matches && element.matches(':hover')) || element.querySelector('details[open]') !== null;
const isReadBack = () => Math.abs(thread.scrollTop) > 24;

/** Shows the new contents where they do not disturb the person. `asked`: the person wants to see them. */
function settle(asked) {
  if (!news) return;
  for (const part of LIVE) {
    const old = document.querySelector(part);
    const fresh = news.querySelector(part);
    if (!old || !fresh || fresh.outerHTML === written.get(part) || isBusy(old)) continue;
    written.set(part, fresh.outerHTML);
    old.replaceWith(document.adoptNode(fresh));
    compareAll();
  }
  const counts = news.querySelectorAll('.lead-pestana');
  tabs.forEach((tab, n) => counts[n] && (tab.innerHTML = counts[n].innerHTML));
  const inside = thread.querySelector('.hilo-dentro');
  const newer = news.querySelector('#hilo .hilo-dentro');
  if (!newer || (!asked && (isBusy(thread) || isReadBack()))) {
    if (newer && newer.textContent !== inside.textContent) tell(true);
    return;
  }
  // If the text is the same, the old part stays, with what the person unfolded in it.
  if (newer.textContent === inside.textContent) {
    tell(false);
    return;
  }
  inside.replaceWith(document.adoptNode(newer));
  if (asked) thread.scrollTop = 0;
  tell(false);
}

/** A button over the end of the timeline. It takes no space of its own. */
function tell(isNew) {
  const before = document.querySelector('.hilo-nuevo');
  if (!isNew) before?.remove();
  if (!isNew || before) return;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'boton-2 hilo-nuevo';
  button.textContent = 'Hay novedades';
  button.addEventListener('click', () => settle(true));
  thread.parentElement.append(button);
}

async function refresh() {
  // Loading the page marks the lead as read, so a hidden page waits until it is visible.
  if (document.hidden) {
    document.addEventListener('visibilitychange', later, { once: true });
    return true;
  }
  // After a refused form, the browser's address is that of the form, which cannot be loaded.
  const address = new URL(thread.dataset.pagina, location.href);
  if (address.pathname === location.pathname) address.search = location.search;
  address.searchParams.delete('hecho');
  const page = await ask(address);
  if (!page) return false;
  news = page;
  settle(false);
  document.dispatchEvent(new CustomEvent('pagina', { detail: news }));
  return true;
}

let later;
if (thread) {
  later = follow(thread.dataset.vivo, refresh, (lead) => followed.has(lead));
  // The person has finished using a part.
  for (const left of ['pointerout', 'focusout']) main.addEventListener(left, () => setTimeout(() => settle(false)));
}

document.addEventListener('submit', (event) => {
  const button = event.submitter ?? event.target.querySelector('button');
  if (!button) return;
  if (button.getAttribute('aria-disabled') === 'true') event.preventDefault();
  button.setAttribute('aria-disabled', 'true');
});
// After going back with the browser, all buttons work again.
window.addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[aria-disabled]')) button.removeAttribute('aria-disabled');
});
