// Photos open over the page instead of leaving it, and a button pressed twice is pressed once. Everything works without.

const links = [...document.querySelectorAll('a.luz')];

/** The one window in which photos are seen large. */
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
    show(links.indexOf(link));
    dialog.showModal();
  };
}

if (links.length > 0 && 'HTMLDialogElement' in window) {
  const open = lightbox();
  for (const link of links) {
    link.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open(link);
    });
  }
}

for (const form of document.querySelectorAll('.lead form')) {
  form.addEventListener('submit', (event) => {
    const button = form.querySelector('button');
    if (button.getAttribute('aria-disabled') === 'true') event.preventDefault();
    button.setAttribute('aria-disabled', 'true');
  });
}
// A page that comes back from the browser's memory may be used again.
window.addEventListener('pageshow', () => {
  for (const button of document.querySelectorAll('button[aria-disabled]')) button.removeAttribute('aria-disabled');
});
