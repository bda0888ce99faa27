// Updates the parts of a page that show a lead when the lead changes elsewhere. Without this module, the person must
// reload the page.

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
