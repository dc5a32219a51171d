// Caches pages that a visitor has opened, for reading without a network. It prefetches only the offline page.
//
// Publishing writes `SITE` in front of it: the version of the site, its public pages, the files of the offline page, the
// folders of pictures, fonts and styles, and the paths to ignore. A page is cached only if it is listed there. See docs/decisions/0014-service-worker.md.
const PATIENCE_MS = 3000;
const MOST_FILES = 150;
const [SHELL, PAGES, ASSETS, FILES] = ["shell", "pages", "assets", "files"].map((kind) => `${SITE.version}-${kind}`);

const never = (path) => SITE.never.some((start) => path.toLowerCase().startsWith(start));
const isPage = (path) => SITE.pages.includes(path);
// Names of assets and addresses of uploaded pictures have a hash of their content; names of other files do not.
const cacheFor = (path) => {
  if (never(path)) return undefined;
  if (path.startsWith("/assets/") || (path.startsWith("/pictures/") && !path.endsWith("/share.jpg"))) return ASSETS;
  const file = SITE.files.some((start) => path.startsWith(start)) || SITE.shell.includes(path);
  return file ? FILES : undefined;
};

const kept = async (path, ...names) => {
  for (const cacheName of names) {
    const cached = await caches.match(path, { cacheName, ignoreVary: true });
    if (cached) return cached;
  }
  return undefined;
};
const mayBeKept = ({ status, type, redirected, headers }) =>
  status === 200 && type === "basic" && !redirected && !/no-store|private(?!=)/.test(headers.get("cache-control"));
const store = async (name, path, answer) => {
  try {
    const cache = await caches.open(name);
    await cache.put(path, answer);
    if (name !== FILES) return;
    const oldest = (await cache.keys()).slice(0, -MOST_FILES);
    await Promise.all(oldest.map((key) => cache.delete(key)));
  } catch {
    // The disk is full: show the page without caching it.
  }
};

// Requests of back-office pages and private pages are not cached, not even their code. Navigations are always allowed here:
// their client is the previous page, which says nothing about the new one.
const asksForPublic = async ({ clientId, request }) => {
  if (request.mode === "navigate") return true;
  const client = clientId && (await clients.get(clientId));
  return Boolean(client) && !never(new URL(client.url).pathname);
};
const fetched = async (event, name, path) => {
  // Look up the client now, because its page may be closed when the response arrives.
  const forPublic = asksForPublic(event);
  const answer = await fetch(event.request);
  if (!mayBeKept(answer)) return answer;
  const copy = answer.clone();
  event.waitUntil(forPublic.then((is) => is && store(name, path, copy)));
  return answer;
};

// The current page, or the cached one if the network is slow.
const page = async (event, path) => {
  if (!isPage(path)) return fetch(event.request).catch(() => kept(SITE.offline, SHELL));
  const network = fetched(event, PAGES, path);
  const copy = await kept(path, PAGES);
  if (!copy) return network.catch(() => kept(SITE.offline, SHELL));
  event.waitUntil(network.catch(() => {}));
  const answered = network.then((answer) => (answer.status >= 500 ? copy : answer), () => copy);
  const waited = new Promise((done) => setTimeout(() => done(copy), PATIENCE_MS));
  return Promise.race([answered, waited]);
};
const asset = async (event, path) => (await kept(path, ASSETS)) ?? fetched(event, ASSETS, path);
// The cached response at once, the current one next time.
const file = async (event, path) => {
  const network = fetched(event, FILES, path);
  const copy = await kept(path, FILES, SHELL);
  if (!copy) return network;
  event.waitUntil(network.catch(() => {}));
  return copy;
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin || request.headers.has("range")) return;
  if (never(pathname)) return;
  if (request.mode === "navigate") {
    event.respondWith(page(event, pathname));
    return;
  }
  const name = search ? undefined : cacheFor(pathname);
  if (name) event.respondWith(name === ASSETS ? asset(event, pathname) : file(event, pathname));
});

// Caches a page that was opened before this worker took over. `parts` are the files that the page has loaded, so they are in the
// browser's own cache. `force-cache` reads them from there in every engine; WebKit sends `only-if-cached` to the network.
const keepPart = async (path) => {
  const name = cacheFor(path);
  if (!name || (await kept(path, name, SHELL))) return;
  const answer = await fetch(path, { cache: "force-cache" }).catch(() => undefined);
  if (answer && mayBeKept(answer)) await store(name, path, answer);
};
const keep = async (path, parts) => {
  if (!isPage(path)) return;
  await Promise.all(parts.map(keepPart));
  if (await kept(path, PAGES)) return;
  const answer = await fetch(path).catch(() => undefined);
  if (answer && mayBeKept(answer)) await store(PAGES, path, answer);
};
const areTexts = (values) => Array.isArray(values) && values.every((value) => typeof value === "string");
self.addEventListener("message", (event) => {
  const { opened, parts } = event.data ?? {};
  if (typeof opened === "string" && areTexts(parts)) event.waitUntil(keep(opened, parts));
});

// A new version takes over at once: pages are fetched from the network first, and the content of an asset never changes.
self.addEventListener("install", (event) => {
  self.skipWaiting();
  const wanted = SITE.shell.map((path) => new Request(path, { cache: "no-cache" }));
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(wanted)));
});
const removeOldCaches = async () => {
  const old = (await caches.keys()).filter((name) => !name.startsWith(SITE.version));
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
};
self.addEventListener("activate", (event) => event.waitUntil(removeOldCaches()));
