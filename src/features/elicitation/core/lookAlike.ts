/** Hosts that people are most often led to believe they are on. */
const WELL_KNOWN = [
  'amazon.com',
  'anthropic.com',
  'apple.com',
  'atlassian.com',
  'bitbucket.org',
  'cloudflare.com',
  'dropbox.com',
  'facebook.com',
  'figma.com',
  'github.com',
  'gitlab.com',
  'google.com',
  'linear.app',
  'linkedin.com',
  'microsoft.com',
  'microsoftonline.com',
  'notion.so',
  'npmjs.com',
  'openai.com',
  'paypal.com',
  'sentry.io',
  'slack.com',
  'stripe.com',
  'vercel.com',
  'visualstudio.com',
];

/** Letters that look like Latin ones, and how digits are read in names. */
const LOOKS_LIKE: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'aаɑα',
    'bЬƅ',
    'cсϲ',
    'dԁ',
    'eеҽ',
    'fƒ',
    'gɡց',
    'hһ',
    'iіıι',
    'jј',
    'kκк',
    'l1ӏ|ⅼ',
    'mм',
    'nпո',
    'o0оοօ',
    'pрρ',
    'qԛ',
    'rг',
    'sѕ5',
    'tтτ',
    'uսυ',
    'vνѵ',
    'wԝω',
    'xхχ',
    'yуү',
    'zᴢ',
  ].flatMap(([latin = '', ...others]) => others.map(other => [other, latin])),
);

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Cherokee}/u,
];

/** Whether a part of a host name has letters of several alphabets. */
export function mixesScripts(label: string): boolean {
  return SCRIPTS.filter(script => script.test(label)).length > 1;
}

/**
 * The well-known host, or the Latin spelling, that a host name in Unicode can be taken for; undefined where it is that
 * host or one below it, and where it looks like nothing else.
 */
export function lookAlikeOf(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (WELL_KNOWN.some(known => name === known || name.endsWith(`.${known}`))) return undefined;
  const plain = skeleton(name);
  // Also in front of another: `github.com.example.net`, `github.com-login.example`.
  const known = WELL_KNOWN.find(known => {
    const at = ` ${plain} `.replace(/[.-]/g, ' ').indexOf(` ${known.replace('.', ' ')} `);
    return at >= 0 || plain === skeleton(known);
  });
  if (known) return known;
  // Letters of another alphabet that all read as Latin ones.
  const latin = asLatin(name);
  return /[^\x20-\x7f]/.test(name) && !/[^\x20-\x7f]/.test(latin) ? latin : undefined;
}

const asLatin = (name: string) => [...name].map(letter => LOOKS_LIKE[letter] ?? letter).join('');

/** The shape of a name at a glance. */
function skeleton(name: string): string {
  const withoutAccents = name.normalize('NFKD').replace(/\p{M}/gu, '');
  return asLatin(withoutAccents).replaceAll('rn', 'm').replaceAll('vv', 'w');
}
