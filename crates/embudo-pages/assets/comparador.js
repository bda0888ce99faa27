// Lays the picture after the work over the picture before it, with a handle to compare them. Without this module the
// pictures are side by side.

/** How far an arrow key moves the handle, in per cent. */
const STEP = 2;

/** Turns two pictures side by side into one with a handle. */
function compare(box) {
  const [before, after] = box.querySelectorAll('.cuadro');
  if (!before || !after) return;
  const handle = document.createElement('div');
  handle.className = 'asa';
  handle.tabIndex = 0;
  handle.setAttribute('role', 'slider');
  handle.setAttribute('aria-label', `Comparar antes y después: ${box.dataset.nombre}`);
  handle.setAttribute('aria-valuemin', '0');
  handle.setAttribute('aria-valuemax', '100');
  // The label of a generated picture must stay visible when the picture is cut.
  box.append(after.querySelector('figcaption'), handle);
  box.classList.add('activo');

  let position = 50;
  const place = (wanted) => {
    position = Math.min(100, Math.max(0, wanted));
    box.style.setProperty('--corte', `${position}%`);
    const shown = Math.round(position);
    handle.setAttribute('aria-valuenow', String(shown));
    handle.setAttribute('aria-valuetext', `${shown} % de antes, ${100 - shown} % de después`);
  };
  place(50);

  const follow = (event) => {
    const frame = box.getBoundingClientRect();
    place(((event.clientX - frame.left) / frame.width) * 100);
  };
  box.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    box.setPointerCapture(event.pointerId);
    box.classList.add('arrastra');
    handle.focus({ preventScroll: true });
    follow(event);
  });
  // A press beside the handle must not take the focus from it, because the handle needs the focus for the arrow keys.
  box.addEventListener('mousedown', (event) => event.preventDefault());
  box.addEventListener('pointermove', (event) => {
    if (box.hasPointerCapture(event.pointerId)) follow(event);
  });
  for (const end of ['pointerup', 'pointercancel']) {
    box.addEventListener(end, () => box.classList.remove('arrastra'));
  }
  handle.addEventListener('keydown', (event) => {
    const moves = {
      ArrowLeft: -STEP, ArrowDown: -STEP, ArrowRight: STEP, ArrowUp: STEP,
      PageDown: -5 * STEP, PageUp: 5 * STEP, Home: -100, End: 100,
    };
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    place(position + move);
  });
}

/** Compares the pictures on the page that are not compared yet. */
export function compareAll() {
  for (const box of document.querySelectorAll('.comparador:not(.activo)')) compare(box);
}
