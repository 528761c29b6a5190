/** Names that every model knows without having seen a result, for `--known`. */
export const KNOWN_WORDS = new Set(
  `package.json package-lock.json tsconfig.json README.md CHANGELOG.md LICENSE node_modules .gitignore
  index.ts index.js main.go go.mod go.sum setup.py setup.cfg pyproject.toml requirements.txt Makefile
  Dockerfile docker-compose.yml Cargo.toml __init__.py __init__ __name__ __main__ conftest.py
  stdout stderr stdin console.log process.env JSON.stringify JSON.parse toString forEach indexOf
  useState useEffect useMemo useCallback useRef className onClick onChange addEventListener
  getElementById querySelector innerHTML setTimeout clearTimeout setInterval readFile writeFile
  readFileSync writeFileSync existsSync isArray hasOwnProperty toLowerCase toUpperCase startsWith
  endsWith parseInt parseFloat TypeError ValueError KeyError AttributeError ImportError
  IndexError RuntimeError NotImplementedError SyntaxError ReferenceError unittest pytest
  application/json text/html text/plain utf-8 UTF-8 Content-Type user-agent User-Agent
  github.com localhost 127.0.0.1 origin/main feature-branch read-only built-in well-known
  follow-up end-to-end up-to-date real-time third-party non-empty command-line open-source
  string number boolean object function undefined default import export return static public
  private interface required optional description properties additionalProperties
  background-color font-size font-weight text-align margin-top margin-bottom padding-left
  border-radius flex-1 items-center justify-between justify-center font-medium font-semibold
  text-sm text-xs text-lg rounded-lg w-full h-full`.split(/\s+/),
);
