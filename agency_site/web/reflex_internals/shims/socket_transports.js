// Shim of the transports of engine.io-client (saves 2 KB on every page): the site uses WebSocket alone (`transport` of Reflex).
import { WS } from "../node_modules/engine.io-client/build/esm/transports/websocket.js";

export const transports = { websocket: WS };
export const XHR = undefined;
