// Published in the service worker's place when AGENCY_SERVICE_WORKER is false: removes what the worker kept, and the worker.
const leave = async () => {
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
  await self.registration.unregister();
};
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(leave()));
