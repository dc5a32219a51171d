// Caches what a visitor has opened, for when there is no network. It prefetches nothing but the offline page.
//
// `SITE`, which publishing writes in front, holds the version of the site, its public pages, the files of
// the offline page, the folders of pictures, fonts and styles, and the paths that it ignores. A page is cached only when it is
// named there. See docs/decisions/0014-service-worker.md.
const PATIENCE_MS = 3000;
const MOST_FILES = 150;
const [SHELL, PAGES, ASSETS, FILES] = ["shell", "pages", "assets", "files"].map((kind) => `${SITE.version}-${kind}`);

const never = (path) => SITE.never.some((start) => path.toLowerCase().startsWith(start));
const isPage = (path) => SITE.pages.includes(path);
// Names of assets carry a hash of their content; those of other files do not.
const cacheFor = (path) => {
  if (never(path)) return undefined;
  if (path.startsWith("/assets/")) return ASSETS;
  const file = SITE.files.some((start) => path.startsWith(start)) || SITE.shell.includes(path);
  return file ? FILES : undefined;
};

const kept = async (path, ...names) => {
  for (const cacheName of names) {
    const found = await caches.match(path, { cacheName, ignoreVary: true });
    if (found) return found;
  }
  return undefined;
};
const mayBeKept = ({ status, type, redirected, headers }) =>
  status === 200 && type === "basic" && !redirected && !/no-store|private/.test(headers.get("cache-control"));
const store = async (name, path, answer) => {
  try {
    const cache = await caches.open(name);
    await cache.put(path, answer);
    if (name !== FILES) return;
    const oldest = (await cache.keys()).slice(0, -MOST_FILES);
    await Promise.all(oldest.map((key) => cache.delete(key)));
  } catch {
    // The disk is full: the page is shown without being cached.
  }
};

// Nothing that staff's pages and private pages request is cached, not even their code. A page itself is requested by the
// one before it, which says nothing about it.
const asksForPublic = async ({ clientId, request }) => {
  if (request.mode === "navigate") return true;
  const client = clientId && (await clients.get(clientId));
  return Boolean(client) && !never(new URL(client.url).pathname);
};
const fetched = async (event, name, path) => {
  // Looked up at once: by the time of the response the page that wanted it may be gone.
  const forPublic = asksForPublic(event);
  const answer = await fetch(event.request);
  if (!mayBeKept(answer)) return answer;
  const copy = answer.clone();
  event.waitUntil(forPublic.then((is) => is && store(name, path, copy)));
  return answer;
};

// The newest page, or after a while the cached one.
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

// A page that was opened before this worker came. `parts` are what the page has loaded, so that nothing is fetched for this that
// was not seen: the browser has it in its own cache. Only `force-cache` asks every engine to take it from there: WebKit sends
// `only-if-cached` to the network.
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
const areTexts = (found) => Array.isArray(found) && found.every((one) => typeof one === "string");
self.addEventListener("message", (event) => {
  const { opened, parts } = event.data ?? {};
  if (typeof opened === "string" && areTexts(parts)) event.waitUntil(keep(opened, parts));
});

// A new version takes over at once: it responds with the newest page anyway, and an asset's name never has two contents.
self.addEventListener("install", (event) => {
  self.skipWaiting();
  const wanted = SITE.shell.map((path) => new Request(path, { cache: "no-cache" }));
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(wanted)));
});
const settleIn = async () => {
  const old = (await caches.keys()).filter((name) => !name.startsWith(SITE.version));
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.clients.claim();
};
self.addEventListener("activate", (event) => event.waitUntil(settleIn()));
