import { readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * The address of the repository, and the contact for security reports. Everything that needs either
 * reads `repository.json`; both are empty until they are decided.
 *
 * @typedef {{ address: string, securityContact: string }} Repository
 */

/**
 * @param {string} root
 * @returns {Promise<Repository>}
 */
export async function readRepository(root) {
  return JSON.parse(await readFile(join(root, "repository.json"), "utf8"));
}

/**
 * What prevents a release, one sentence each.
 *
 * @param {Repository} repository
 */
export function findMissing({ address, securityContact }) {
  const problems = [];
  if (address === "") {
    problems.push(
      'repository.json: "address" is empty. Write the address of the repository\'s web page, ' +
        "such as https://<host>/<owner>/<name>.",
    );
  } else if (!/^https:\/\/[^/\s]+\/[^\s]*[^/\s]$/.test(address) || address.endsWith(".git")) {
    problems.push(
      `repository.json: "address" is ${JSON.stringify(address)}. It must be the https address of ` +
        'the repository\'s web page, without a slash or ".git" at its end.',
    );
  }
  if (securityContact === "") {
    problems.push(
      'repository.json: "securityContact" is empty. Write the mail address or the page for ' +
        "reporting a vulnerability in private.",
    );
  } else if (!/^(?:https:\/\/\S+|[^\s@]+@[^\s@]+)$/.test(securityContact)) {
    problems.push(
      `repository.json: "securityContact" is ${JSON.stringify(securityContact)}. It must be a mail ` +
        "address or an https address.",
    );
  }
  return problems;
}
