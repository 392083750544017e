import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import { readBounded } from '../../base/files';
import { parsedJson } from '../../base/json';
import { english } from '../../base/phrase';
import { type LaunchedServer, runProgram, sandboxFolder } from '../../host';
import type { ProgramPorts, ServerDefinition } from '../../host/definition';
import { processesOf } from '../../host/launch';
import { floatingOf, type PackageReference } from './core/packageReference';

interface LocalPackage {
  readonly version: string;
  /** The publisher, as the package declares it. */
  readonly publisher?: string;
}

/** How the person's own programs are asked about packages, for a server. */
export interface Asking extends Pick<Parameters<typeof runProgram>[0], 'cwd' | 'signal'> {
  readonly definition: ServerDefinition;
  readonly ports: ProgramPorts;
  /** `env` of the server's entry, which may not have been allowed yet: only the registry that it names counts. */
  readonly entryEnv?: Readonly<Record<string, string | null>>;
}

const MAX_MANIFEST = 1024 * 1024;
/** The most processes of a server, and folders in a cache, that are examined: the newest count. */
const MAX_PROCESSES = 100;
const MAX_FOLDERS = 1_000;
/** How long a program may take to answer; a registry may be slow. */
const ASK_MS = 60_000;
const MAX_ANSWER = 1024 * 1024;

/** The package that the processes of a running server come from. Undefined: it can't be seen, as on Windows. Never rejects. */
export async function runningPackage(wanted: PackageReference, pid: number): Promise<LocalPackage | undefined> {
  for (const one of (await processesOf(pid)).slice(0, MAX_PROCESSES)) {
    for (const word of await one.words()) {
      if (!path.isAbsolute(word)) continue;
      const real = await realpath(word).catch(() => word);
      for (const at of new Set([word, real])) {
        const found =
          wanted.ecosystem === 'npm' ? await npmAround(wanted.name, at) : await pythonAround(wanted.name, at);
        if (found) return found;
      }
    }
  }
  return undefined;
}

/**
 * The package that `npx` has fetched last for these words, from its cache. Nothing is run or asked. Undefined for other
 * runners, whose caches do not say what was fetched for what. Never rejects.
 * @param env as the server gets it: it may say where the cache is.
 */
export async function cachedPackage(
  wanted: PackageReference,
  env: Readonly<Record<string, string | null | undefined>> = {},
): Promise<LocalPackage | undefined> {
  if (wanted.ecosystem !== 'npm') return undefined;
  const folder = path.join(npmCache(env), '_npx');
  const names = await readdir(folder).catch(() => []);
  let newest: { at: number; found: LocalPackage } | undefined;
  for (const name of names.slice(0, MAX_FOLDERS)) {
    const at = path.join(folder, name);
    const manifest = await json(path.join(at, 'package.json'));
    const { packages }: { packages?: unknown } = Object(manifest?._npx);
    const spec = wanted.version ? `${wanted.name}@${wanted.version}` : wanted.name;
    if (!Array.isArray(packages) || !packages.includes(spec)) continue;
    const found = await npmAt(wanted.name, path.join(at, 'node_modules'));
    const changed = await stat(path.join(at, 'package.json')).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (found && (!newest || changed > newest.at)) newest = { at: changed, found };
  }
  return newest?.found;
}

/**
 * Versions on this machine of the packages that a server fetches without a fixed version, by name: in its own cache if it is
 * confined, else in the person's. Nothing is asked or run.
 * @param sandboxes folder of the confined servers' caches.
 */
