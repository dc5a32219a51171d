// Fetches challenges and has a worker solve them. Loaded when somebody first goes into a form.
const ANSWER_MS = 10000;
const AGAIN_MS = 10000; // For so long the same words may go out once more with the proof that they have.
const SPARE_MS = 60000; // A proof is given up before its time, because the way to the server takes some.

let worker = null;

/** A fault whose message the visitor reads. */
function told(message) {
  return Object.assign(new Error(message), { told: true });
}

async function fetchChallenge(address) {
  const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(ANSWER_MS) });
  if (answer.ok) return answer.json();
  if (answer.status >= 500) throw new Error("away");
  const said = await answer.json().catch(() => ({}));
  throw told(said.message ?? "The form could not be sent. What you typed is still here. Please reload the page.");
}

function solve({ parameters }) {
  worker ??= new Worker(new URL("./solver.js", import.meta.url), { type: "module" });
  return new Promise((done, fail) => {
    const listen = ({ data }) => {
      if (data.nonce !== parameters.nonce) return;
      stop();
      if (data.solution) done(data.solution);
      else fail(told("Your browser could not do the small sum that keeps programs out. Please reload the page."));
    };
    const broken = () => {
      stop();
      worker = null;
      // As Vite says of any late part: one from before an upgrade is gone, and the page is opened anew (`web/build/waking.js`).
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

/** Finds proofs for one form, each for one sending. */
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
    // Counted from the answer, which came after the server began to count.
    made = { text, from: got + minimum * 1000, until: got + lifetime * 1000 - SPARE_MS };
  };
  const prepare = async () => {
    if (fresh()) return;
    making ??= make().finally(() => { making = null; });
    await making;
  };
  return {
    prepare,
    /** The proof that may go with these words at once, or nothing. */
    ready: (words) => {
      const now = performance.now();
      if (sent?.words === words && now - sent.at < AGAIN_MS) return sent.text;
      return fresh() && now >= made.from ? made.text : "";
    },
    /** A proof, as soon as there is one that the server takes. */
    proof: async () => {
      await prepare();
      const { text, from } = made;
      await after(from);
      return text;
    },
    /** These words go out now: the proof is theirs. */
    spend: (text, words) => {
      if (sent?.text === text) return;
      sent = { words, text, at: performance.now() };
      if (made?.text === text) made = null;
    },
  };
}
