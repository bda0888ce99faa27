// What changes elsewhere shows here: the stream says that something did, and the page is asked for again.

// Several changes at once are one question; what could not be had is asked for again.
const SOON = 250;
const AGAIN = 5_000;
const LONGEST = 60_000;

/**
 * Calls `refresh` soon after something changed that `concerns` this page, one call at a time. A call that fails or gives `false` comes
 * again. Gives what asks for one.
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
  // A timer that runs is left alone: a stream of changes must not put it off for ever.
  const later = () => {
    if (asking) again = true;
    else timer ||= setTimeout(look, SOON);
  };
  if (!("EventSource" in window)) return later;
  let stream;
  let delay = AGAIN;
  const open = () => {
    stream = new EventSource(address);
    // Also the first time: something may have changed between the page and its stream.
    stream.addEventListener("hola", () => {
      delay = AGAIN;
      later();
    });
    stream.addEventListener("lead", ({ data }) => concerns(data) && later());
    stream.addEventListener("todo", later);
    // A browser comes back after a stream that broke off, but not after one that was refused (too many tabs, a proxy's error).
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

/** A page as it is now; nothing where it cannot be had. `leave`: the session is over. */
export async function ask(address, leave = () => {}) {
  // Nobody asked for it: it does not keep the session open.
  const answer = await fetch(address, { headers: { Accept: "text/html", "Embudo-Sola": "si" } });
  if (answer.redirected) leave();
  if (!answer.ok || answer.redirected) return undefined;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
