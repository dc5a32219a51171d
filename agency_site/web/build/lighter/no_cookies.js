// Stands for universal-cookie: no state of this site keeps anything in a cookie, and no visit sets one.
export default class Cookies {
  get() {}
  remove() {}
  set(name) {
    throw new Error(`A state wants the cookie ${name}: put universal-cookie back (plugin.py)`);
  }
}
