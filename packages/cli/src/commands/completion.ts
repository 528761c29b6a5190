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
  /** What the first argument can be; any file if nothing is said. */
  readonly choices: readonly string[];
}

/** Workspaces are folders, or in stores that a folder's name does not start with. */
const STORES = ["sqlite:", "postgres:", "s3:"];

function describe(program: Command): Described[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...program.options].flatMap(({ long, hidden }) =>
      hidden ? [] : (long ?? []),
    ),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

const SCRIPTS: Record<(typeof SHELLS)[number], (commands: readonly Described[]) => string> = {
  bash: (commands) => `_context_offload() {
  local word="\${COMP_WORDS[COMP_CWORD]}" options="" choices=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
    -w|--workspace) COMPREPLY=($(compgen -d -- "$word") $(compgen -W "${STORES.join(" ")}" -- "$word")); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options, choices }) => `    ${name}) options="${options.join(" ")}" choices="${choices.join(" ")}" ;;`).join("\n")}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ -n "$choices" ]; then COMPREPLY=($(compgen -W "$choices" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
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
${commands.map(({ name, options, choices }) => `    ${name}) _arguments ${options.map(zshOption).join(" ")} ${choices.length === 0 ? "'*:file:_files'" : `'*:choice:(${choices.join(" ")})'`} ;;`).join("\n")}
  esac
}
_context_offload "$@"`,

  fish: (commands) =>
    commands
      .flatMap(({ name, description, options, choices }) => [
        `complete -c context-offload -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
        ...options.map(
          (option) =>
            `complete -c context-offload -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}${option === "--workspace" ? ` -x -a '(__fish_complete_directories) ${STORES.join(" ")}'` : ""}`,
        ),
        ...(choices.length === 0
          ? []
          : [
              `complete -c context-offload -n '__fish_seen_subcommand_from ${name}' -f -a '${choices.join(" ")}'`,
            ]),
      ])
      .join("\n"),
};

function zshOption(option: string): string {
  if (option !== "--workspace") return `'${option}'`;
  // A colon within a word has to be marked, since colons are between the parts.
  const stores = STORES.map((store) => store.replace(":", "\\:")).join(" ");
  return `'${option}:workspace:{ _files -/; compadd -- ${stores} }'`;
}

function quoted(text: string): string {
  return text.replaceAll("'", "’");
}
