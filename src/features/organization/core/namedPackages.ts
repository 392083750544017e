import { ecosystemOf, fetchedBy, knownProgram, programName, programsOf, type RunWord } from '../../../host/launch';
import { mayBeSame, type PackageReference, packagesOf } from '../../supply/core';

type Command = readonly string[];

/** A package that a rule names, or a repository that one is fetched from. */
export interface NamedPackage extends Pick<PackageReference, 'name' | 'version' | 'place'> {
  readonly ecosystem: PackageReference['ecosystem'] | 'repository' | 'other';
}

/** The address of a repository, with its owner and name in it. */
const REPOSITORY =
  /^(?:(?:github|gitlab|bitbucket|gist):|git@[^:]+:|(?:git\+)?(?:[a-z+]+:\/\/)?(?:[^/@]+@)?(?:github|gitlab|bitbucket)\.\w+\/|git\+[a-z]+:\/\/[^/]+\/)([\w.-]+\/[\w.-]+?)(?:\.git)?(?=$|[/@#?])(.*)$/is;

/** The packages that a command line of a rule names, whatever fetches them. */
export function packagesNamed(program: string, args: Command): readonly NamedPackage[] {
  const told = packagesOf(program, args);
  const chain = programsOf(program, args);
  const programs = 'programs' in chain ? chain.programs : [];
  const fetched = programs.flatMap(one => {
    const { words, runner } = fetchedBy(one) ?? { words: goRun(one.words), runner: 'go run' as const };
    if (runner === 'uv run') return withValues(words);
    // `packagesOf` has the packages of these runners.
    return /^(npm|pypi|image)$/.test(ecosystemOf(runner))
      ? []
      : words.filter(({ text }) => !text.startsWith('-')).slice(0, 1);
  });
  return [...told, ...fetched.flatMap(named), ...[...fetched, ...wordsOf(told, args)].flatMap(repository)];
}

/** `go run` also takes a package without a version. */
function goRun(words: readonly RunWord[]): readonly RunWord[] {
  const isGo = knownProgram(programName(words[0]?.text ?? ''))?.family === 'go';
  return isGo && words[1]?.text === 'run' ? words.slice(2) : [];
}

const withValues = (words: readonly RunWord[]): readonly RunWord[] =>
  words.flatMap(({ text, place }, index) => {
    if (text === '--with') return words.slice(index + 1, index + 2);
    return text.startsWith('--with=') ? [{ text: text.slice('--with='.length), place }] : [];
  });

/** The words in which packages of known runners stand. */
const wordsOf = (told: readonly PackageReference[], args: Command): readonly RunWord[] =>
  told.flatMap(({ place }) => {
    const text = args[place.argument]?.slice(place.start, place.end);
    return text === undefined ? [] : [{ text, place }];
  });

function named({ text, place }: RunWord): NamedPackage[] {
  const [, name = '', version = ''] = /^(?:(?:npm|jsr):\/?)?(@?[^@]+)(?:@(.*))?$/s.exec(text) ?? [];
  // A local file or folder is no package.
  if (name === '' || /^[./~]|^[a-z+]+:|\.[cm]?[jt]s$/i.test(name)) return [];
  return [{ ecosystem: /^npm:/.test(text) ? 'npm' : 'other', name: name.toLowerCase(), version, place }];
}

/** A tag, branch or commit in a rule means that one. */
function repository({ text, place }: RunWord): NamedPackage[] {
  const [, name, rest = ''] = REPOSITORY.exec(text) ?? [];
  if (name === undefined || (rest !== '' && !/^(@latest|\/|#[a-z])/i.test(rest))) return [];
  return [{ ecosystem: 'repository', name, version: '', place }];
}

/** One of the spellings that a registry takes for the same. The registry of an image is none of its name: others have copies. */
export function plainNameOf({ ecosystem, name }: Pick<NamedPackage, 'ecosystem' | 'name'>): string {
  const lower = name.toLowerCase();
  if (ecosystem === 'pypi') return lower.replace(/[-_.]+/g, '-');
  return ecosystem === 'image' ? lower.replace(/^([^/.:]*[.:][^/]*|localhost)\//, '').replace(/^library\//, '') : lower;
}

export const escaped = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
/** Not within a longer word; behind an option of letters, as `-mname`. */
export const EDGE = String.raw`(?<=^|[^\w.~-]|(?<![\w.~-])-[a-z]{1,3})`;
/** Not the name of another scope. */
const UNSCOPED = String.raw`(?<!(?:^|[^\w/]|[^/]/)@[\w.~-]{1,99}[/+\\])`;
/** A version, or the ending of a file. */
export const END = String.raw`$|[^\w.~-]|-v?\d|[.~-](?![\w.~-])|\.(?:git|cmd|exe|ps1|bat|com|[cm]?js|ts|py|pyz|tgz|tar|whl|zip|jar)(?!\w)`;

export function patternOf(one: NamedPackage): RegExp {
  const name = plainNameOf(one);
  switch (one.ecosystem) {
    case 'repository':
      return new RegExp(String.raw`(?<![\w.-])${escaped(name)}(?=$|\.git(?!\w)|[^\w.-])`, 'g');
    case 'image':
      return new RegExp(String.raw`(?<![\w.-])${escaped(name)}(?![\w/-]|\.\w)`, 'g');
    case 'pypi': {
      const any = name.split('-').map(escaped).join('[-_.]+');
      // `name.server` is a module; `//name.example` a host.
      return new RegExp(String.raw`${EDGE}${any}(?=${END}|\.(?=[a-z_])(?<!//${any}\.))`, 'g');
    }
    default:
      return name.startsWith('@')
        ? new RegExp(`${escaped(name).replace('/', String.raw`[/+\\]{1,2}`)}(?=${END})`, 'g')
        : new RegExp(`${EDGE}${UNSCOPED}${escaped(name)}(?=${END})`, 'g');
  }
}

const VERSION = /^(?:\[[^\]]*\])?\s*(?:@|:|-v?(?=\d)|(?=[=<>!~^]))([^\s'",;&()/?#|]+)\s*(\|\||[<>=~^\d]|-\s)?/;

/** Whether the version behind a name may be that of a rule. One that is not understood may. */
export function mayBeVersion({ ecosystem, version }: NamedPackage, behind: string): boolean {
  const [, said = '', more] = VERSION.exec(behind) ?? [];
  if (more !== undefined) return true;
  // A tag may have been given to any image, but two digests differ.
  const isDigest = (text: string) => ecosystem === 'image' && text.includes('sha256:');
  if (isDigest(version) || isDigest(said)) return !(isDigest(version) && isDigest(said)) || said.endsWith(version);
  return mayBeSame(version, said);
}
