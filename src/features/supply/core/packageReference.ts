import { getNodePath, getNodeValue, type Node } from 'jsonc-parser';
import { stringOf } from '../../../base/json';
import {
  type Ecosystem,
  ecosystemOf,
  fetchedBy,
  type PackageRunner,
  partOf,
  programsOf,
  type RunWord,
  type WordPlace,
} from '../../../host/launch';
import { findEntry, type LocateOptions, setValues } from '../../settings/core';

/** Where packages are from whose versions are known. */
type PackageSource = keyof typeof GRAMMARS;

export interface PackageReference {
  readonly ecosystem: PackageSource;
  /** Without version, tag and extras. */
  readonly name: string;
  /** As written: a version, range, tag or digest. Empty: none. */
  readonly version: string;
  /** `exact`: always the same. `floating`: newest, a range or a tag. `elsewhere`: git, an address, a folder. */
  readonly pin: 'exact' | 'floating' | 'elsewhere';
  readonly place: WordPlace;
  /** Its name with this version. */
  readonly pinned: (version: string) => string;
}

/** The options of a package runner: with a value, without one, and those whose value is the package. */
interface Grammar {
  readonly values: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}

const set = (words: string) => new Set(words.split(' '));

const NPM: Grammar = {
  values: set(
    '-c --call -w --workspace --registry --cache --prefix --userconfig --globalconfig --loglevel --node-options --script-shell --shell --before --tag',
  ),
  flags: set(
    '-y --yes --no -n -q --quiet -s --silent -d -dd -ddd --verbose --prefer-online --prefer-offline --offline --no-install --ignore-existing --ignore-scripts --no-audit --no-fund --no-update-notifier --workspaces --include-workspace-root --legacy-peer-deps --force -f --bun --shell-mode --dangerously-allow-all-builds',
  ),
  packages: set('-p --package'),
};
const PYPI: Grammar = {
  values: set(
    '--with -w --with-editable --with-requirements --python -p --index --default-index --index-url -i --extra-index-url --find-links -f --cache-dir --directory --project --env-file --constraints -c --overrides --exclude-newer --refresh-package --upgrade-package -P --config-file --color --prerelease --resolution --index-strategy --keyring-provider --link-mode --no-build-package --no-binary-package --reinstall-package --config-setting -C --allow-insecure-host --pip-args --system-site-packages-dir --build-constraints -b --python-preference --torch-backend',
  ),
  flags: set(
    '-q -qq --quiet -v -vv --verbose --isolated --refresh -U --upgrade -n --no-cache --offline --native-tls --no-config --no-index --no-build --no-binary --no-sources --reinstall --compile-bytecode --managed-python --no-managed-python --no-python-downloads --no-progress --no-env-file --system-site-packages --pypackages --preview',
  ),
  packages: set('--from --spec'),
};
const IMAGE: Grammar = {
  values: set(
    '-e --env --env-file -v --volume --mount --name --network --net --network-alias -w --workdir -u --user -h --hostname -l --label --label-file -m --memory --memory-reservation --memory-swap --memory-swappiness --cpus --cpu-period --cpu-quota --cpu-shares -c --cpuset-cpus --cpuset-mems --entrypoint --platform --pull --add-host --annotation -a --attach --cap-add --cap-drop --cgroup-parent --cgroupns --cidfile --detach-keys --device --device-cgroup-rule --dns --dns-option --dns-search --domainname --expose --gpus --group-add --health-cmd --health-interval --health-retries --health-start-period --health-timeout --ip --ip6 --ipc --isolation --link --log-driver --log-opt --mac-address --oom-score-adj --pid --pids-limit -p --publish --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit --userns --uts --volume-driver --volumes-from --authfile --secret --tz --arch --os --variant',
  ),
  flags: set(
    '--rm -i --interactive -t --tty -d --detach --init --privileged --read-only --no-healthcheck --oom-kill-disable -P --publish-all --sig-proxy -q --quiet --disable-content-trust --use-api-socket --replace --tls-verify --systemd',
  ),
  packages: new Set(),
};

