// Registers the service worker when the page is loaded and the browser idle. This hydrates nothing and opens no socket.
(() => {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  // Without it the page is as it was.
  const register = () => workers.register("/service-worker.js").catch(() => {});
  addEventListener("load", () => {
    // With an end: a browser that has nothing to draw may not be idle for minutes.
    if ("requestIdleCallback" in window) requestIdleCallback(register, { timeout: 10_000 });
    else setTimeout(register, 1000);
  });
  // The worker did not see the page that was open before it.
  const parts = () => {
    const addresses = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    return addresses.filter(({ origin, search }) => origin === location.origin && !search).map(({ pathname }) => pathname);
  };
  const report = () => workers.controller?.postMessage({ opened: location.pathname, parts: parts() });
  workers.addEventListener("controllerchange", report);
  // Scripts that were on their way when the worker came were seen by neither.
  addEventListener("hydrated", report);
})();
