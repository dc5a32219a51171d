// Shim of the transports of engine.io-client: the site uses WebSocket alone (`transport` of Reflex).
import { WS } from "../node_modules/engine.io-client/build/esm/transports/websocket.js";

export const transports = { websocket: WS };
