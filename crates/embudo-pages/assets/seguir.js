// Parts of a page that follow a lead: what changes elsewhere shows here. Without it, the page shows it when it is loaded again.

import { ask, follow } from './vivo.js';

const part = document.querySelector('[data-sigue-lead]');

async function refresh() {
  const page = await ask(new URL(part.dataset.pagina, location.href));
  if (!page) return false;
  for (const old of document.querySelectorAll('[data-sigue-lead]')) {
    const fresh = page.getElementById(old.id);
    if (fresh) old.replaceWith(document.adoptNode(fresh));
  }
  return true;
}

if (part) follow('/panel/vivo', refresh, (lead) => lead === part.dataset.sigueLead);