const GRAMMARS = { npm: NPM, pypi: PYPI, image: IMAGE };
/** Commands whose argument is only a part of the package name, or none. */
const NAMELESS = /^(init|create|mcp gateway run)$/;

/**
 * The packages that a command line fetches and runs: several for a runner with several options (`-p a -p b`). Empty when it
 * runs none, or the word is ambiguous: better no hint than one for the wrong word.
 */
export function packagesOf(command: string, args: readonly string[]): readonly PackageReference[] {
  const chain = programsOf(command, args);
  if (!('programs' in chain)) return [];
  for (const program of chain.programs) {
    const fetched = fetchedBy(program);
    if (!fetched) continue;
    const named = NAMELESS.test(fetched.command) ? undefined : namedTo(fetched.runner);
    return (named && toldTo(named, fetched.words, fetched.runner === 'pipx run')) ?? [];
  }
  return [];
}

/** Returns the ecosystem that a runner fetches from, if its arguments name a package: those of `uv run` are the program's. */
export function namedTo(runner: PackageRunner): PackageSource | undefined {
  const ecosystem = ecosystemOf(runner);
  return runner !== 'uv run' && isNamed(ecosystem) ? ecosystem : undefined;
}

const isNamed = (ecosystem: Ecosystem): ecosystem is PackageSource => Object.hasOwn(GRAMMARS, ecosystem);

/** Finds the package in a runner's arguments. Undefined when an unknown option may have a value, which hides the package. */
function toldTo(ecosystem: PackageSource, words: readonly RunWord[], isPipx: boolean): PackageReference[] | undefined {
  const grammar = GRAMMARS[ecosystem];
  const named: RunWord[] = [];
  let positional: RunWord | undefined;
  for (let index = 0; index < words.length && !positional; index++) {
    const word = words[index]!;
    const { text } = word;
    if (text === '--') {
      positional = words[index + 1];
      break;
    }
    if (!/^-./.test(text)) {
      positional = word;
      break;
    }
    const equals = text.indexOf('=');
    const option = equals < 0 ? text : text.slice(0, equals);
    if (grammar.packages.has(option)) {
      const value = equals < 0 ? words[++index] : partOf(word, equals + 1);
      if (value) named.push(value);
    } else if (grammar.values.has(option)) {
      if (equals < 0) index++;
    } else if (!grammar.flags.has(option) && equals < 0 && !areFlags(text, grammar)) return undefined;
  }
  // What a runner calls then is a program of those packages, not a package.
  const packages = named.length > 0 ? named : positional ? [positional] : [];
  return packages.flatMap(word => reference(ecosystem, word, named.length > 0 || isPipx) ?? []);
}

/** `-it`, `-eNAME=value`: letters, of which only the last may have a value, in the same word. */
function areFlags(text: string, { flags, values }: Grammar): boolean {
  const letters = /^-(\w+)/.exec(text)?.[1] ?? '';
  const first = [...letters].findIndex(letter => !flags.has(`-${letter}`));
  return letters !== '' && (first < 0 || (values.has(`-${letters[first]}`) && first < letters.length - 1));
}

