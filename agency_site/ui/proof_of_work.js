// Fetches challenges and solves them in a worker. Loaded when a form first gets focus.
const ANSWER_MS = 10000;
const AGAIN_MS = 10000; // The same values may be sent again with their proof within this time.
const SPARE_MS = 60000; // A proof is discarded so long before it expires, because the request takes time.

let worker = null;

/** An error whose message is shown to the visitor. */
function visitorError(message) {
  return Object.assign(new Error(message), { isForVisitor: true });
}

async function fetchChallenge(address) {
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
  if (answer.ok) return answer.json();
  if (answer.status >= 500) throw new Error("away");
  const body = await answer.json().catch(() => ({}));
  throw visitorError(body.message ?? "The form could not be sent. What you typed is still here. Please reload the page.");
}

function solve({ parameters }) {
  worker ??= new Worker(new URL("./solver.js", import.meta.url), { type: "module" });
  return new Promise((done, fail) => {
    const listen = ({ data }) => {
      if (data.nonce !== parameters.nonce) return;
      stop();
      if (data.solution) done(data.solution);
      else fail(visitorError("Your browser could not do the small sum that keeps programs out. Please reload the page."));
    };
    const broken = () => {
      stop();
      worker = null;
      // As Vite reports a chunk that is gone since an upgrade: the page is reloaded (`web/build/hydration.js`).
      window.dispatchEvent(new Event("vite:preloadError"));
      fail(new Error("away"));
    };
    const stop = () => {
      worker?.removeEventListener("message", listen);
      worker?.removeEventListener("error", broken);
    };
    worker.addEventListener("message", listen);
    worker.addEventListener("error", broken);
    worker.postMessage(parameters);
  });
}

function after(moment) {
  return new Promise((done) => setTimeout(done, Math.max(0, moment - performance.now())));
}

/** Finds proofs for one form, each for one submit. */
export function makeProver(address) {
  let made = null;
  let making = null;
  let sent = null;

  const fresh = () => made !== null && performance.now() < made.until;
  const make = async () => {
    const challenge = await fetchChallenge(address);
    const got = performance.now();
    const { parameters, signature, minimum, lifetime } = challenge;
    const solution = await solve(challenge);
    const text = btoa(JSON.stringify({ challenge: { parameters, signature }, solution }));
    // Counted from the response, which is later than the server's own start.
    made = { text, from: got + minimum * 1000, until: got + lifetime * 1000 - SPARE_MS };
  };
  const prepare = async () => {
    if (fresh()) return;
    making ??= make().finally(() => { making = null; });
    await making;
  };
  return {
    prepare,
    /** A proof that these values can be sent with at once, or an empty string. */
    ready: (values) => {
      const now = performance.now();
      if (sent?.values === values && now - sent.at < AGAIN_MS) return sent.text;
      return fresh() && now >= made.from ? made.text : "";
    },
    /** A proof, as soon as there is one that the server accepts. */
    proof: async () => {
      await prepare();
      const { text, from } = made;
      await after(from);
      return text;
    },
    /** These values are sent now with this proof. */
    spend: (text, values) => {
      if (sent?.text === text) return;
      sent = { values, text, at: performance.now() };
      if (made?.text === text) made = null;
    },
  };
}
