// Shows push messages, and opens their page when they are touched. It keeps no copy of a page, because the pages of the
// panel are private.

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const told = read(event.data);
  const shown = { body: told.texto, tag: told.marca, renotify: Boolean(told.marca), icon: "ICONO", lang: "es", data: { ruta: told.ruta } };
  event.waitUntil(self.registration.showNotification(told.titulo ?? "Hay novedades en el panel", shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(address(event.notification.data?.ruta)));
});

// Browsers require that every push shows something, even if it cannot be read.
function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

// The address of a page of the panel. Any other address in the message is replaced.
function address(path) {
  const url = new URL(path ?? "/panel", self.location.origin);
  const isOwn = url.origin === self.location.origin && url.pathname.startsWith("/panel");
  return isOwn ? url.href : new URL("/panel", self.location.origin).href;
}

async function open(href) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((window) => window.url === href);
  return there ? there.focus() : self.clients.openWindow(href);
}
