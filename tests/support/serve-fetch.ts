import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** A `fetch` as a server of this machine, for clients that run in a process of their own. */
export async function serveFetch(
  answer: typeof fetch,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => answer(request.url ?? "", { method: request.method ?? "GET", body }))
      .then(async (answered) => {
        response.writeHead(answered.status, Object.fromEntries(answered.headers));
        response.end(Buffer.from(await answered.arrayBuffer()));
      });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? String(address?.port) : ""}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
