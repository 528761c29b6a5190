import { loadPackage } from "../load-package.js";
import type { ObjectClient } from "./object-client.js";

type OwnClient = ObjectClient & { destroy(): void };

export interface ObjectAddress {
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

/** Makes a client with the package `@aws-sdk/client-s3`, with the credentials that its environment gives it. */
export async function openObjects({ endpoint, region }: ObjectAddress): Promise<OwnClient> {
  const { S3 } = (await loadPackage("@aws-sdk/client-s3")) as unknown as {
    S3: new (options: object) => OwnClient;
  };
  return new S3({
    // The store makes further attempts itself.
    maxAttempts: 1,
    // Not every service knows the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
  });
}
