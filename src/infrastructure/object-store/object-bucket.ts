import { createRetry, type Retry, type RetryOptions } from "../joined-store/retry.js";
import {
  isMissing,
  isObjectTransient,
  type ObjectClient,
  type ObjectSource,
} from "./object-client.js";

type Call = { abortSignal: AbortSignal };

/** A bucket, reached when it is first used. A request that fails for the moment is made again, within the deadline. */
export class ObjectBucket {
  readonly #source: ObjectSource;
  readonly #retry: Retry;
  #opening: Promise<ObjectClient> | undefined;

  constructor(
    source: ObjectSource,
    readonly name: string,
    options: RetryOptions,
  ) {
    this.#source = source;
    this.#retry = createRetry(`the object storage s3://${name}`, isObjectTransient, options);
  }

  /** Makes a request. It may be made twice if its answer is lost. */
  call<T>(request: (client: ObjectClient, options: Call) => Promise<T>): Promise<T> {
    return this.#retry(async (abortSignal) => request(await this.#client(), { abortSignal }));
  }

  put(Key: string, Body: Uint8Array): Promise<unknown> {
    return this.call((client, options) =>
      client.putObject({ Bucket: this.name, Key, Body }, options),
    );
  }

  /** How large an object is; `undefined` if there is none. */
  async size(Key: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.call((client, options) =>
        client.headObject({ Bucket: this.name, Key }, options),
      );
      return ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #client(): Promise<ObjectClient> {
    this.#opening ??= (
      typeof this.#source === "function" ? this.#source() : Promise.resolve(this.#source)
    ).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }
}
