// Shim of Reflex's upload (saves 0.5 KB on every page): no page of this site has an rx.upload.
export function uploadFiles() {
  throw new Error("An event uploads files: remove this shim (module_shims.py)");
}
