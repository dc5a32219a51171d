// The offline page: lists the cached pages, the latest first, and reloads the requested page once the site can be reached,
// which may be some time after the browser reports that it is online.
(async () => {
  const PAUSE_MS = 4000;
  const MOST = 12;
  const reloadWhenReachable = async () => {
    if (document.hidden) return;
    // The worker handles GET only: this request reaches the site.
    const reached = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => undefined);
    if (reached) location.reload();
  };
  if (location.pathname !== "/offline.html") {
    addEventListener("online", reloadWhenReachable);
    setInterval(reloadWhenReachable, PAUSE_MS);
  }
  const name = (await caches.keys()).find((cacheName) => cacheName.endsWith("-pages"));
  if (!name) return;
  const cache = await caches.open(name);
  const requests = (await cache.keys()).reverse().slice(0, MOST);
  const entry = async (request) => {
    const html = await (await cache.match(request)).text();
    const link = document.createElement("a");
    link.href = new URL(request.url).pathname;
    link.className = "link";
    link.textContent = new DOMParser().parseFromString(html, "text/html").title.split(" | ")[0];
    const item = document.createElement("li");
    item.append(link);
    return item;
  };
  const items = await Promise.all(requests.map(entry));
  const place = document.getElementById("kept");
  place.querySelector("ul").append(...items);
  place.hidden = items.length === 0;
})();
