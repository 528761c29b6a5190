import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { S3 } from "@aws-sdk/client-s3";
import S3rver from "s3rver";

export const BUCKET = "artifacts";

/** An S3 server of its own, with a bucket, and its data in the system's temporary folder. */
export interface RealObjects {
  readonly endpoint: string;
  client(): S3;
  end(): Promise<void>;
}

export async function startObjects(): Promise<RealObjects> {
  const directory = await mkdtemp(join(tmpdir(), "context-offload-s3-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = (await server.run()) as AddressInfo;
  const endpoint = `http://127.0.0.1:${port.toString()}`;
  return {
    endpoint,
    client: () => clientOf(endpoint),
    async end() {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A client that makes each request once, so that a test sees what the store does. */
export function clientOf(endpoint: string): S3 {
  return new S3({
    endpoint,
    region: "us-east-1",
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
}
