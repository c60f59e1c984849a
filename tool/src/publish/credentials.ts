/** Whether a variable of this name holds a secret. One that ends in `_FILE` holds only a path. */
export function isSecretName(name: string): boolean {
  return /(^|_)(tokens?|secrets?|passwords?|passwd|passphrase|pwd|pass|credentials?|(api|access|private|secret|signing|encryption|master)_?keys?)$/i.test(
    name.replaceAll("-", "_"),
  );
}

/** Whether a variable's value should be declared as a secret instead. */
export function isSecret(name: string, value: string): boolean {
  if (value === "" || /^(true|false|yes|no|on|off)$/i.test(value)) return false;
  // It may be a number of tokens: MAX_TOKENS=4096.
  const isCount = /tokens$/i.test(name) && /^\d{1,9}$/.test(value);
  return (isSecretName(name) && !isCount) || findPasswords(value).length > 0 || knownForms.test(value);
}

/** The passwords in a URL, as they are written in it. */
export function findPasswords(value: string): string[] {
  const [, protocol = "", user = "", password] =
    /^\s*([a-z][a-z0-9+.-]*):\/\/([^/?#@:\s]*)(?::([^/?#\s]*))?@/i.exec(value) ?? [];
  const token = password === undefined && /^https?$/i.test(protocol) && user !== "git" ? user : "";
  const parameters = /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? [...value.matchAll(/[?&]([^?=&#]+)=([^&#\s]*)/g)] : [];
  const queried = parameters.filter(([, name = ""]) => isSecretName(name)).map(([, , text = ""]) => text);
  return [password ?? token, ...queried].filter((text) => text !== "");
}

/**
 * The parts of a secret that must not be shown. Of a server's URL that is only its password: the rest tells what could
 * not be reached.
 */
export function listHiddenParts(value: string): string[] {
  const passwords = /^\s*https?:/i.test(value) ? [] : findPasswords(value);
  if (passwords.length === 0) return [value];
  // A short one may be part of any word.
  return passwords.flatMap((text) => (text.length < 8 ? [`:${text}@`, `=${text}`] : [text, decodePart(text)]));
}

/** A part of a URL without its escapes, if they are valid. */
export function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Tokens of well-known services, private keys, and JSON web tokens. */
const knownForms = new RegExp(
  [
    "-----BEGIN [A-Z ]*PRIVATE KEY",
    // A limit, because another one may begin after each dash.
    "\\beyJ[\\w-]{10,2000}\\.eyJ[\\w-]{10,}\\.",
    "\\b(AKIA|ASIA)[A-Z0-9]{16}\\b",
    "\\bAIza[\\w-]{35}",
    "\\b(gh[pousr]_|github_pat_|glpat-|hvs\\.|SG\\.|lin_api_|figd_|glsa_)[\\w.-]{20,}",
    "\\b(npm_|hf_|secret_|ntn_|gsk_|vcp_|dapi)[A-Za-z0-9]{20,}",
    "\\bsk-[\\w-]{20,}",
    "\\b[rs]k_(live|test)_\\w{16,}",
    "\\b(xox[abeoprs]|xapp)-[\\w-]{10,}",
    "\\bshp(at|ca|pa|ss)_[\\da-fA-F]{32}",
    "\\btskey-[a-z]+-\\w{8,}-\\w{16,}",
    "\\bdckr_(pat|oat)_[\\w-]{20,}",
    "hooks\\.slack\\.com/services/\\w",
  ].join("|"),
);
