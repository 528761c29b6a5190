import { Argument, type Command } from "commander";
import type { Terminal } from "../terminal/terminal.js";

const SHELLS = ["bash", "zsh", "fish"] as const;

export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command("completion")
    .description("print a script that completes commands and options in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
Examples:
  context-offload completion bash >> ~/.bashrc
  context-offload completion zsh > ~/.zfunc/_context-offload
  context-offload completion fish > ~/.config/fish/completions/context-offload.fish`,
    )
    .action((shell: (typeof SHELLS)[number]) => {
      terminal.print(SCRIPTS[shell](describe(program)));
    });
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly options: readonly string[];
}

function describe(program: Command): Described[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...program.options].flatMap(({ long, hidden }) =>
      hidden ? [] : (long ?? []),
    ),
  }));
}

const SCRIPTS: Record<(typeof SHELLS)[number], (commands: readonly Described[]) => string> = {
  bash: (commands) => `_context_offload() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `    ${name}) options="${options.join(" ")}" ;;`).join("\n")}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o filenames -F _context_offload context-offload`,

  zsh: (commands) => `#compdef context-offload
_context_offload() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    '${name}:${quoted(description)}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${commands.map(({ name, options }) => `    ${name}) _arguments ${options.map((option) => `'${option}'`).join(" ")} '*:file:_files' ;;`).join("\n")}
  esac
}
_context_offload "$@"`,

  fish: (commands) =>
    commands
      .flatMap(({ name, description, options }) => [
        `complete -c context-offload -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
        ...options.map(
          (option) =>
            `complete -c context-offload -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
        ),
      ])
      .join("\n"),
};

function quoted(text: string): string {
  return text.replaceAll("'", "’");
}
