// Shim of universal-cookie: no state of this site uses a cookie.
export default class Cookies {
  get() {}
  remove() {}
  set(name) {
    throw new Error(`A state wants the cookie ${name}: put universal-cookie back (plugin.py)`);
  }
}
