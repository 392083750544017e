import { existsSync } from 'node:fs';
import * as nodePath from 'node:path';
import { ownMember } from '../../../base/json';
import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import type { JsonSchema } from '../../tools/core';
import { BundleError } from './bundleError';
import type { BundleLaunch, BundleManifest, ConfigOption } from './manifest';

/** The values of a bundle's options by key, as the form has them. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** What the variables of a manifest stand for on this machine. */
export interface BundleMachine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  hasProgram(name: string): boolean;
}

/** An entry of settings, and the inputs that it names. */
export interface BundleServer {
  readonly entry: {
    readonly command: string;
    readonly args: string[];
    readonly env?: Readonly<Record<string, string>>;
  };
  readonly inputs: readonly { id: string; type: string; description: string; password: boolean }[];
  /** Of those that the person has entered. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** The `$` of our own references until a text is put together: parts of others may make up what looks like one. */
const REFERENCE = '\0';
const VARIABLE = /\$\{([^{}]*)\}/g;

export function personsFolders(home: string, platform: NodeJS.Platform): Record<string, string> {
  const { join, sep } = platform === 'win32' ? nodePath.win32 : nodePath.posix;
  return {
    HOME: home,
    DESKTOP: join(home, 'Desktop'),
    DOCUMENTS: join(home, 'Documents'),
    DOWNLOADS: join(home, 'Downloads'),
    pathSeparator: sep,
    '/': sep,
  };
}

/** The text with the variables that are the same for every bundle; others stay. */
const withFolders = (text: string, folders: Readonly<Record<string, string>>): string =>
  text.replace(VARIABLE, (all, name: string) => ownMember(folders, name) ?? all);

/**
 * The entry of settings that runs an unpacked bundle.
 * @param folder that it is unpacked into.
 * @param inputIdOf the id of the input for an option whose value is secret.
 * @throws BundleError when the manifest names an option that it does not have, or the program needs one without a value.
 */
export function bundleEntry(
  manifest: BundleManifest,
  { folder, values, inputIdOf }: { folder: string; values: ConfigValues; inputIdOf: (key: string) => string },
  machine: BundleMachine,
): BundleServer {
  const launch = manifest.launch ?? uvLaunch(manifest);
  const filling = new Filling(manifest.options, values, inputIdOf, {
    ...personsFolders(machine.home, machine.platform),
    __dirname: folder,
  });
  const inBundle = (text: string) => filePath(text, folder, machine.platform);
  const command = filling.one(launch.command);
  if (command === undefined) {
    throw new BundleError('MANIFEST', phrase('its program depends on an option that has no value'));
  }
  const program = programOf(command, { manifest, folder, machine });
  const args = filling.args(launch.args).map(text => inBundle(text) ?? text);
  const env: Record<string, string> = { ...program.env };
  for (const [name, text] of Object.entries(launch.env)) {
    const value = filling.one(text);
    if (value !== undefined) env[name] = settled(inBundle(value) ?? value);
  }
  return {
    entry: {
      command: program.isVariable ? program.command : settled(program.command),
      args: args.map(settled),
      ...(Object.keys(env).length > 0 && { env }),
    },
    inputs: filling.inputs,
    secrets: filling.secrets,
  };
}

/** What uv is started with when the manifest leaves that to the host. */
const uvLaunch = ({ entryPoint }: BundleManifest): BundleLaunch => ({
  command: 'uv',
  args: ['run', '--directory', '${__dirname}', entryPoint],
  env: {},
});

interface Program {
  readonly command: string;
  readonly env?: Record<string, string>;
  /** It is a variable of settings, not a text. */
  readonly isVariable?: boolean;
}

function programOf(
  command: string,
  { manifest, folder, machine }: { manifest: BundleManifest; folder: string; machine: BundleMachine },
): Program {
  const { type, entryPoint } = manifest;
  const { platform } = machine;
  const name = command.toLowerCase();
  if (type === 'node' && name === 'node' && !machine.hasProgram('node')) {
    return { command: '${execPath}', env: { ELECTRON_RUN_AS_NODE: '1' }, isVariable: true };
  }
  if (/^python3?$/.test(name) && !machine.hasProgram(name)) {
    const other = name === 'python' ? 'python3' : 'python';
    return { command: machine.hasProgram(other) ? other : command };
  }
  const isOwn = command === entryPoint || command.startsWith(folder);
  return { command: (isOwn ? inFolder(command, folder) : undefined) ?? filePath(command, folder, platform) ?? command };
}

const inFolder = (text: string, folder: string): string | undefined => {
  const path = nodePath.resolve(folder, text);
  return [path, `${path}.exe`].find(one => existsSync(one));
};

/** Relative paths of files in the bundle, which some manifests write without `${__dirname}`: programs run elsewhere. */
function filePath(text: string, folder: string, platform: NodeJS.Platform): string | undefined {
  if (!/^(\.\/)?[\w@.-]+([/\\][\w@. -]+)+$/.test(text) || text.includes('..')) return undefined;
  const path = inFolder(text, folder);
  return path && (platform === 'win32' || !path.endsWith('.exe') || text.endsWith('.exe')) ? path : undefined;
}

/** Characters of options in one entry: each of its words can name an option with many values. */
const MAX_FILLED = 1_000_000;

class Filling {
  #left = MAX_FILLED;
  readonly inputs: BundleServer['inputs'][number][] = [];
  readonly secrets = new Map<string, string>();
  readonly #options: ReadonlyMap<string, ConfigOption>;

  constructor(
    options: readonly ConfigOption[],
    private readonly values: ConfigValues,
    private readonly inputIdOf: (key: string) => string,
    private readonly folders: Readonly<Record<string, string>>,
  ) {
    this.#options = new Map(options.map(option => [option.key, option]));
  }

