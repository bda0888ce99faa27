// Shows the results of a search box while a person types. Without this module, the button loads the same page.

const box = document.querySelector("input[data-encoge]");

let last = 0;
const narrow = async () => {
  const mine = ++last;
  const asked = new URLSearchParams(new FormData(box.form));
  const answer = await fetch(`${box.form.action}?${asked}`, { headers: { Accept: "text/html" } });
  if (mine !== last || !answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(box.dataset.encoge);
  if (mine === last && fresh) document.getElementById(box.dataset.encoge)?.replaceWith(document.adoptNode(fresh));
};

let waiting = 0;
box?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(narrow, 150);
});
