import { programName } from './knownPrograms';

/** A command line that runs the program of one npm package, and says nothing else that matters to what is run. */
export interface PackageLine {
  /** Without version. */
  readonly name: string;
  /** Whether the registry may say another version tomorrow. */
  readonly isFloating: boolean;
  /** What npx looks for in folders of programs before it looks for a package. */
  readonly word: string;
  /** The arguments of the runner that run the same program without arguments, but install nothing. */
  readonly asking: readonly string[];
  /** Whether it installs without asking. */
  readonly saysYes: boolean;
  /** The arguments of the package's program. */
  readonly own: readonly string[];
}

/** Options that do not change what is run; npm passes them on to programs in variables. */
const FLAGS =
  /^(-y|--yes|-q|--quiet|-s|--silent|--prefer-online|--prefer-offline|--offline|--no-audit|--no-fund|--no-update-notifier|--ignore-scripts)$/;
const YES = /^(-y|--yes)$/;
/** A package of a registry, with a tag or version at most. For a range, npx would install at each start. */
const SPEC = /^((?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?:@((?!v\d|x$)[a-z][a-z-]*|\d+\.\d+\.\d+(?:[-+][\w.+-]+)?))?$/i;

/** Reads a command line of `npx`, `npm exec` or `npm x`. Undefined for any other, and where an option is unknown. */
export function packageLine(command: string, args: readonly string[]): PackageLine | undefined {
  const runner = programName(command);
  const isNpx = runner === 'npx';
  if (!isNpx && (runner !== 'npm' || !/^(exec|x)$/.test(args[0] ?? ''))) return undefined;
  const before = isNpx ? [] : args.slice(0, 1);
  const flags: string[] = [];
  const packages: string[] = [];
  let saysYes = false;
  let at = before.length;
  for (; at < args.length && args[at] !== '--' && args[at]!.startsWith('-'); at++) {
    const [, named] = /^(?:-p|--package)=(.+)$/s.exec(args[at]!) ?? [];
    if (YES.test(args[at]!)) saysYes = true;
    else if (FLAGS.test(args[at]!)) flags.push(args[at]!);
    else if (named !== undefined) packages.push(named);
    else if (/^(-p|--package)$/.test(args[at]!)) packages.push(args[++at] ?? '');
    else return undefined;
  }
  const isSplit = args[at] === '--';
  const [word = '', ...own] = args.slice(isSplit ? at + 1 : at);
  // Without `--`, npm takes options behind the package for its own.
  if (packages.length > 1 || (!isNpx && !isSplit && own.some(text => text.startsWith('-')))) return undefined;
  const [, name, version = ''] = SPEC.exec(packages[0] ?? word) ?? [];
  if (name === undefined || !/^[\w@][\w.@/~^-]*$/.test(word)) return undefined;
  const asking = [...before, '--yes=false', ...flags, ...packages.map(spec => `--package=${spec}`), '--', word];
  return { name, isFloating: !/^\d/.test(version), word, asking, saysYes, own };
}