const EXACT_NPM = /^v?=?\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;
const NPM_NAME = /^(@[\w.~-]+\/)?[\w.~-]+$/;
const EXACT_PYPI = /^(\d+!)?\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[\w.]+)?$/;
const COMMIT = /[@#][0-9a-f]{40}$/i;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAX_SPEC = 500;

function reference(ecosystem: PackageSource, { text, place }: RunWord, isSpec: boolean): PackageReference | undefined {
  // A variable is told only at launch.
  if (text === '' || text.length > MAX_SPEC || text.includes('${')) return undefined;
  if (ecosystem === 'image') return image(text, place);
  const isElsewhere =
    /^(git[+@:]|[a-z+]+:\/\/|(file|github|gitlab|bitbucket|gist|link):|\.{0,2}[\\/]|~|[A-Za-z]:[\\/])/.test(text) ||
    /\.(tgz|tar\.gz|whl|zip)$/.test(text) ||
    (ecosystem === 'npm' && /^[^@][^@]*\//.test(text)) ||
    (ecosystem === 'pypi' && / @ /.test(text));
  if (isElsewhere) {
    const pin = COMMIT.test(text) ? 'exact' : 'elsewhere';
    return { ecosystem, name: text, version: '', pin, place, pinned: () => text };
  }
  return ecosystem === 'npm' ? npm(text, place) : pypi(text, place, isSpec);
}

function npm(text: string, place: WordPlace): PackageReference | undefined {
  const at = text.indexOf('@', 1);
  const name = at < 0 ? text : text.slice(0, at);
  const version = at < 0 ? '' : text.slice(at + 1);
  if (!NPM_NAME.test(name)) return undefined;
  const pin = EXACT_NPM.test(version) ? 'exact' : /[:/]/.test(version) ? 'elsewhere' : 'floating';
  return { ecosystem: 'npm', name, version, pin, place, pinned: wanted => `${name}@${wanted}` };
}

/** `isSpec`: a requirement (`name==1`), not the form that `uvx` takes directly (`name@1`). */
function pypi(text: string, place: WordPlace, isSpec: boolean): PackageReference | undefined {
  const [, name, extras = '', version = ''] =
    /^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:(\[[\w\s,.-]*\])\s*)?((?:[@=<>!~].*)?)$/s.exec(text) ?? [];
  if (name === undefined) return undefined;
  const [, said = ''] = /^(?:@|={2,3})\s*(.*)/s.exec(version) ?? [];
  const pin = EXACT_PYPI.test(said) ? 'exact' : 'floating';
  const pinned = (wanted: string) => `${name}${extras}${isSpec ? '==' : '@'}${wanted}`;
  return { ecosystem: 'pypi', name, version: version.replace(/^(@|={2,3})/, ''), pin, place, pinned };
}

/** `registry:5000/path/name:tag@sha256:…`: a tag may be given to another image at any time. */
function image(text: string, place: WordPlace): PackageReference | undefined {
  const [, name, tag, digest] = /^((?:[\w.-]+(?::\d+)?\/)?[\w./-]+?)(?::([\w.-]+))?(?:@(\S+))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const pin = digest !== undefined && DIGEST.test(digest) ? 'exact' : 'floating';
  const tagged = tag === undefined ? name : `${name}:${tag}`;
  return {
    ecosystem: 'image',
    name,
    version: digest ?? tag ?? '',
    pin,
    place,
    pinned: wanted => `${tagged}@${wanted}`,
  };
}

/** The packages that a written entry fetches without a fixed version. */
export function floatingOf(command: unknown, args: unknown): readonly PackageReference[] {
  if (typeof command !== 'string' || (args !== undefined && !Array.isArray(args))) return [];
  return packagesOf(command, (args ?? []).map(stringOf)).filter(({ pin }) => pin === 'floating');
}

/**
 * The text of a settings file in which packages of a server are pinned, where they stand. Undefined when none of them is
 * written there as a word of its own, because a variable stands for it.
 * @param versions by the name of the package.
 */
export function pinEntry(
  text: string,
  name: string,
  versions: ReadonlyMap<string, string>,
  options: LocateOptions,
): string | undefined {
  const entry: Node | undefined = findEntry(text, name, options);
  const { command, args }: { command?: unknown; args?: unknown } = entry ? Object(getNodeValue(entry)) : {};
  const found = floatingOf(command, args).filter(one => versions.has(one.name));
  if (!entry || found.length === 0) return undefined;
  const words = [command, ...(Array.isArray(args) ? args : [])].map(stringOf);
  // From the end, so that the places of those before stay.
  for (const { name: wanted, place, pinned } of [...found].reverse()) {
    const word = words[place.argument + 1]!;
    words[place.argument + 1] = word.slice(0, place.start) + pinned(versions.get(wanted)!) + word.slice(place.end);
  }
  const path = getNodePath(entry);
  const places = new Set(found.map(({ place }) => place.argument));
  return setValues(
    text,
    [...places].map(at => [[...path, ...(at < 0 ? ['command'] : ['args', at])], words[at + 1]]),
  );
}

/** Empty for values of another type, which settings report elsewhere. */
