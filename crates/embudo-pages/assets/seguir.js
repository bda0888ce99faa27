// Parts of a page that follow a lead: what changes elsewhere shows here. Without it, the page shows it when it is loaded again.

const parts = [...document.querySelectorAll('[data-sigue-lead]')];

let waiting = 0;
const later = () => {
  clearTimeout(waiting);
  waiting = setTimeout(refresh, 250);
};

async function refresh() {
  const address = new URL(parts[0].dataset.pagina, location.href);
  // Nobody asked for it: it does not keep the session open.
  const answer = await fetch(address, { headers: { Accept: 'text/html', 'Embudo-Sola': 'si' } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-sigue-lead]')) {
    const fresh = page.getElementById(part.id);
    if (fresh) part.replaceWith(document.adoptNode(fresh));
  }
}

if (parts.length > 0 && 'EventSource' in window) {
  const stream = new EventSource('/panel/vivo');
  const lead = parts[0].dataset.sigueLead;
  // What happened between the page and the stream is asked for once.
  stream.addEventListener('hola', later);
  stream.addEventListener('lead', ({ data }) => data === lead && later());
  stream.addEventListener('todo', later);
  addEventListener('pagehide', () => stream.close());
}
