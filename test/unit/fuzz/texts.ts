import fc from 'fast-check';

/** One of these, each as often as its weight says. */
export const oneOf = <T>(...weighted: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export const pick = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Ids of inputs, of which entries name some, and some that are not there. */
export const INPUT_IDS = ['token', 'region', 'made', 'to`ken'] as const;
export const ENV = { HOST: 'h.example', EMPTY: '', ODD: 'a b"c\\d', DOLLAR: '${env:HOST} ${input:token} $&' };
export const CONFIG_KEYS = ['a.b', 'proxy', 'gone'] as const;

/** Any character. The like of fast-check, `unit: 'binary'`, makes a table of a million each time it is asked for. */
export const character = fc.nat({ max: 0x10f7ff }).map(n => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

const word = pick('a', 'node', 'x y', 'server.js', '-y', '--flag', '/usr/bin/x', '../up', 'C:\\p q\\x.exe', '0', '');
const markup = pick(
  '[Sign in](command:workbench.action.createTerminalEditor)',
  '[x](https://evil.example)',
  '](command:x',
  '$(warning) $(sync~spin)',
  '<img src=x onerror=alert(1)>',
  '![p](https://evil.example/p.png)',
  '`code` **bold** <!-- c -->',
  '"quoted" \\"twice\\" \\',
);
/** Nobody sees these, or they change how the rest is read. */
const hidden = pick(
  ...['\u202e', '\u2066', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u061c', '\u115f', '\u3164'],
  ...['\u{e0041}', '\u{e0080}', '\u{e01ef}', '\ufe0f', '\ufe00', '\u2065', '\ufff0', '\u{1d173}', '\u180b', '\u180f'],
  ...[
    '\u2028',
    '\u0085',
    '\n',
    '\r\n',
    '\t',
    '\x1b[31m',
    '\x1b]8;;http://x\x07',
    '\b',
    '\x7f',
    '\x9b2K',
    '\u2800',
    '\u00a0',
  ],
);
const variable = oneOf<string>(
  [4, pick(...INPUT_IDS, 'none').map(id => `\${input:${id}}`)],
  [4, pick(...Object.keys(ENV), 'NONE').map(name => `\${env:${name}}`)],
  [3, pick(...CONFIG_KEYS).map(key => `\${config:${key}}`)],
  [
    2,
    pick(
      '${workspaceFolder}',
      '${workspaceFolder:a}',
      '${userHome}',
      '${/}',
      '${command:x}',
      '${}',
      '${',
      '$${env:HOST}',
    ),
  ],
  [1, pick('\0{env:HOST}', '\0{input:token}', '$$', '⟨U+202E⟩', '•••', '…')],
);
const gap = oneOf<string>(
  [3, fc.integer({ min: 9, max: 300 }).map(n => ' '.repeat(n))],
  [1, fc.integer({ min: 1_000, max: 8_000 }).map(n => 'x'.repeat(n))],
  [1, fc.integer({ min: 1, max: 60 }).map(n => '[a=(){}+*?|\\^$'.repeat(n))],
);
const anything = fc.string({ unit: character, maxLength: 12 });

/** Text of somebody who means no good. */
export const hostile = fc
  .array(oneOf<string>([8, word], [3, markup], [4, hidden], [4, variable], [1, gap], [2, anything]), { maxLength: 4 })
  .map(pieces => pieces.join(''));

/** Names too: of servers, variables, tools, keys. */
export const names = oneOf<string>(
  [8, pick('files', 'git hub', 'a/b', 'x@y', 'A', 'näme', '例え')],
  [2, pick('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'servers', 'mcpServers', 'inputs', '')],
  [2, hostile],
);

const ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const randomOf = (characters: string, minLength: number, maxLength: number) =>
  fc.array(pick(...characters), { minLength, maxLength }).map(all => `aB3${all.join('')}`);
/** A secret, by its shape as well. Long enough that it stands nowhere by chance. */
export const secret = oneOf<string>(
  [4, randomOf(ALPHANUMERIC, 36, 40).map(text => `ghp_${text}`)],
  [3, randomOf(`${ALPHANUMERIC}+/`, 24, 60)],
  [2, randomOf(`${ALPHANUMERIC}"\\/+=&?%#ö🔑;`, 24, 40)],
  [1, randomOf(ALPHANUMERIC, 300, 900)],
);

/** How a secret may be spelled where somebody prints it. */
export const SPELLINGS: Record<string, (text: string) => string> = {
  plain: text => text,
  json: text => JSON.stringify(text).slice(1, -1),
  jsonTwice: text => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  slashes: text => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  escapes: text => text.replace(/[^\w]/g, escaped),
  allEscapes: text => text.replace(/[\s\S]/g, escaped),
  url: text => encodeURIComponent(text.toWellFormed()),
  urlLower: text => encodeURIComponent(text.toWellFormed()).replace(/%../g, code => code.toLowerCase()),
  form: text => new URLSearchParams({ a: text }).toString().slice(2),
  base64: text => Buffer.from(text).toString('base64'),
  base64url: text => Buffer.from(text).toString('base64url'),
  basic: text => Buffer.from(`me:${text}`).toString('base64'),
  basicOdd: text => Buffer.from(`you:${text}!`).toString('base64'),
};

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The spellings of a secret that stand in a text, or in what a text is when it is read as JSON. */
export function leaks(text: string, secrets: readonly string[]): string[] {
  const found = secrets.flatMap(value =>
    Object.entries(SPELLINGS)
      // Base64 of what is around it ends in characters that both have a part in.
      .filter(([name, spell]) => text.includes(/^bas/.test(name) ? core(spell(value)) : spell(value)))
      .map(([name]) => name),
  );
  return [...new Set(found)];
}

const core = (base64: string) => base64.slice(8, -6);

/** What a person would not see in a text, or would see as something else. What emoji and scripts are made of is seen. */
export function hiddenIn(text: string, allowed = ''): string[] {
  const found = [...text.matchAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]/gu)].filter(({ 0: character, index }) => {
    const isPart = /[\ufe0f\u200d]/.test(character) && /[\p{Emoji}\p{L}]$/u.test(text.slice(0, index).slice(-2));
    return !allowed.includes(character) && !(isPart && text.charCodeAt(index - 1) > 0x7f);
  });
  return [...new Set(found.map(([character]) => `U+${character.codePointAt(0)!.toString(16)}`))];
}
