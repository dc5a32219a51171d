// The offline page: lists the pages that this browser keeps, the latest first, and makes way for the page that was asked for
// once the site can be reached, which may be some time after the browser says so.
(async () => {
  const PAUSE_MS = 4000;
  const MOST = 12;
  const look = async () => {
    if (document.hidden) return;
    // The worker answers for GET only: this asks the site.
    const reached = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => undefined);
    if (reached) location.reload();
  };
  if (location.pathname !== "/offline.html") {
    addEventListener("online", look);
    setInterval(look, PAUSE_MS);
  }
  const name = (await caches.keys()).find((each) => each.endsWith("-pages"));
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
