// Shows changes made elsewhere: the stream only says that something changed, and the page is then loaded again.

// Several changes within a short time cause one request. A failed request is repeated.
const SOON = 250;
const AGAIN = 5_000;
const LONGEST = 60_000;

/**
 * Calls `refresh` soon after a change that `concerns` this page, one call at a time. A call that fails or returns
 * `false` is repeated. Returns a function that requests a call.
 */
export function follow(address, refresh, concerns = () => true) {
  let timer = 0;
  let asking = false;
  let again = false;
  const look = async () => {
    [timer, asking, again] = [0, true, false];
    const done = await refresh().catch(() => false);
    asking = false;
    if (again) later();
    else if (done === false) timer ||= setTimeout(look, AGAIN);
  };
  // A running timer is not restarted, otherwise a stream of changes would postpone it for ever.
  const later = () => {
    if (asking) again = true;
    else timer ||= setTimeout(look, SOON);
  };
  if (!("EventSource" in window)) return later;
  let stream;
  let delay = AGAIN;
  const open = () => {
    stream = new EventSource(address);
    // Also after the first connection, because something may have changed between loading the page and opening the
    // stream.
    stream.addEventListener("hola", () => {
      delay = AGAIN;
      later();
    });
    stream.addEventListener("lead", ({ data }) => concerns(data) && later());
    stream.addEventListener("todo", later);
    // A browser reconnects after a broken stream, but not after a refused one (too many tabs, an error of a proxy).
    stream.addEventListener("error", () => {
      if (stream.readyState !== EventSource.CLOSED) return;
      setTimeout(() => {
        later();
        open();
      }, delay);
      delay = Math.min(delay * 2, LONGEST);
    });
  };
  open();
  addEventListener("pagehide", () => stream.close());
  addEventListener("pageshow", ({ persisted }) => persisted && open());
  return later;
}

/** Loads the current page. Returns nothing if that fails. `leave` is called when the session has ended. */
export async function ask(address, leave = () => {}) {
  // The header says that the person did not send this request, so it does not prolong the session.
  const answer = await fetch(address, { headers: { Accept: "text/html", "Embudo-Sola": "si" } });
  if (answer.redirected) leave();
  if (!answer.ok || answer.redirected) return undefined;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