export async function fetchedVersions(
  server: LaunchedServer & Pick<ServerDefinition, 'entry'>,
  sandboxes?: string,
): Promise<Record<string, string>> {
  const { entry } = server;
  if (entry?.type !== 'stdio') return {};
  const own = sandboxes && { npm_config_cache: path.join(sandboxFolder(sandboxes, server), 'npm') };
  const found = await Promise.all(
    floatingOf(entry.command, entry.args).map(async one => {
      const local = (own && (await cachedPackage(one, own))) || (await cachedPackage(one, entry.env));
      return local ? [[one.name, local.version] as const] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** The digest of an image that lies on this machine, as the container engine says it. */
export async function imageDigest(engine: string, { name, version }: PackageReference, asking: Asking) {
  const image = version ? `${name}:${version}` : name;
  const said = await ask(engine, ['image', 'inspect', '--format', '{{json .RepoDigests}}', image], asking);
  const digests: unknown = parsedJson(said);
  const all = Array.isArray(digests) ? digests.map(String) : [];
  return all.map(digest => /@(sha256:[0-9a-f]{64})$/.exec(digest)?.[1]).find(digest => digest !== undefined);
}

/** The version that the person's npm says a package has in its registry. This asks the network. */
export async function registryVersion(
  { name, version }: PackageReference,
  asking: Asking,
): Promise<string | undefined> {
  const said: unknown = parsedJson(
    await ask('npm', ['view', version ? `${name}@${version}` : name, 'version', '--json'], asking),
  );
  // Of a range npm names all versions in it, the newest last.
  const newest: unknown = Array.isArray(said) ? said.at(-1) : said;
  return typeof newest === 'string' && /^\d+\.\d+\.\d[\w.+-]*$/.test(newest) ? newest : undefined;
}

/** @throws what the program has said, or why it couldn't */
async function ask(program: string, args: readonly string[], asking: Asking): Promise<string> {
  const { definition, ports, cwd, signal, entryEnv } = asking;
  const said = { stdout: '', stderr: '' };
  const failure = await runProgram({
    admitted: await ports.launch.admit(definition, 'lookup'),
    ports,
    cwd,
    signal,
    env: registriesIn(entryEnv),
    commandLine: [program, ...args],
    timeoutMs: ASK_MS,
    onLine: (line, from) => {
      said[from] = `${said[from]}${line}\n`.slice(0, MAX_ANSWER);
    },
  });
  signal.throwIfAborted();
  if (failure) throw new Error(said.stderr.trim() || english(failure));
  return said.stdout;
}

/** The configured npm registries, except values that are filled in at launch. */
function registriesIn(env: Asking['entryEnv'] = {}): Record<string, string> {
  const isRegistry = /^npm_config_(@[\w.-]+:)?registry$/i;
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => isRegistry.test(pair[0]) && pair[1]?.includes('${input:') === false,
    ),
  );
}

function npmCache(env: Readonly<Record<string, string | null | undefined>>): string {
  const named = Object.entries({ ...process.env, ...env }).find(
    ([name]) => name.toLowerCase() === 'npm_config_cache',
  )?.[1];
  if (named && path.isAbsolute(named)) return named;
  const { LOCALAPPDATA } = process.env;
  return process.platform === 'win32' && LOCALAPPDATA
    ? path.join(LOCALAPPDATA, 'npm-cache')
    : path.join(homedir(), '.npm');
}

/** A package in one of the `node_modules` that a path leads through. */
async function npmAround(name: string, at: string): Promise<LocalPackage | undefined> {
  const parts = at.split(path.sep);
  for (const [index, part] of parts.entries()) {
    const found = part === 'node_modules' && (await npmAt(name, parts.slice(0, index + 1).join(path.sep)));
    if (found) return found;
  }
  return undefined;
}

async function npmAt(name: string, modules: string): Promise<LocalPackage | undefined> {
  const manifest = await json(path.join(modules, ...name.split('/'), 'package.json'));
  if (manifest?.name !== name || typeof manifest.version !== 'string') return undefined;
  const { author } = manifest;
  const publisher: unknown = typeof author === 'string' ? author : Object(author).name;
  return { version: manifest.version, ...(typeof publisher === 'string' && publisher && { publisher }) };
}

/** A package in the environment whose programs lie in this folder: `<environment>/bin/name`, `<environment>\\Scripts\\name`. */
async function pythonAround(name: string, at: string): Promise<LocalPackage | undefined> {
  const environment = path.dirname(path.dirname(at));
  const libraries = await readdir(path.join(environment, 'lib')).catch(() => []);
  const folders = [
    ...libraries
      .filter(library => /^python\d/.test(library))
      .map(library => path.join('lib', library, 'site-packages')),
    path.join('Lib', 'site-packages'),
  ];
  const same = (one: string) => one.toLowerCase().replace(/[-_.]+/g, '-');
  for (const folder of folders) {
    const packages = path.join(environment, folder);
    for (const entry of (await readdir(packages).catch(() => [])).slice(0, MAX_FOLDERS * 10)) {
      const [, found = '', version] = /^(.+)-([^-]+)\.dist-info$/.exec(entry) ?? [];
      if (version === undefined || same(found) !== same(name)) continue;
      const said = await readBounded(path.join(packages, entry, 'METADATA'), MAX_MANIFEST).catch(() => '');
      const [head = ''] = said.split(/\r?\n\r?\n/, 1);
      const publisher = /^(?:Author|Author-email|Maintainer|Maintainer-email): *(\S.*)$/m.exec(head)?.[1];
      return { version, ...(publisher && { publisher }) };
    }
  }
  return undefined;
}

async function json(file: string): Promise<Record<string, unknown> | undefined> {
  const value = parsedJson(await readBounded(file, MAX_MANIFEST).catch(() => ''));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
