// A Vite plugin for development: listens on AGENCY_HOST, shows compilation errors, and records the modules of loaded pages,
// newest first, so that after a change they are compiled before all others (recompile.py).
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const KEPT = 3;

export default function openPages() {
  let open = [];
  return {
    name: "open-pages",
    // React Router would listen on every network, but the outbox with its private links must stay on this machine. The back end
    // draws private pages.
    config: () => {
      const drawn = JSON.parse(process.env.PRIVATE_PATHS).map((path) => [path, process.env.REFLEX_API_URL]);
      return { server: { host: process.env.AGENCY_HOST, proxy: Object.fromEntries(drawn) } };
    },
    configureServer(server) {
      const failure = fileURLToPath(new URL("../failed_compilation.json", import.meta.url));
      server.watcher.add(failure);
      const show = (path) => {
        if (path === failure) server.ws.send({ type: "error", err: { plugin: "agency_site", ...JSON.parse(readFileSync(path, "utf8")) } });
      };
      // An empty update closes the overlay.
      const close = (path) => path === failure && server.ws.send({ type: "update", updates: [] });
      server.watcher.on("add", show).on("change", show).on("unlink", close);
      server.ws.on("connection", () => existsSync(failure) && show(failure));
      server.middlewares.use((request, _response, next) => {
        const [, name] = decodeURI(request.url).match(/^\/app\/routes\/([^/?]+\.jsx)/) ?? [];
        if (name) {
          open = [name, ...open.filter((other) => other !== name)].slice(0, KEPT);
          writeFileSync(new URL("./open_pages.json", import.meta.url), JSON.stringify(open));
        }
        next();
      });
    },
  };
}
