import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { serveFetch } from "../support/serve-fetch.js";

/** What npm sends to publish a package. */
export interface PublishedDocument {
  readonly versions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

/**
 * A registry on this machine that keeps what is published to it.
 *
 * @param folder where it writes the configuration that leads npm to it
 */
export async function startRegistry(folder: string) {
  const documents = new Map<string, PublishedDocument>();
  const { url, close } = await serveFetch((path, init) => {
    const name = decodeURIComponent((path as string).slice(1));
    if (init?.method === "PUT") {
      documents.set(name, JSON.parse(init.body as string) as PublishedDocument);
    }
    const known = documents.get(name);
    return Promise.resolve(
      Response.json(known ?? { error: "Not found" }, { status: known ? 200 : 404 }),
    );
  });
  const userconfig = join(folder, "registry.npmrc");
  await writeFile(
    userconfig,
    `registry=${url}/\n${url.replace("http:", "")}/:_authToken=any\ncache=${join(folder, "cache")}\n`,
  );
  const env = {
    ...process.env,
    npm_config_registry: `${url}/`,
    npm_config_userconfig: userconfig,
  };
  return { documents, env, close };
}
