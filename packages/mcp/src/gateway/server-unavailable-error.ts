/** The server did not answer: it could not be started, ended, or hangs. */
export class ServerUnavailableError extends Error {
  override readonly name = "ServerUnavailableError";

  constructor(server: string, reason: string, isRestarted: boolean) {
    const next = isRestarted
      ? " The gateway starts it again by itself; other servers are not affected. Try the call again in a moment."
      : "";
    super(`The MCP server "${server}" is not available: ${reason.replace(/\.$/, "")}.${next}`);
  }
}
