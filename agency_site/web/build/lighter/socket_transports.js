// Stands for the list of ways in which engine.io-client can reach a server: the site is reached over WebSocket alone
// (`transport` of Reflex), so the code of the others stays away.
import { WS } from "../node_modules/engine.io-client/build/esm/transports/websocket.js";

export const transports = { websocket: WS };
