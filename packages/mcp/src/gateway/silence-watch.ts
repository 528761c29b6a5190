import type { GatewayTimes } from "./gateway-times.js";

interface SilenceEvents {
  /** Asks the server whether it is there; `false` if nobody waits for it, so that it may be silent. */
  ping(): boolean;
  onHang(reason: string): void;
}

/** Notices that a server with open requests says nothing, and does not answer a ping either. */
export class SilenceWatch {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly times: Pick<GatewayTimes, "silenceMs" | "pingMs">,
    private readonly events: SilenceEvents,
  ) {}

  /** Begins to count from now. */
  restart(): void {
    const { silenceMs, pingMs } = this.times;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.events.ping()) return;
      this.#timer = setTimeout(() => {
        const seconds = Math.round((silenceMs + pingMs) / 1_000);
        this.events.onHang(`it has said nothing for ${seconds} s and does not answer a ping`);
      }, pingMs);
    }, silenceMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
