import { existsSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { isWithin } from '../../../base/filePlace';
import { indentedJson, isObject } from '../../../base/json';
import { formatSize } from '../../../base/numberText';
import { PhraseError, phrase } from '../../../base/phrase';
import { languageOf, scriptAt } from '../../../host/launch';
import { BundleError } from './bundleError';
import { LIMITS } from './bundleLimits';
import { giveName, writeNew } from './newFiles';

/** What is of use only to its author, or is nobody else's business. */
const LEFT_OUT =
  /^(\.git\w*|\.vscode|\.vscode-test|\.idea|\.DS_Store|\.cache|\.bin|\.venv|venv|__pycache__|\.nyc_output|coverage)$|^\.env|\.env$|^\.npmrc$|^id_(rsa|dsa|ecdsa|ed25519)$|\.(log|mcpb|dxt|pem|key|p12|pfx|ppk|jks|keystore|tsbuildinfo)$/i;
/** Of the project's own files, what begins with a dot is left out, as tools and agents keep their credentials there. */
const OWN_LEFT_OUT = /^\.(?!(?:python|node)-version$|nvmrc$)/;

interface PackedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
}

/**
 * The files of a project that a bundle of it has. Links are left out: they would lead elsewhere on another machine.
 * @param variables the file that its entry reads them from, which is left out, too
 */
export async function filesToPack(folder: string, signal: AbortSignal, variables?: string): Promise<PackedFile[]> {
  const files: PackedFile[] = [];
  let bytes = 0;
  const add = async (within: string) => {
    signal.throwIfAborted();
    for (const name of (await readdir(join(folder, within))).sort()) {
      const inside = within === '' ? name : `${within}/${name}`;
      const path = join(folder, inside);
      const isOwn = !/(?:^|\/)(?:node_modules|site-packages)(?:\/|$)/.test(within);
      const isLeftOut = LEFT_OUT.test(name) || (isOwn && OWN_LEFT_OUT.test(name)) || path === variables;
      const status = isLeftOut ? undefined : await lstat(path);
      if (status?.isDirectory()) await add(inside);
      if (!status?.isFile() || inside === 'manifest.json') continue;
      bytes += status.size;
      files.push({ name: inside, path, bytes: status.size, mode: status.mode & 0o111 ? 0o100755 : 0o100644 });
      if (files.length > LIMITS.entries)
        throw new BundleError('TOO_LARGE', phrase('it has more than {0} files', LIMITS.entries));
      if (bytes > LIMITS.unpackedBytes) {
        throw new BundleError('TOO_LARGE', phrase('unpacked, it is larger than {0}', formatSize(LIMITS.unpackedBytes)));
      }
    }
  };
  await add('');
  return files;
}

/** Packs files and a manifest as a bundle. @param path of the bundle, which is replaced. @returns its size. */
export async function packBundle(
  manifest: object,
  files: readonly PackedFile[],
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(`${indentedJson(manifest)}\n`), 'manifest.json', { mode: 0o100644 });
  for (const { path: from, name, mode } of files) zip.addFile(from, name, { mode });
  const draft = `${path}.${process.pid}.new`;
  let bytes = 0;
  try {
    const written = writeNew(draft, zip.outputStream as Readable, {
      mode: 0o644,
      onBytes: more => {
        bytes += more;
      },
      signal,
    });
    const failed = new Promise<never>((_, reject) => zip.on('error', reject));
    zip.end();
    await Promise.race([written, failed]);
    await giveName(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  return bytes;
}

/** A program as its review has it: variables of the launch are marked by a NUL. */
interface AuthoredProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string | undefined;
}

/** The folder that a bundle is made of, and the file that its server begins with, relative to it. */
interface BundledFolder {
  readonly folder: string;
  readonly entryPoint: string;
}

const PROJECTS = ['manifest.json', 'package.json', 'pyproject.toml'];

/** The project that a server runs from: the nearest folder that says it is one. @throws PhraseError for a package. */
export function bundledFolder({ command, args, cwd }: AuthoredProgram): BundledFolder {
  const at = scriptAt(command, args);
  const file = resolve(cwd ?? '/', at === undefined ? command : args[at]!);
  const isFile = at !== undefined || /[\\/]/.test(command);
  if (!isFile || !existsSync(file)) {
    throw new PhraseError(phrase('it does not run a file of a project, such as "node server/index.js"'));
  }
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (PROJECTS.some(name => existsSync(join(folder, name)))) {
      return { folder, entryPoint: relative(folder, file).split(sep).join('/') };
    }
  }
  throw new PhraseError(phrase('no folder around it has a package.json or pyproject.toml'));
}

/** The manifest of a bundle that runs as settings do, with inputs and variables as options. */
export function authoredManifest(
  { command, args, env, cwd }: AuthoredProgram,
  { folder, entryPoint }: BundledFolder,
  inputs: readonly { readonly id: string; readonly description?: string | undefined }[],
  about: { readonly name: string; readonly project: unknown },
): Record<string, unknown> {
  const options: Record<string, object> = {};
  const project = isObject(about.project) ? about.project : {};
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
  const option = (kind: string, id: string) => {
    const key = id.replace(/[^\w-]+/g, '_');
    const title = inputs.find(input => input.id === id)?.description ?? id;
    options[key] = { type: 'string', title, description: title, sensitive: true, required: kind === 'input' };
    return `\${user_config.${key}}`;
  };
  const portable = (value: string) => {
    const path = cwd !== undefined && /[\\/]/.test(value) && !value.includes('\0') ? resolve(cwd, value) : value;
    const isInside = isWithin(folder, path) && existsSync(path);
    const placed = isInside
      ? `\${__dirname}/${relative(folder, path).split(sep).join('/')}`
      : value.replaceAll(folder, '${__dirname}');
    return placed.replace(/\0\{(input|env):([^{}]*)\}/g, (_all, kind: string, id: string) => option(kind, id));
  };
  const isOwnProgram = /[\\/]/.test(command) && isWithin(folder, resolve(cwd ?? '/', command));
  const language = languageOf(command);
  const author = isObject(project.author)
    ? text(project.author.name)
    : text(project.author)?.replace(/(?<!\s)\s*[<(].*/s, '');
  const variables = Object.entries(env).flatMap(([name, value]) => (value === null ? [] : [[name, portable(value)]]));
  return {
    manifest_version: '0.3',
    name: text(project.name)?.replace(/^@.*\//, '') ?? about.name,
    version: text(project.version) ?? '0.1.0',
    description: text(project.description) ?? about.name,
    author: { name: author || 'Unknown' },
    ...(text(project.license) && { license: text(project.license) }),
    server: {
      type: isOwnProgram ? 'binary' : language === 'python' ? 'python' : 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: isOwnProgram ? `\${__dirname}/${entryPoint}` : isNode(command) ? 'node' : command,
        args: args.map(portable),
        env: Object.fromEntries(variables),
      },
    },
    ...(Object.keys(options).length > 0 && { user_config: options }),
  };
}

/** By its path, it would be the Node of this machine. */
const isNode = (command: string) => /(^|[\\/])node(\.exe)?$/i.test(command);
