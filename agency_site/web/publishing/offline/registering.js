// Registers the service worker once the page is loaded and the browser idle. This starts no hydration and opens no socket.
(() => {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  // If it fails, the page works as before.
  const register = () => workers.register("/service-worker.js").catch(() => {});
  addEventListener("load", () => {
    // With a timeout, because a browser without anything to draw may not call back for minutes.
    if ("requestIdleCallback" in window) requestIdleCallback(register, { timeout: 10_000 });
    else setTimeout(register, 1000);
  });
  // The worker has not seen the requests of pages that were open before it.
  const parts = () => {
    const addresses = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    return addresses.filter(({ origin, search }) => origin === location.origin && !search).map(({ pathname }) => pathname);
  };
  const report = () => workers.controller?.postMessage({ opened: location.pathname, parts: parts() });
  workers.addEventListener("controllerchange", report);
  // Scripts that were loading when the worker took over are in neither report nor cache yet.
  addEventListener("hydrated", report);
})();
