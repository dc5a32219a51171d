/** Uploads a picture and returns what the library says of it. Throws an error with the words to show, `failed` where it has none. */
export async function upload(file, { action, part, failed }) {
  const body = new FormData();
  body.append(part, file, file.name);
  const request = fetch(action, { method: "POST", body, headers: { Accept: "application/json" } });
  // Without a connection the message is the browser's own.
  const answer = await request.catch(() => { throw new Error(failed); });
  const facts = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(facts.errors?.[0]?.message ?? facts.message ?? failed);
  return facts;
}
