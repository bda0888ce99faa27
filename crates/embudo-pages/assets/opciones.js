// Ticking an option updates the total: the server renders the page with the chosen options, and the new amounts replace
// the old ones.

const boxes = [...document.querySelectorAll('input[name="opcion"]:not(:disabled)')];
const button = document.querySelector('.actualizar');
const trouble = document.querySelector('#sin-total');
let running;

if (boxes.length > 0 && button) {
  button.hidden = true;
  for (const box of boxes) box.addEventListener('change', follow);
  // After going back, the browser may restore other ticks than those for which the page was rendered.
  window.addEventListener('pageshow', () => {
    if (boxes.some((box) => box.checked !== box.defaultChecked)) follow();
  });
}

async function follow() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const timer = setTimeout(() => mine.abort(), 10_000);
  const shown = [...document.querySelectorAll('[data-sigue]')];
  for (const part of shown) part.classList.add('cambia');
  try {
    const query = new URLSearchParams(boxes.filter((box) => box.checked).map((box) => ['opcion', box.value]));
    const address = query.size > 0 ? `${location.pathname}?${query}` : location.pathname;
    const answer = await fetch(address, { signal: mine.signal });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of shown) take(part, page.getElementById(part.id));
    history.replaceState(null, '', address);
    document.querySelector('#total-dicho').textContent = `Total: ${document.querySelector('#s-total').textContent}`;
    button.hidden = true;
    trouble.hidden = true;
  } catch {
    // Another choice was made meanwhile, or the server cannot be reached. In the second case the plain button does the
    // same.
    if (running !== mine) return;
    button.hidden = false;
    trouble.hidden = false;
  } finally {
    clearTimeout(timer);
    if (running === mine) for (const part of document.querySelectorAll('.cambia')) part.classList.remove('cambia');
  }
}

// Boxes that the client ticked in a part stay ticked.
function take(part, fresh) {
  const ticked = new Set([...part.querySelectorAll('input:checked')].map((input) => input.name));
  part.replaceChildren(...(fresh ? document.importNode(fresh, true).childNodes : []));
  for (const input of part.querySelectorAll('input[type="checkbox"]')) input.checked = ticked.has(input.name);
}
