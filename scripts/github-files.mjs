/**
 * What GitHub takes in the files that actionlint does not read: dependabot.yml and the issue forms. Only what is
 * used here; a key that is not listed is a mistake, since GitHub ignores such a file without a word.
 */
import { z } from "zod";

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
