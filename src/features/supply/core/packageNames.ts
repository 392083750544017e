import { percentDecoded } from '../../../base/text';
import { fetchedBy, partOf, programName, programsOf, type RunProgram, type RunWord } from '../../../host/launch';
import { packagesOf } from './packageReference';

export interface NamedPackage {
  /** Undefined: its name alone does not say. */
  readonly ecosystem: 'npm' | 'pypi' | 'image' | undefined;
  readonly name: string;
  /** Empty: any. */
  readonly version: string;
  /** The argument that names it; -1: the command. */
  readonly argument: number;
}

/**
 * All packages that a command line may run, however it is written: by name, behind an alias, as an archive, from a repository or
 * another site, from where it is installed, as a module or as a program. For denials: rather one too many.
 */
export function namesOfPackages(command: string, args: readonly string[]): readonly NamedPackage[] {
  const known = packagesOf(command, args);
  return [
    ...known.map(({ place, ...named }) => ({ ...named, argument: place.argument })),
    ...programsOf(command, args).flatMap(program => [
      ...program.words.flatMap(inAnyWord),
      ...asProgram(program),
      ...asOption(program),
      // An option that is not known may hide which word is the package.
      ...(known.length === 0 && fetchedBy(program) ? program.words.slice(1).flatMap(word => named(word)) : []),
    ]),
  ];
}

/** `name`, `@scope/name`, each with a version or without. */
const SPEC = /^(@[^@/\s]+\/[^@/\s]+|[^@/\s]+)(?:@([^@/\s]*))?$/;

function named(
  { text, place: { argument } }: RunWord,
  ecosystem: NamedPackage['ecosystem'] = undefined,
): readonly NamedPackage[] {
  const [, name, version = ''] = SPEC.exec(text) ?? [];
  return name === undefined ? [] : [{ ecosystem, name, version, argument }];
}

/** What only a package can be, wherever it stands: `npm:name`, an address, a path to where packages are installed. */
function inAnyWord(word: RunWord): readonly NamedPackage[] {
  const alias = /(?:^|[@=])(npm|jsr):\/?/.exec(word.text);
  if (alias) {
    const [rest = ''] = /^(@[^/]*\/)?[^/]*/.exec(word.text.slice(alias.index + alias[0].length)) ?? [];
    return named({ ...word, text: rest }, 'npm');
  }
  const segments = percentDecoded(word.text)
    .split(/[?#]/, 1)[0]!
    .split(/[\\/:]+/)
    .filter(Boolean);
  if (segments.length < 2 && !ARCHIVE.test(word.text)) return [];
  const isAfar =
    /^[a-z][a-z+]*:(\/\/|[^\\/])|^git@|^[\w.-]+\/[\w.-]+(#.*)?$/i.test(word.text) && !word.text.startsWith('file:');
  return segments.flatMap((segment, index) => {
    const before = segments[index - 1] ?? '';
    const whole = before.startsWith('@') ? `${before}/${segment}` : segment;
    const folder = before.startsWith('@') ? segments[index - 2] : before;
    const isInstalled = /^(node_modules|site-packages|dist-packages|\.pnpm|\.bin|-)$/.test(folder ?? '');
    if (!isAfar && !isInstalled && !ARCHIVE.test(segment)) return [];
    return [whole.replace(/^(@[^/+]+)\+/, '$1/').replace(/\.git$/, ''), ...archived(segment)].flatMap(text =>
      named({ ...word, text }),
    );
  });
}

const ARCHIVE = /\.(tgz|tar\.gz|whl|zip)$/;

/** `name-1.0.0.tgz`, `name-1.0.0-py3-none-any.whl`, as `name@1.0.0`. */
function archived(file: string): readonly string[] {
  if (!ARCHIVE.test(file)) return [];
  const [, name, version] = /^(.+?)-v?(\d[\w.+!]*(?:-(?:alpha|beta|rc|next)[\w.]*)?)/.exec(file) ?? [];
  return name === undefined ? [file.replace(ARCHIVE, '')] : [`${name}@${version!.replace(ARCHIVE, '')}`];
}

/** An installed package is run by its name, or by that of its module. */
function asProgram({ name, known, words: [first, ...words] }: RunProgram): readonly NamedPackage[] {
  if (!known && first) return named({ ...first, text: programName(first.text) });
  if (known?.kind !== 'interpreter' || !/^py/.test(name)) return [];
  const module = words[words.findIndex(({ text }) => /^-[a-zA-Z]*m$/.test(text)) + 1];
  return module ? named({ ...module, text: module.text.split('.', 1)[0]! }, 'pypi') : [];
}

const NAMING = /^(-p|--package|--from|--spec|--with|-w)(=|$)/;

/** The values of options that name packages, wherever they stand before or behind the command of a manager. */
function asOption({ known, words }: RunProgram): readonly NamedPackage[] {
  if (known?.kind !== 'manager') return [];
  return words.flatMap((word, index) => {
    const [option] = NAMING.exec(word.text) ?? [];
    if (option === undefined) return [];
    const value = option.endsWith('=') ? partOf(word, option.length) : words[index + 1];
    return value
      ? value.text.split(',').flatMap(text => named({ ...value, text: text.replace(/[\s[=<>!~].*$/s, '') }))
      : [];
  });
}
