/** Words without meaning for a search. Verbs such as "get" and "list" are kept, because they distinguish tools. */
const COMMON = new Set(
  'a about also am an and any are as at be been but by can could did do does for from had has have how i if in into is it its just let like me my no not of on or our out please should so some than that the their them then there these they this those to too tool tools up us use used using was we were when where who whose why will with would you your'.split(
    ' ',
  ),
);

/**
 * Synonyms of people and tools in whole words, one meaning a line. Actions come first: they apply to almost anything, and say
 * less about what is wanted than their objects.
 */
const ACTIONS: readonly string[] = [
  'get fetch read retrieve show view display see give load open pull what which',
  'list enumerate browse',
  'search find lookup query look seek',
  'create add new make open insert register write',
  'delete remove destroy drop erase trash discard forget clear cancel rid throw',
  'update edit modify change set rename adjust',
  'send post publish submit deliver',
  'run execute launch start trigger kick perform invoke',
  'stop cancel abort end terminate kill halt quit',
  'close dismiss shut',
  'choose select pick',
  'move drag transfer relocate',
  'copy duplicate clone fork',
  'save store keep remember write export persist',
  'check verify validate test inspect audit',
  'compare diff difference',
  'download save fetch',
  'retry rerun repeat again',
  'answer reply respond accept decline',
  'leave add write',
  'link associate relate connect',
];
const THINGS: readonly string[] = [
  'repository repo project',
  'directory folder',
  'image picture photo screenshot',
  'screenshot capture snapshot',
  'database db',
  'pr pull',
  'mr merge',
  'organization org company',
  'kubernetes k8s kubectl',
  'message dm chat',
  'issue ticket bug',
  'log history recent lately latest',
  'environment env',
  'config configuration setting option',
  'variable var',
  'page tab website site url web',
  'meeting event appointment schedule',
  'invitation invite respond',
  'email mail inbox newsletter',
  'person people user member account somebody',
  'app application',
  'price cost',
  'click press tap',
  'dropdown select option combobox',
  'alert dialog popup',
  'comment note remark story annotation',
  'column field property',
  'row record entry',
  'card task todo item',
  'label tag',
  'size large big megabyte byte',
  'far distance',
  'high elevation altitude height',
  'address place location coordinate',
  'restaurant shop nearby place',
  'drive route direction travel',
  'free busy freebusy availability available',
  'status state green passing',
  'shell command exec terminal',
  'slow performance latency',
  'watch monitor observe follow',
  'sum total aggregate group statistic',
  'fact knowledge memory entity observation',
  'channel room',
  'reaction emoji react thumbs',
  'review approve approval',
  'draft unsent',
  'folder label',
  'mean documentation explain describe',
  'paper article publication',
  'deploy deployment rollout release',
  'version revision release',
];

/** Definitions use the same words over and over. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

const synonyms = new Map<string, readonly string[]>();
const actions = new Set<string>();
for (const line of [...ACTIONS, ...THINGS]) {
  const group = line.split(' ').map(stem);
  for (const word of group) synonyms.set(word, [...(synonyms.get(word) ?? []), ...group.filter(one => one !== word)]);
}
for (const line of ACTIONS) for (const word of line.split(' ')) actions.add(stem(word));

/** Whether a stem says what to do, and not with what. */
export const isAction = (word: string): boolean => actions.has(word);

/** Other stems with the same meaning as one of `stem`. */
export const synonymsOf = (word: string): readonly string[] => synonyms.get(word) ?? [];

/**
 * The stems in a text, in their order: `camelCase`, `snake_case` and `HTTPServer` taken apart, common words left out. Pairs of
 * characters in scripts without spaces.
 */
export function stemsOf(text: string): string[] {
  const found: string[] = [];
  const apart = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
  for (const [word] of apart.toLowerCase().matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word)) {
      const characters = [...word];
      if (characters.length === 1) found.push(word);
      for (let i = 1; i < characters.length; i++) found.push(characters[i - 1]! + characters[i]!);
    } else if (!COMMON.has(word)) found.push(stem(word));
  }
  return found;
}

/**
 * An English word without its endings, so that "deployments", "deployed" and "deploying" are one; no word itself. A lighter
 * form of Porter's algorithm. What it leaves of words in other languages is the same each time, which is all that matters.
 */
export function stem(word: string): string {
  let made = stems.get(word);
  if (made === undefined) {
    if (stems.size >= MAX_STEMS) stems.clear();
    made = stemmed(word);
    stems.set(word, made);
  }
  return made;
}

function stemmed(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word.length === 3 ? word.replace(/^([a-z]{2})s$/, '$1') : word;
  let made = word
    .replace(/ies$/, 'y')
    .replace(/(ss|x|sh|ch)es$/, '$1')
    .replace(/([^suxi])s$/, '$1');
  const shorter = made.replace(/^(.*[aeiouy].*?)(ing|ed)$/, '$1');
  if (shorter !== made && shorter.length >= 3) {
    made = shorter.replace(/([^aeiouylsz])\1$/, '$1');
  }
  made = made
    .replace(/(.{3,})(ization|isation)$/, '$1iz')
    .replace(/(.{2,}[st])ion$/, '$1')
    .replace(/(.{4,})(ment|ness)$/, '$1')
    .replace(/(.{4,})ly$/, '$1');
  made = made.replace(/(.{2,})e$/, '$1').replace(/(.{2,})y$/, '$1i');
  return made;
}
