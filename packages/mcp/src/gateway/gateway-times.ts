/** How long to wait for servers, in milliseconds. */
export interface GatewayTimes {
  /** A server that has not answered `initialize` by then is stopped and started again. */
  readonly startMs: number;
  /** A server that has not answered with a list by then is stopped and started again. */
  readonly listMs: number;
  /** How long a request of the client waits for a server that is being started. */
  readonly patienceMs: number;
  /** A server with open requests that says nothing for so long is asked whether it is there … */
  readonly silenceMs: number;
  /** … and is stopped and started again if it does not answer that either. */
  readonly pingMs: number;
  /** The first pause before a restart; it doubles each time, up to the last one. */
  readonly firstRestartMs: number;
  readonly lastRestartMs: number;
}

export const DEFAULT_TIMES: GatewayTimes = {
  startMs: 60_000,
  listMs: 15_000,
  patienceMs: 8_000,
  silenceMs: 300_000,
  pingMs: 30_000,
  firstRestartMs: 500,
  lastRestartMs: 30_000,
};
