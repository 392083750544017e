const pieces = [
  ...[
    'file:///',
    'demo://resource/static/',
    'memo:',
    'HTTP://User@Host:8080/',
    'C:\\Program Files\\',
    'c:/',
    '\\\\server\\share\\',
  ],
  ...[
    'a',
    'Z',
    '9',
    '/',
    '//',
    '.',
    '..',
    '/../',
    '%2F',
    '%2f',
    '%',
    '%25',
    '%C3%A4',
    '?',
    '#',
    '?q=a b&c',
    '#frag/ment',
  ],
  ...[
    ' ',
    '\t',
    '\n',
    '\0',
    '~',
    '~2f',
    '~u0041',
    '+',
    ':',
    '@',
    '\\',
    '"',
    '<',
    '|',
    '*',
    '=',
    '&',
    ';',
    '[',
    '^',
    '`',
    '{',
  ],
  ...[
    'ä',
    'ß',
    'İ',
    '日本',
    '한',
    'é',
    'e\u0301',
    '🗣',
    '\ud83d',
    '\udde3',
    '\u202e',
    '\u200b',
    '\ufeff',
    '\uffff',
    '￼',
  ],
];

/** As many different-looking URIs, and texts that are none, the same ones in every run. */
export function randomUris(count: number, seed = 1): string[] {
  const random = mulberry32(seed);
  const one = () => {
    const length = Math.floor(random() * 12);
    let uri = '';
    for (let i = 0; i < length; i++) {
      uri += random() < 0.8 ? pieces[Math.floor(random() * pieces.length)] : String.fromCharCode(random() * 0x10000);
    }
    return uri;
  };
  return Array.from({ length: count }, one);
}

/** A small generator of pseudo-random numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
