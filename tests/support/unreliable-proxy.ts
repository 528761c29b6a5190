import { createServer as createHttpServer, request, type IncomingMessage } from "node:http";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { onTestFinished } from "vitest";

/** Stands between a client and a server; ends with the test. */
interface Proxy {
  readonly port: number;
}

/**
 * A proxy that cuts connections.
 *
 * @param losesAnswer - Called for each piece of an answer; if true, it is not passed on and the
 * connection is cut.
 */
export async function startCuttingProxy(
  serverPort: number,
  losesAnswer: () => boolean,
): Promise<Proxy> {
  const server = createServer((client) => {
    const upstream = connect(serverPort, "127.0.0.1");
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => {
      if (losesAnswer()) cut();
      else client.write(data);
    });
  });
  return listen(server);
}

/** What happens to a request: a status instead of an answer, no answer at all, or an answer that is lost. */
export type Fault = number | "hang" | "lose answer" | undefined;

/** A proxy for HTTP that does what `fault` says about each request. */
export async function startFaultyHttp(
  serverPort: number,
  fault: (incoming: IncomingMessage) => Fault,
): Promise<Proxy> {
  const server = createHttpServer((incoming, outgoing) => {
    const what = fault(incoming);
    if (what === "hang") return;
    if (typeof what === "number") {
      incoming.resume();
      incoming.on("end", () => outgoing.writeHead(what).end());
      return;
    }
    const { method, url, headers } = incoming;
    const upstream = request(
      { port: serverPort, host: "127.0.0.1", method, path: url, headers },
      (answer) => {
        if (what === "lose answer") {
          answer.resume().on("end", () => outgoing.destroy());
          return;
        }
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    upstream.on("error", () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  return listen(server);
}

async function listen(server: Server): Promise<Proxy> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    (server as Server & { closeAllConnections?: () => void }).closeAllConnections?.();
  });
  return { port: (server.address() as AddressInfo).port };
}
