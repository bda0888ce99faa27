// What changes elsewhere shows here: the stream says that something did, and the page is asked for again.

/** Calls `refresh` soon after something changed that `concerns` this page; several changes at once are one. Gives what asks for it. */
export function follow(address, refresh, concerns = () => true) {
  let waiting = 0;
  const later = () => {
    clearTimeout(waiting);
    waiting = setTimeout(refresh, 250);
  };
  if (!("EventSource" in window)) return later;
  const stream = new EventSource(address);
  // Also the first time: something may have changed between the page and its stream.
  stream.addEventListener("hola", later);
  stream.addEventListener("lead", ({ data }) => concerns(data) && later());
  stream.addEventListener("todo", later);
  addEventListener("pagehide", () => stream.close());
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
