// Notices on this device: turns them on and off, if the browser can show them.

const section = document.querySelector("[data-avisos]");
if (section) start();

async function start() {
  const says = section.querySelector("[data-estado]");
  const form = section.querySelector("[data-activar]");
  if (!window.isSecureContext) return tell("Entra por https para activar los avisos aquí.");
  if (!("serviceWorker" in navigator && "PushManager" in window && "Notification" in window)) {
    return tell("Este navegador no muestra avisos web.");
  }
  const registration = await navigator.serviceWorker.register("/panel/sw.js", { scope: "/panel/" });
  const current = await registration.pushManager.getSubscription();
  const row = current && find(current);
  if (row) {
    row.querySelector("[data-este]").hidden = false;
    row.querySelector("form").addEventListener("submit", (event) => remove(event, current));
    return tell("Activados en este dispositivo.");
  }
  if (Notification.permission === "denied") {
    return tell("Este navegador tiene bloqueados los avisos de esta página: permítelos en sus ajustes y vuelve a cargarla.");
  }
  tell("Aún no están activados en este dispositivo.");
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const made = await subscribe(registration);
      form.elements.endpoint.value = made.endpoint;
      form.elements.p256dh.value = encoded(made.getKey("p256dh"));
      form.elements.auth.value = encoded(made.getKey("auth"));
      form.submit();
    } catch {
      button.disabled = false;
      tell(
        Notification.permission === "granted"
          ? "El navegador no ha podido activar los avisos. Comprueba la conexión y prueba otra vez."
          : "Sin permiso no podemos avisarte. Pulsa otra vez y elige «Permitir».",
      );
    }
  });

  function tell(text) {
    says.textContent = text;
  }
}

async function subscribe(registration) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("refused");
  await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: decoded(section.dataset.avisos) };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    // An old subscription may use the key of an earlier server. It must be removed first.
    const old = await registration.pushManager.getSubscription();
    if (!old) throw error;
    await old.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

// The entry of this browser in the list.
function find(subscription) {
  const key = encoded(subscription.getKey("p256dh"));
  return [...section.querySelectorAll("[data-dispositivo]")].find((row) => row.dataset.dispositivo === key);
}

async function remove(event, subscription) {
  event.preventDefault();
  // The server forgets the device even if this fails.
  await subscription.unsubscribe().catch(() => {});
  event.target.submit();
}

function encoded(buffer) {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decoded(text) {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}
