// Published instead of the service worker if AGENCY_SERVICE_WORKER is false: removes the worker's caches and the worker.
const removeWorker = async () => {
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
  await self.registration.unregister();
};
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(removeWorker()));
