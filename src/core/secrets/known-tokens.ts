/** A kind of secret that is recognized by its form alone. */
export interface SecretPattern {
  /** What takes its place: `[redacted <name>]`. */
  readonly name: string;
  /** With the flag `g`. The first group, if there is one, is kept; what follows it is the secret. */
  readonly pattern: RegExp;
}

/**
 * A token begins where no letter or digit comes before it, unless that one ends an escape: `\n` and
 * `\u003d` in the text of JSON, `%3D` in an address, the code of a terminal color.
 */
const BEFORE = String.raw`(?<![A-Za-z0-9](?<!\\[bfnrtv0]|\\u[0-9a-fA-F]{4}|(?:\\x|%)[0-9a-fA-F]{2}|\[[\d;]{0,12}[A-Za-z]))`;

function token(name: string, form: RegExp): SecretPattern {
  return { name, pattern: new RegExp(BEFORE + form.source, "g") };
}

/**
 * Secrets of the most common kinds, each by a form that hardly anything else has.
 *
 * All are linear by their form: whatever can be repeated without a limit comes last, with no condition
 * after it, so that an attempt either succeeds and is not repeated, or ends after a few characters. The
 * one exception, the JSON web token, looks at its three runs of characters once, from where they begin.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  token("AWS access key", /(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/),
  {
    name: "AWS secret key",
    pattern:
      /((?:aws_?secret_?(?:access_?)?|secret_?access_?)key\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/gi,
  },
  {
    // As the API answers, in XML.
    name: "AWS secret key",
    pattern: /(<(?:SecretAccessKey|SessionToken)>)[\w+/=]{16,}/g,
  },
  token("AWS Bedrock key", /(?:ABSK[A-Za-z0-9+/]{100}|bedrock-api-key-[\w+/]{20})[\w+/=]*/),
  token("Google API key", /AIza[\w-]{35}(?![\w-])/),
  token("Google OAuth token", /(?:ya29\.|GOCSPX-)[\w-]{20,}/),
  token("GitHub token", /(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,})/),
  token(
    "GitLab token",
    /(?:gl(?:pat|ptt|dt|rt|cbt|ft|soat|oas|ffct|imt|agent)-|GR1348941)[\w-]{20}[\w.-]*/,
  ),
  token("Slack token", /(?:xox[abceoprs](?:\.xox[bp])?-|xapp-\d-)[A-Za-z0-9-]{10,}/),
  {
    name: "webhook",
    pattern:
      /(https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|discord(?:app)?\.com\/api\/webhooks|[\w-]{1,63}\.webhook\.office\.com\/webhookb2)\/)[\w+/@-]{20,}/g,
  },
  token("Stripe key", /(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/]{32,})/),
  token("Anthropic key", /sk-ant-[\w-]{20,}/),
  token("OpenAI key", /sk-(?:[A-Za-z0-9]{48}(?![\w-])|(?:proj|svcacct|admin|or-v1)-[\w-]{20,})/),
  token("Hugging Face token", /(?:hf|api_org)_[A-Za-z]{34}(?![A-Za-z0-9])/),
  token("npm token", /npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/),
  token("PyPI token", /pypi-AgE[\w-]{50,}/),
  token("SendGrid key", /SG\.[\w-]{22}\.[\w-]{43}(?![\w-])/),
  token("Twilio key", /SK[0-9a-f]{32}(?![A-Za-z0-9])/),
  token("DigitalOcean token", /do[opr]_v1_[0-9a-f]{64}/),
  { name: "Azure key", pattern: /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/=]{43,}/g },
  token("Azure client secret", /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/),
  {
    name: "signature",
    pattern: /([?&](?:sig|X-Amz-(?:Signature|Security-Token))=)[\w%+/=-]{40,}/gi,
  },
  token("Vault token", /hv[bs]\.[\w-]{24,}/),
  { name: "Terraform token", pattern: /(\.atlasv1\.)[\w=-]{60,}/g },
  token("Telegram token", /\d{8,10}:AA[\w-]{33}(?![\w-])/),
  token("age key", /AGE-SECRET-KEY-1[A-Z0-9]{58}/),
  token(
    "Shopify, Databricks or Pulumi token",
    /(?:shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|dapi[0-9a-f]{32}|pul-[0-9a-f]{40})(?![A-Za-z0-9])/,
  ),
  // Kinds of a prefix that nothing else has, and a run of letters and digits of at least this length.
  token("access token", /(?:gsk_|r8_|sbp_|nfp_|lin_api_|figd_|bkua_|HRKU-|pplx-)[\w-]{36,}/),
  token(
    "access token",
    /(?:sb_secret_|dckr_[op]at_|lsv2_(?:pt|sk)_|NRAK-|EZ[AT]K|rdme_)[\w-]{27,}/,
  ),
  token(
    "access token",
    /(?:xai-|pcsk_|CCIPAT_|CFPAT-|sgp_|rubygems_|ntn_|gl(?:c|sa)_)[\w+/=-]{40,}/,
  ),
  token("access token", /(?:sntry[su]_|pscale_(?:tkn|oauth|pw)_|dp\.[a-z]{2,5}\.)[\w+/=.-]{32,}/),
  token("access token", /(?:tskey-[a-z]{3,7}-|sq0[ac][ts]p-|shippo_(?:live|test)_)[\w-]{20,}/),
  token("access token", /(?:AT[AC]TT3|fm[12][ar]?_|fo1_|ops_eyJ)[\w+/=-]{43,}/),
  token("access token", /(?:AKCp|cmVmd)[A-Za-z0-9]{59,69}(?![A-Za-z0-9])/),
  token("access token", /(?:PMAK-[0-9a-f]{24}-[0-9a-f]{34}|xkeysib-[0-9a-f]{64})[\w-]*/),
  token("access token", /(?:dt0c01\.[A-Z0-9]{24}|pat[A-Za-z0-9]{14})\.[A-Za-z0-9]{64}/),
  token("access token", /A3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/),
  token("access token", /pat-[a-z]{2}\d-[0-9a-f]{8}-[0-9a-f-]{27}/),
  {
    name: "JSON web token",
    pattern:
      /(?<![\w-])(?=[\w-]+\.eyJ[\w-]{10,}\.[\w-]{20})([\w-]*?)eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/g,
  },
  {
    name: "password",
    // The password in the address of a database, a queue or a server. It may hold what should have been
    // escaped: it goes on to the last @ before the host. A port and a path are not a password.
    pattern:
      /((?<=[a-z0-9]):\/\/[^\s:@/?#"'`<>[\]]{0,128}:)(?!\d{1,5}[/?#]|\$[{(A-Z_]|\{|%[sd]@|\*+@)[^\s@"'`<>]{1,256}(?:@[^\s@/?#:"'`<>]{1,64})*?(?=@(?!sha\d)[\w.-]{0,255}(?:[[:/?#\s"'`<>\\\],;)]|$))/gi,
  },
  {
    name: "password",
    // A line of .netrc.
    pattern:
      /((?<![a-z](?<!\\[nrt]))login[ \t]{1,8}[^\s]{1,128}\s{1,8}password[ \t]{1,8})(?!\[redacted)[^\s]+/g,
  },
  {
    name: "private key",
    // The file format of PuTTY.
    pattern: /(Private-Lines: \d{1,3})(?:[A-Za-z0-9+/=\s]|\\{1,7}[rn]){32,}/g,
  },
];
