// Solves ALTCHA challenges with PBKDF2 in a worker: finds the number whose derived key has the required prefix.
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const hex = (found) => Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
const MOST = 200000;

// crypto.subtle exists on https and localhost only; on plain http the same function is computed in JavaScript.
const K = new Uint32Array(64);
const FIRST = new Uint32Array(8);

function primes() {
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32);
  for (let number = 2, found = 0; found < 64; number += 1) {
    let prime = true;
    for (let by = 2; by * by <= number; by += 1) if (number % by === 0) prime = false;
    if (!prime) continue;
    if (found < 8) FIRST[found] = fraction(Math.sqrt(number));
    K[found] = fraction(Math.cbrt(number));
    found += 1;
  }
}

const W = new Uint32Array(64);
const turn = (x, by) => (x >>> by) | (x << (32 - by));

/** One block of SHA-256: `state` moves on by the 16 words of `block`. */
function compress(state, block) {
  for (let i = 0; i < 16; i += 1) W[i] = block[i];
  for (let i = 16; i < 64; i += 1) {
    const a = W[i - 15];
    const b = W[i - 2];
    W[i] = W[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + W[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
}

/** The first 32 bytes of PBKDF2 with HMAC-SHA-256, for a password and a salt of less than one block each. */
function derivedByHand(password, salt, rounds) {
  if (!K[0]) primes();
  const padded = (fill) => {
    const block = new Uint8Array(64).fill(fill);
    password.forEach((byte, i) => { block[i] ^= byte; });
    const state = FIRST.slice();
    compress(state, wordsOf(block));
    return state;
  };
  const [inner, outer] = [padded(0x36), padded(0x5c)];
  const tail = new Uint8Array(64);
  tail.set(salt);
  tail.set([0, 0, 0, 1, 0x80], salt.length);
  let block = wordsOf(tail);
  block[15] = (64 + salt.length + 4) * 8;
  const result = new Uint32Array(8);
  const short = new Uint32Array(16);
  short[8] = 0x80000000;
  short[15] = 96 * 8;
  for (let round = 0; round < rounds; round += 1) {
    for (const key of [inner, outer]) {
      const state = key.slice();
      compress(state, block);
      short.set(state);
      block = short;
    }
    for (let i = 0; i < 8; i += 1) result[i] ^= short[i];
  }
  return bytesOf(result);
}

function wordsOf(block) {
  const view = new DataView(block.buffer);
  return Uint32Array.from({ length: 16 }, (_, i) => view.getUint32(i * 4));
}

function bytesOf(words) {
  const view = new DataView(new ArrayBuffer(32));
  words.forEach((word, i) => view.setUint32(i * 4, word));
  return new Uint8Array(view.buffer);
}

async function derived(password, salt, rounds) {
  if (!globalThis.crypto?.subtle) return derivedByHand(password, salt, rounds);
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 256));
}

async function solve({ nonce, salt, cost, keyPrefix }) {
  const password = new Uint8Array(20);
  password.set(bytes(nonce));
  const counter = new DataView(password.buffer, 16);
  for (let tried = 0; tried < MOST; tried += 1) {
    counter.setUint32(0, tried);
    const found = hex(await derived(password, bytes(salt), cost));
    if (found.startsWith(keyPrefix)) return { counter: tried, derivedKey: found };
  }
  return null;
}

self.addEventListener("message", async ({ data }) => {
  const solution = await solve(data).catch(() => null);
  self.postMessage({ nonce: data.nonce, solution });
});
