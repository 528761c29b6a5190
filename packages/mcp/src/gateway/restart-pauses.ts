import type { GatewayTimes } from "./gateway-times.js";

/** How long to wait before a server is started again: twice as long each time, until it has run for a while. */
export class RestartPauses {
  #restarts = 0;
  #restartAt = 0;
  #steady: NodeJS.Timeout | undefined;

  constructor(private readonly times: Pick<GatewayTimes, "firstRestartMs" | "lastRestartMs">) {}

  /** How long it is until the restart. */
  get msLeft(): number {
    return this.#restartAt - Date.now();
  }

  /** The pause before the next restart, in milliseconds. */
  begin(): number {
    clearTimeout(this.#steady);
    const { firstRestartMs, lastRestartMs } = this.times;
    const pause = Math.min(firstRestartMs * 2 ** this.#restarts++, lastRestartMs);
    this.#restartAt = Date.now() + pause;
    return pause;
  }

  /** The server is ready. One that ends right after each start must not be restarted without a pause. */
  end(): void {
    this.#steady = setTimeout(() => {
      this.#restarts = 0;
    }, this.times.lastRestartMs).unref();
  }
}