  /** Undefined when an option in it has no value. */
  one(text: string): string | undefined {
    let isUnset = false;
    const filled = unmarked(text).replace(VARIABLE, (all, name: string) => {
      const option = this.#optionOf(name);
      if (!option) return ownMember(this.folders, name) ?? all;
      const texts = this.#textsOf(option);
      isUnset ||= texts === undefined;
      return texts?.join(',') ?? '';
    });
    return isUnset ? undefined : filled;
  }

  /** Those with an option that has no value are left out, with the `--name` before it; several values become several. */
  args(all: readonly string[]): string[] {
    const filled: string[] = [];
    for (const [index, text] of all.entries()) {
      const whole = /^\$\{([^{}]*)\}$/.exec(text)?.[1];
      const option = whole === undefined ? undefined : this.#optionOf(whole);
      const texts = option ? this.#textsOf(option) : asList(this.one(text));
      if (texts) filled.push(...texts);
      else if (option && /^-[^=]*$/.test(all[index - 1] ?? '')) filled.pop();
    }
    return filled;
  }

  #optionOf(name: string): ConfigOption | undefined {
    const [, key] = /^user_config\.(.*)$/.exec(name) ?? [];
    if (key === undefined) return undefined;
    const option = this.#options.get(key);
    if (option) return option;
    throw new BundleError('MANIFEST', phrase('it uses the option "{0}", which it does not have', visible(key, 60)));
  }

  #textsOf(option: ConfigOption): string[] | undefined {
    const { key, isSensitive, title, description } = option;
    const value = this.values[key];
    const texts = asList(value)
      ?.map(one => unmarked(withFolders(String(one), this.folders)))
      .filter(text => text !== '');
    if (!texts || texts.length === 0) return undefined;
    this.#left -= texts.reduce((sum, { length }) => sum + length + 1, 0);
    if (this.#left < 0)
      throw new BundleError(
        'MANIFEST',
        phrase('"{0}" of its manifest is missing or is not valid', 'server.mcp_config'),
      );
    if (!isSensitive) return texts;
    const id = this.inputIdOf(key);
    if (!this.inputs.some(input => input.id === id)) {
      const about = [title, description].filter(Boolean).join(': ').slice(0, 500);
      this.inputs.push({ type: 'promptString', id, description: about, password: true });
      if (value !== KEPT) this.secrets.set(id, String(value));
    }
    return [`${REFERENCE}{input:${id}}`];
  }
}

/** The value of a secret option that has one in the secret storage already. */
export const KEPT = Symbol('kept');

function asList<T>(value: T | readonly T[] | undefined | null): readonly T[] | undefined;
function asList(value: unknown): unknown[] | undefined {
  return value === undefined || value === null ? undefined : Array.isArray(value) ? value : [value];
}

const unmarked = (text: string) => text.replaceAll(REFERENCE, '');
/** As settings have it: what looks like a variable is a text, except for our own. */
const settled = (text: string) => text.replace(/\$(?=\{)/g, '$$$$').replaceAll(REFERENCE, '$');

interface ConfigForm {
  readonly schema: JsonSchema;
  readonly initial: Record<string, unknown>;
  /** Names of the fields whose text is not shown. */
  readonly secrets: readonly string[];
  /** Fields for paths, with what is chosen for them. */
  readonly paths: Readonly<Record<string, 'directory' | 'file'>>;
}

/**
 * @param earlier the values of the version that is replaced.
 * @param kept secret options that have a value already, which an empty field keeps.
 * @param folders what the variables of defaults stand for.
 */
export function configForm(
  options: readonly ConfigOption[],
  {
    earlier = {},
    kept,
    folders,
  }: { earlier?: ConfigValues; kept: ReadonlySet<string>; folders: Record<string, string> },
): ConfigForm {
  const initial = Object.fromEntries(
    options.flatMap(option => {
      const value = fitting(option, earlier[option.key]) ?? fitting(option, option.byDefault, folders);
      return value === undefined ? [] : [[option.key, value]];
    }),
  );
  const required = options.filter(({ isRequired, key }) => isRequired && !kept.has(key)).map(({ key }) => key);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(options.map(option => [option.key, schemaOf(option)])),
      ...(required.length > 0 && { required }),
    },
    initial,
    secrets: options.filter(({ isSensitive }) => isSensitive).map(({ key }) => key),
    paths: Object.fromEntries(
      options.flatMap(({ key, type }) => (type === 'directory' || type === 'file' ? [[key, type]] : [])),
    ),
  };
}

function schemaOf(option: ConfigOption): JsonSchema {
  const { title, description, type, isMultiple, isRequired, min, max } = option;
  const about = { title, ...(description !== '' && { description }) };
  if (type === 'boolean') return { ...about, type };
  if (type === 'number') {
    return { ...about, type, ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) };
  }
  if (isMultiple) return { ...about, type: 'array', items: { type: 'string' }, ...(isRequired && { minItems: 1 }) };
  return { ...about, type: 'string', ...(isRequired && { minLength: 1 }) };
}

function fitting(option: ConfigOption, value: unknown, folders: Record<string, string> = {}): unknown {
  const { type, isMultiple, isSensitive } = option;
  if (type === 'boolean' || type === 'number') return typeof value === type ? value : undefined;
  if (isSensitive) return undefined;
  const texts = (Array.isArray(value) ? value : [value])
    .filter(one => typeof one === 'string')
    .map(one => withFolders(one, folders));
  if (texts.length === 0) return undefined;
  return isMultiple ? texts : texts[0];
}
