/** A text with a secret in it, and the part that must not be found afterwards. */
export interface PlantedSecret {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

// Put together here, so that no scanner takes this file for a leak.
const of = (...parts: string[]) => parts.join("");
const hex = (chars: number) => "0123456789abcdef".repeat(9).slice(0, chars);
/** The same for the same place of a text, so that a secret that is found was not another one. */
const word = (chars: number, seed = chars) => {
  let state = seed;
  const next = () =>
    LETTERS.charAt((state = (state * 16_807 + 7) % 2_147_483_647) % LETTERS.length);
  return `aB3${Array.from({ length: chars }, next).join("")}`.slice(0, chars);
};
const LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const keyLines = Array.from({ length: 400 }, (_, i) => word(64, 1_000 + i));

/** Secrets that are known by their own form: they are found wherever they are. */
export const TOKENS: Readonly<Record<string, readonly string[]>> = {
  "AWS access key": [of("AK", "IAIOSFODNN7EXAMPLE"), of("AS", "IAIOSFODNN7EXAMPLE")],
  "AWS Bedrock key": [of("AB", "SK", word(120)), of("bedrock-", "api-key-", word(60))],
  "Google API key": [of("AI", "zaSyA-1234567890abcdefghijklmnopqrstu")],
  "Google OAuth token": [of("ya", "29.a0AfH6SMBx1234567890abcdef"), of("GOC", "SPX-", word(28))],
  "GitHub token": [
    ...["p", "o", "u", "s", "r"].map((kind) => of("gh", kind, "_", word(36))),
    of("github", "_pat_", word(22), "_", word(59)),
  ],
  "GitLab token": [
    of("glp", "at-", word(20)),
    of("glr", "t-", word(27), ".01.0w1234567"),
    of("GR13", "48941", word(20)),
  ],
  "Slack token": [
    of("xox", "b-123456789012-abcdefghij"),
    of("xox", "e.xox", "p-1-", word(60)),
    of("xa", "pp-1-A0123456789-", word(30)),
  ],
  "Stripe key": [of("sk_", "live_4eC39HqLyjWDarjtT1zdp7dc"), of("wh", "sec_", word(32))],
  "Anthropic key": [of("sk-", "ant-api03-", word(95))],
  "OpenAI key": [of("sk-", "proj-", word(40)), of("sk-", word(48)), of("sk-", "or-v1-", hex(64))],
  "Hugging Face token": [of("hf", "_", "abcdefghijklmnopqrstuvwxyzABCDEFGH")],
  "npm token": [of("npm", "_", word(36))],
  "PyPI token": [of("pypi-", "AgEIcHlwaS5vcmc", word(60))],
  "SendGrid key": [of("SG", ".", word(22), ".", word(43))],
  "Twilio key": [of("SK", hex(32))],
  "DigitalOcean token": [of("dop", "_v1_", hex(64)), of("dor", "_v1_", hex(64))],
  "Azure client secret": [of("abc8", "Q~", word(34))],
  "Vault token": [of("hv", "s.", word(92))],
  "Telegram token": [of("1234567890:", "AA", word(33))],
  "age key": [of("AGE-SECRET-", "KEY-1", word(58).toUpperCase())],
  "Shopify, Databricks or Pulumi token": [
    of("shp", "at_", hex(32)),
    of("da", "pi", hex(32)),
    of("pu", "l-", hex(40)),
  ],
  "access token": [
    ...["gsk", "r8", "sbp", "nfp", "lin_api", "figd", "bkua", "sb_secret", "dckr_pat", "lsv2_pt"],
    ...["pcsk", "CCIPAT", "sgp", "rubygems", "ntn", "glc", "glsa", "sntryu", "pscale_pw", "fo1"],
  ]
    .map((prefix) => of(prefix, "_", word(60)))
    .concat(
      ["HRKU", "pplx", "xai", "CFPAT", "tskey-auth", "sq0atp"].map((name) =>
        of(name, "-", word(60)),
      ),
      [of("NR", "AK-", word(27)), of("ATA", "TT3", word(120)), of("AK", "Cp", word(69))],
      [of("PM", "AK-", hex(24), "-", hex(34)), of("xkey", "sib-", hex(64), "-", word(16))],
      [of("dt0", "c01.", word(24).toUpperCase(), ".", word(64).toUpperCase())],
      [of("pa", "t", word(14), ".", hex(64)), of("d", "p.pt.", word(43))],
      [of("A", "3-", ["ABCDEF", "GHIJKL", "MNOPQ", "RSTUV", "WXYZ2"].join("-"))],
      [of("pat-", "na1-", "01234567-89ab-cdef-0123-456789abcdef"), of("ops", "_eyJ", word(250))],
    ),
  "JSON web token": [of("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.", word(43))],
};

const pem = (kind: string, ...lines: string[]) =>
  [of("-----BEGIN ", kind, "-----"), ...lines, of("-----END ", kind, "-----")].join("\n");

const PASSWORD = of("hunter2", "hunter2");
const RANDOM = word(40);

/** Secrets that are known by what is around them. */
const IN_CONTEXT: readonly (readonly [kind: string, text: string, secret: string])[] = [
  ["private key", pem("RSA PRIVATE KEY", ...keyLines.slice(0, 20)), keyLines[19] ?? ""],
  ["private key", pem("PRIVATE KEY", ...keyLines), keyLines[399] ?? ""],
  [
    "private key",
    pem(
      "RSA PRIVATE KEY",
      "Proc-Type: 4,ENCRYPTED",
      `DEK-Info: AES-128-CBC,${hex(32)}`,
      "",
      ...keyLines.slice(0, 9),
    ),
    keyLines[5] ?? "",
  ],
  [
    "private key",
    pem("PGP PRIVATE KEY BLOCK", "Comment: alice-key", "", ...keyLines.slice(0, 9)),
    keyLines[5] ?? "",
  ],
  [
    "private key",
    JSON.stringify(pem("EC PRIVATE KEY", ...keyLines.slice(0, 3))),
    keyLines[1] ?? "",
  ],
  // A key that was cut off.
  ["private key", pem("PRIVATE KEY", ...keyLines.slice(0, 9)).slice(0, 400), keyLines[3] ?? ""],
  [
    "private key",
    `PuTTY\nPrivate-Lines: 3\n${keyLines.slice(0, 3).join("\n")}\n`,
    keyLines[1] ?? "",
  ],
  ["webhook", of("https://hooks.slack.com/", "services/T00000000/B00000000/", word(24)), word(24)],
  ["webhook", of("https://discord.com/", "api/webhooks/123456789012345678/", word(68)), word(68)],
  ["Azure key", of("AccountName=a;Account", "Key=", word(86), "==;"), word(86)],
  ["Terraform token", of("abcdefghijklmn.", "atlasv1.", word(67)), word(67)],
  ["signature", `https://a.blob.core.windows.net/c?sv=1&sig=${word(44)}%3D`, word(44)],
  ["AWS secret key", `aws_secret_access_key = ${RANDOM} and so on`, RANDOM],
  ["AWS secret key", `{\n  "SecretAccessKey": "${RANDOM}",\n}`, RANDOM],
  ["secret", `{ "SessionToken": "${word(300)}" }`, word(300)],
  ["secret", `aws_session_token = ${word(300)}`, word(300)],
  ["password", `DB_PASSWORD=${PASSWORD}`, PASSWORD],
  ["password", "POSTGRES_PASSWORD=correcthorse\nPOSTGRES_USER=a", "correcthorse"],
  ["password", 'MYSQL_ROOT_PASSWORD="s3cr3t!"', "s3cr3t!"],
  ["password", "export DB_PASS='pa;ss,w0rd'", "pa;ss,w0rd"],
  ["password", `SMTP_PASSWORD="abcd efgh it's wqvz"\n`, "wqvz"],
  ["password", `\u001b[1mDB_PASSWORD\u001b[0m=\u001b[32m${PASSWORD}\u001b[0m\n`, PASSWORD],
  ["password", `https://a.b/login?user=x&pwd=${PASSWORD}&next=1`, PASSWORD],
  ["secret", `SECRET_KEY_BASE=${word(128)}`, word(128)],
  ["secret", `{"auths":{"registry":{"auth":"${RANDOM}"}}}`, RANDOM],
  ["AWS secret key", `<SecretAccessKey>${RANDOM}</SecretAccessKey>`, RANDOM],
  ["password", JSON.stringify({ Env: [`DB_PASSWORD=${PASSWORD}`, "A=1"] }), PASSWORD],
  ["password", JSON.stringify({ stdout: `A=1\nDB_PASSWORD=${PASSWORD}\nB=2` }), PASSWORD],
  ["password", `db:\n  password: ${PASSWORD}\n  port: 5432\n`, PASSWORD],
  ["password", `db:\n  password: 'Tr0ub4dor&3'\n`, "Tr0ub4dor&3"],
  ["password", `[db]\npassword = "Tr0ub4dor&3" # TOML\n`, "Tr0ub4dor&3"],
  ["password", `[client]\npassword = Tr0ub4dor&3\nuser = root\n`, "Tr0ub4dor&3"],
  ["password", JSON.stringify({ password: "ab\\cd12345" }), "cd12345"],
  ["password", JSON.stringify(JSON.stringify({ password: PASSWORD })), PASSWORD],
  ["password", `  - name: DB_PASSWORD\n    value: ${PASSWORD}\n`, PASSWORD],
  ["password", JSON.stringify({ name: "DB_PASSWORD", value: PASSWORD }), PASSWORD],
  ["password", `mysqldump --password ${PASSWORD} app`, PASSWORD],
  ["password", `mysqldump --password=${PASSWORD} app`, PASSWORD],
  ["password", `machine api.example.org login ada password ${PASSWORD}`, PASSWORD],
  ["password", `Server=db;Uid=sa;Pwd=${PASSWORD};Database=app`, PASSWORD],
  ["secret", `JWT_SECRET=${word(24)}`, word(24)],
  ["secret", `client_secret: ${word(24)}\n`, word(24)],
  ["secret", `const token: string = "${word(24)}";`, word(24)],
  ["secret", `config["api_key"] = "abcdefghijkl1234"`, "abcdefghijkl1234"],
  ["secret", `//registry.npmjs.org/:_authToken=${word(30)}`, word(30)],
  ["secret", `x-api-key: ${word(20)}\naccept: */*\n`, word(20)],
  ["secret", `curl -H 'X-API-Key: ${word(20)}' https://example.org`, word(20)],
  ["secret", `Authorization: Bearer abcdefghijklmnop1234`, "abcdefghijklmnop1234"],
  ["secret", JSON.stringify({ Authorization: `Basic ${word(24)}` }), word(24)],
  ["password", "https://example.org/login?user=a&password=correct", "correct"],
  ["secret", `https://example.org/a?access_token=${word(24)}&b=1`, word(24)],
  ["password", "postgres://admin:hunter2@db.internal:5432/app", "hunter2"],
  ["password", "redis://:hunter2@localhost", "hunter2"],
  ["password", "postgres://user:pa:ss/wo#rd@db.internal/app", "pa:ss/wo#rd"],
  ["password", "postgres://user:p@ss@db.internal/app?mail=a@b.org", "p@ss"],
  ["password", JSON.stringify({ url: "amqp://user:pa/ss@[::1]:5672/v" }), "pa/ss"],
];

/** Every kind, in every form that is promised. */
export const PLANTED_SECRETS: readonly PlantedSecret[] = [
  ...Object.entries(TOKENS).flatMap(([kind, tokens]) =>
    tokens.map((secret) => ({ kind, secret, text: secret })),
  ),
  ...IN_CONTEXT.map(([kind, text, secret]) => ({ kind, text, secret })),
];

/** Ways in which tools print a token; a letter may come right before it. */
export const AROUND: Readonly<Record<string, (token: string) => string>> = {
  "a sentence": (token) => `the key is ${token}, keep it`,
  "JSON with line feeds": (token) => JSON.stringify({ stdout: `token:\n${token}\ndone` }),
  "JSON in JSON": (token) => JSON.stringify(JSON.stringify({ stdout: `a\t${token}\r\n` })),
  "a terminal color": (token) => `\u001b[32m${token}\u001b[0m`,
  "an escaped color": (token) => JSON.stringify({ out: `\u001b[1;32m${token}\u001b[0m` }),
  "an escaped equals sign": (token) => `{"q":"k\\u003d${token}"}`,
  "an address": (token) => `https://example.org/?next=%2Fa%3Fk%3D${token}`,
  "a name": (token) => `TOKEN_${token}`,
  quotes: (token) => `'${token}'`,
};

/** What looks like a secret, or has the name of one, but is none. */
export const HARMLESS: readonly string[] = [
  // Types, code and labels.
  "interface Login { password: string; token?: string }",
  "  password: string\n  token: string | undefined\n  secret: Buffer\n",
  "def login(user: str, password: str, token: Optional[str] = None) -> None:",
  "type Query { user(password: String!): User }\n  password: String!\n",
  "val password: String?\n",
  "token = getToken()",
  "const token = await fetchToken(oauth2Client, 'user1');",
  "const password = process.env.DB_PASSWORD;",
  "password = os.environ['DB_PASSWORD']",
  "password = var.db_password",
  "token = self.token2\nsecret = secret_value1\n",
  "if (password === 'x1y2z3a4b5c6') return; if (token != other1) {}",
  '{ "password": "Password", "token": "Token", "secret": "" }',
  '{ "password": "Enter your password of 8 characters" }',
  '<input type="password" name="password" autocomplete="current-password1">',
  "errors.password = 'Required'",
  "credentials: 'include'",
  "switch (token) { case Token.Name1: return parse(token, 12345678); }",
  "{ max_tokens: 4096, token: 12345678901, tokens: 'abcdefghijkl1234' }",
  '{ "nextToken": "abcdefghijkl1234ABCD", "next_page_token": "CAEQAA1234567890abcd" }',
  // Nothing, or a placeholder.
  "PASSWORD=",
  "PASSWORD=\nUSER=ada\n",
  'PASSWORD=""',
  "password: ''",
  "DB_PASSWORD=${DB_PASSWORD}",
  "DB_PASSWORD=$DB_PASSWORD docker compose up",
  "DB_PASSWORD: ${{ secrets.DB_PASSWORD_1 }}",
  'password = "${DB_PASSWORD} or so"',
  "set PASSWORD=%DB_PASSWORD%",
  "PASSWORD=<your password>",
  "PASSWORD=********",
  'api_key: "xxxxxxxxxxxxxxxx"',
  "POSTGRES_PASSWORD_FILE=/run/secrets/db-1",
  "PASSWORD=/run/secrets/db-1",
  "PWD=/home/ada/project1\nOLDPWD=/home/ada1\n",
  "SECRET=arn:aws:secretsmanager:eu-west-1:123456789012:secret:a-b1",
  "aws_secret_access_key = ${SECRET}",
  "Authorization: Bearer <token>",
  "Authorization: Basic authentication is used",
  "authorization is hard",
  "postgres://user:${DB_PASSWORD}@db/app",
  "postgres://user:<password>@db/app",
  // Addresses.
  "http://localhost:8080/path@2",
  "http://localhost:5173/@vite/client",
  "postgres://db.internal/app",
  "see https://example.org/a:b and mail a@b.org",
  "ssh://git@github.com:22/a@b",
  "docker://alpine:3.18@sha256:0123456789abcdef",
  "https://[::1]:8080/a@b",
  // Hashes, ids, packages, images.
  "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "550e8400-e29b-41d4-a716-446655440000 toolu_01A09q90qw90lq917835lq9 call_abcdef123456",
  'integrity "sha512-hhkpyzXdYRWgRjZ6J6bQG2dV5Qv7zZ4xUq2n3QqQ1aB3dE5gH7jK9mN1pQ2rS4t=="',
  '"@octokit/auth-token": "^2.4.4", "js-tokens": "^4.0.0", "csrf-token": "npm:csrf@12.34.56-beta1"',
  "github.com/a/b v1.2.3 h1:aB3dE5gH7jK9mN1pQ2aB3dE5gH7jK9mN1pQ2aB3dE5g=",
  `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${word(2_000).replaceAll("3", "/")}`,
  // Beginnings of known kinds.
  "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
  "if (pem.includes('-----BEGIN RSA PRIVATE KEY-----')) find('-----END RSA PRIVATE KEY-----')",
  "AKIA XAKIAIOSFODNN7EXAMPLEX AIzaSy ya29.x ghp_short github_pattern_of_things glpat- xoxb",
  "foxb-123456789012 https://hooks.slack.com/docs task_live_4eC39HqLyjWDarjtT1zdp7dc sk-ant-x",
  "sk-projection-of-things sk-learn hf_hub_download npm_config_registry pypi-server SG.1.2 SK0123",
  "AccountKey=short eyJhbGciOiJIUzI1NiJ9 a.b.c dop_v1_x sha wJalrXUtnFEMIbK7MDENGbPxRfiCYEXAMPLEKEYa",
];
