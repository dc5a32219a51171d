// Shim of mergician (saves 1.3 KB on every page), with which Reflex merges nested styles: the site has none.
export const mergician = (...parts) => Object.assign({}, ...parts);
