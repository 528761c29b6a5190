import { createServer as createHttpServer, request, type IncomingMessage } from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
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

/** A proxy whose server can be exchanged, as an address that follows a failover. */
export async function startSwitchingProxy(
  serverPort: number,
): Promise<Proxy & { switchTo(port: number): void }> {
  let target = serverPort;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const cut = () => {
      client.destroy();
      upstream.destroy();
      open.delete(client);
    };
    open.add(client);
    for (const socket of [client, upstream]) socket.on("error", cut).on("close", cut);
    client.pipe(upstream).pipe(client);
  });
  const { port } = await listen(server);
  return {
    port,
    switchTo(newPort) {
      target = newPort;
      for (const socket of open) socket.destroy();
    },
  };
}

/** What happens to a request: a status instead of an answer, no answer at all, or one that is lost or cut short. */
export type Fault = number | "hang" | "lose answer" | "cut body" | undefined;

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
        if (what === "cut body") {
          const pieces: Buffer[] = [];
          answer.on("data", (piece: Buffer) => pieces.push(piece));
          answer.on("end", () => {
            const half = Buffer.concat(pieces);
            const body = half.subarray(0, half.length / 2);
            const length = { "content-length": body.length.toString() };
            outgoing
              .writeHead(answer.statusCode ?? 502, { ...answer.headers, ...length })
              .end(body);
          });
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
