// Shim of the transports of engine.io-client (saves 1.3 KB on every page; the budget of /book needs it): the site uses
// WebSocket alone (`transport` of Reflex).
import { WS } from "../node_modules/engine.io-client/build/esm/transports/websocket.js";

export const transports = { websocket: WS };
