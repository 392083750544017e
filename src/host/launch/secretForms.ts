import { looksLikeJson, parsedJson } from '../../base/json';
import { isRandom, isSecretName } from '../../base/secretWords';
import { knownProgram, programName } from './knownPrograms';

/*
 * A name such as API_TOKEN proves nothing about its value: a program may run that. So a mask is drawn over what has the form of a
 * secret. What reads as a command is shown, and a mask over anything between is marked in the review (`isInert`).
 */

/** What is longer, in characters, holds more than a secret. */
export const MAX_READ = 20_000;

const WORD = /^[\w+/.~:@%#^-]+={0,2}!*$/;
/** The path of a script has words between its slashes, a generated secret has none. */
const PATH_OF_WORDS = /^(?:[A-Z]?[a-z]+\d{0,3}|[A-Z]+\d{0,3})(?:\/(?:[A-Z]?[a-z]+\d{0,3}|[A-Z]+\d{0,3}))+$/;
/** The name of a script or a program. */
const PROGRAM = /\.(?:[cm]?[jt]s|py|rb|pl|sh|php|lua|exe|bat|cmd|ps1|jar|so|dll|dylib)$/;
/** The scheme before a secret in a header. */
export const SCHEME = /^(?:Bearer|Basic|Token|ApiKey) +(?=\S)/i;
const ADDRESS =
  /^[a-z][a-z\d+.-]*:\/\/[\w+/.~:@%,-]*(?:\?[\w.%-]+=[\w+/.~:@%^,=-]*(?:&[\w.%-]+=[\w+/.~:@%^,=-]*)*)?(?:#[\w+/.~:@%-]*)?$/i;

/** Whether no shell and no script can make more of a text than one word: a mask over it hides no command. */
export function isInert(text: string): boolean {
  const value = text.replace(SCHEME, '');
  if (value === '' || WORD.test(value)) return !PATH_OF_WORDS.test(value) && !PROGRAM.test(value);
  return value.length <= MAX_READ && (ADDRESS.test(value) || isPem(value));
}

const PEM_MARK = /-----(?:BEGIN|END) [A-Z\d ]{1,40}-----/g;

/** Keys and certificates, on lines of one word each, or on a single line. */
function isPem(text: string): boolean {
  if (!text.startsWith('-----BEGIN ')) return false;
  const lines = text
    .trim()
    .split(/\r?\n|(?:\\r)?\\n/)
    .map(line => line.replace(PEM_MARK, '').trim());
  const words = lines.length > 1 ? lines : lines[0]!.split(/ +/);
  const isHeader = (line: string) => /^(?:Proc-Type|DEK-Info): [\w,-]*$/.test(line);
  return words.every(word => isHeader(word) || (/^[A-Za-z\d+/=]*$/.test(word) && !PATH_OF_WORDS.test(word)));
}

/** Generated secrets have slashes too, but neither such a beginning nor dots and dashes between them. */
const ABSOLUTE = /^(?:\0\{[^{}]*\})?(?:~|\.{1,2}|[A-Za-z]:)?[\\/]/;
const RELATIVE = /^(?=.*[.@_-])[\w@.+-]+(?:[\\/][\w@.+ -]+)+$/;
const looksLikePath = (value: string) => ABSOLUTE.test(value) || RELATIVE.test(value);

const CALL = /\$\(|`|[<>]\(|\$\{IFS|(?<![\w.])(?:require|import|eval|exec|system|spawn|Function)\s?[("']/;
/** After variables that are set for it. */
const COMMAND =
  /^(?:[\w.-]+=\S*\s+)*(?:(?:eval|exec|source|\.|import|from|require|use|load|include|call|start|sudo|doas|rm|del|mv|cp|curl|wget|iwr|iex|kill|open|echo|printf|cat|git|make|ssh|nc)\s|\S+\s+--?\w)/i;

/** Whether a value is a path, or begins with one or with a known program. */
export function beginsAsCommand(value: string): boolean {
  if (looksLikePath(value)) return true;
  const [first = '', ...others] = value.trimStart().split(/\s+/, 2);
  return others.length > 0 && (looksLikePath(first) || knownProgram(programName(first)) !== undefined);
}

/** Whether a value begins so, or is built like a line of a shell or a script. */
export function readsAsCommand(value: string): boolean {
  if (beginsAsCommand(value)) return true;
  if (value.length > MAX_READ || isInert(value) || pairsOf(value) || isJson(value)) return false;
  const text = value.trim();
  return CALL.test(text) || COMMAND.test(text) || (/\s/.test(text) && /[;|&<>()$\\]/.test(text));
}

const isJson = (text: string) => looksLikeJson(text) && typeof parsedJson(withoutReferences(text)) === 'object';

/** For a parser, which takes no references. */
const withoutReferences = (text: string) => text.replaceAll(/\0\{[^{}]*\}/g, 'x');

const FLAG = /^\s*(?:(?:HttpOnly|Secure|Partitioned)\s*)?$/i;
const PAIR = /^(\s*[A-Za-z][\w .-]{0,60}=)(.+)$/s;

/** The parts of a cookie or a connection string. Undefined: it is none. */
function pairsOf(text: string): { parts: RegExpExecArray[]; sign: string } | undefined {
  const sign = text.includes(';') ? ';' : ' ';
  const words = text.split(sign).filter(part => part.trim());
  const parts = words.filter(part => !FLAG.test(part)).map(part => PAIR.exec(part));
  const isPairs = words.length > 1 && parts.length > 0 && parts.every(part => part && !isRandom(part[1]!.trim()));
  return isPairs ? { parts: parts as RegExpExecArray[], sign } : undefined;
}

/**
 * A value under the name of a secret, with each secret in it replaced. Of JSON, cookies and connection strings, names stay; if some of
 * these name secrets, only such values are replaced and what is random.
 */
export function eachSecret(value: string, replace: (secret: string) => string): string {
  if (value.length > MAX_READ) return replace(value);
  const hide = (text: string) => (readsAsCommand(text) ? text : replace(text));
  const pairs = pairsOf(value);
  if (pairs) {
    const names = pairs.parts.map(([, name = '']) => isSecretName(name));
    return value
      .split(pairs.sign)
      .map(part => {
        const [, name = '', text = ''] = (FLAG.test(part) ? undefined : PAIR.exec(part)) ?? [];
        const isSecret = !names.includes(true) || isSecretName(name) || isRandom(text);
        return name && isSecret ? name + hide(text) : part;
      })
      .join(pairs.sign);
  }
  if (isJson(value)) return inJson(value, hide);
  const [scheme = ''] = SCHEME.exec(value) ?? [];
  return scheme + replace(value.slice(scheme.length));
}

const NAME_OR_VALUE = /"((?:[^"\\]|\\.)*)"(\s{0,9}:(?:\s{0,9}\{)?)?|-?\d[\d.eE+-]*/gs;

function inJson(json: string, hide: (text: string) => string): string {
  const secretNames = [...json.matchAll(NAME_OR_VALUE)].filter(([, name = '', colon]) => colon && isSecretName(name));
  // In an object under such a name, anything may be the secret.
  const namesSecrets = secretNames.length > 0 && !secretNames.some(([all]) => all.endsWith('{'));
  let name = '';
  return json.replace(NAME_OR_VALUE, (all, text: string | undefined, colon: string | undefined) => {
    if (colon) name = text ?? '';
    const isSecret = !namesSecrets || isSecretName(name) || isRandom(text ?? '') || text?.startsWith('-----BEGIN');
    if (colon || !isSecret) return all;
    return text === undefined ? hide(all) : `"${hide(text)}"`;
  });
}
