// What the back office needs of a browser beyond the shared behaviours. Loaded by its own pages only.
import { useEffect } from "react";
import { app } from "$/utils/context-registry";

/** Makes the back office's states known to the page, before anything is drawn: public pages do not carry them. */
export function knowStates(initial) {
  for (const [name, values] of Object.entries(initial)) app.initialState[name] ??= values;
}

/** Leaves for `to` as soon as it is not empty, with a full load: the answer may bring another session. */
export function Leave({ to }) {
  useEffect(() => {
    if (to) window.location.assign(to);
  }, [to]);
  return null;
}

export function OfficeStates() {
  return null;
}
