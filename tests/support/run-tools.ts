import type { ToolsOptions, Workspace } from "../../src/index.js";
import type { ToolAnswer } from "../../src/formats/index.js";

export type Run = (name: string, input?: unknown) => Promise<ToolAnswer>;

export function toolRunner(workspace: Workspace, options: ToolsOptions = {}): Run {
  const all = [
    ...workspace.tools({ ...options, readingTools: "one" }),
    ...workspace.tools(options),
  ];
  const tools = new Map(all.map((tool) => [tool.name, tool]));
  return (name, input) => {
    const tool = tools.get(name);
    if (!tool) throw new Error(`There is no tool ${name}.`);
    return tool.execute(input);
  };
}

/** The answer and all that the printed next calls give, each call made as it is printed. */
export async function followPrinted(run: Run, name: string, input: unknown): Promise<string[]> {
  const texts: string[] = [];
  for (let call: [string, unknown] | undefined = [name, input]; call;) {
    if (texts.length > 200) throw new Error("Following the calls does not come to an end.");
    const { text, isError } = await run(...call);
    if (isError) throw new Error(text);
    texts.push(text);
    const [, next = "", json = ""] = /Next: (\w+)\((\{.*\})\)\]$/.exec(text) ?? [];
    call = next === "" ? undefined : [next, JSON.parse(json)];
  }
  return texts;
}

/** What stands before the footing. */
export const bodyOf = (text: string) => text.replace(/\n\[[^\n]*\]$/, "");
export const numbered = (count: number) =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n");
