import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { isWithin } from '../../../base/filePlace';
import { isObject } from '../../../base/json';
import { PhraseError, phrase } from '../../../base/phrase';
import { languageOf, scriptAt } from '../../../host/launch';

/** A program as its review has it: variables of the launch are marked by a NUL. */
interface AuthoredProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | null>>;
  readonly cwd?: string | undefined;
}

interface AuthoredInput {
  readonly id: string;
  readonly description?: string | undefined;
}

/** The folder that a bundle is made of, and the file that its server begins with, relative to it. */
export interface BundledFolder {
  readonly folder: string;
  readonly entryPoint: string;
}

const PROJECTS = ['manifest.json', 'package.json', 'pyproject.toml'];

/**
 * The project that a server runs from: the nearest folder around its script or program that says it is one.
 * @throws PhraseError when it runs something else, such as a package.
 */
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

/**
 * The manifest of a bundle that runs a program as settings do: paths in its folder, and inputs and variables of the environment as
 * options.
 * @param project its `package.json`, if it has one.
 */
export function authoredManifest(
  { command, args, env, cwd }: AuthoredProgram,
  { folder, entryPoint }: BundledFolder,
  inputs: readonly AuthoredInput[],
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
  const author = isObject(project.author) ? text(project.author.name) : text(project.author)?.replace(/\s*[<(].*$/, '');
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
