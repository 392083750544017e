import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded, replaceFile } from '../../../base/files';
import { indentedJson, isObject } from '../../../base/json';
import { formatSize } from '../../../base/numberText';
import { phrase } from '../../../base/phrase';
import type { ConfigValues } from './bundleEntry';
import { BundleError } from './bundleError';
import { type BundleEntry, type BundleFile, broken, type InspectedBundle } from './bundleFile';
import { bundleFolderName } from './bundleFolders';
import { LIMITS } from './bundleLimits';
import { type BundleManifest, readManifest } from './manifest';
import { giveName, writeNew } from './newFiles';

/** What is kept of an unpacked bundle beside its folder. */
export interface BundleRecord {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly sha256: string;
  /** The values of its options, without those that are secret: an update begins with them. */
  readonly values: ConfigValues;
}

/** `before`: the manifest of the unpacked version, if it can still be read. */
export type BundleRelation =
  | { readonly record: BundleRecord; readonly before: BundleManifest | undefined }
  | { readonly otherAuthor: string };

const MAX_RECORD_BYTES = 1024 * 1024;
/** A folder or file that is not finished begins so. */
const UNFINISHED = '.new-';
/** Older than any installation that is still going on. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** The unpacked bundles, in the storage of the extension: one folder for each content. */
export class BundleStore {
  constructor(readonly folder: string) {}

  /** A path for something that is being made. */
  async draft(ending = ''): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    await this.#removeAbandoned();
    return join(this.folder, `${UNFINISHED}${randomBytes(8).toString('hex')}${ending}`);
  }

  /** Unpacks a bundle, unless it already is, and records it. @param values without secrets. @returns its folder. */
  async add({ file, manifest }: InspectedBundle, signal: AbortSignal, values: ConfigValues = {}): Promise<string> {
    const { name: ofBundle, title, version } = manifest;
    const { sha256 } = file;
    const name = bundleFolderName(ofBundle, version, sha256);
    const folder = join(this.folder, name);
    const record = () => this.#record(name, { name: ofBundle, title, version, sha256, values });
    if ((await this.recordOf(name))?.sha256 === sha256 && existsSync(folder)) {
      await record();
      return folder;
    }
    const draft = await this.draft();
    const program = manifest.type === 'binary' ? manifest.entryPoint : undefined;
    const command = manifest.launch?.command.replace(/^\$\{__dirname\}[\\/]|^\.\//, '');
    try {
      await unpackBundle(file, draft, path => path === program || path === command, signal);
      // Left by one that was interrupted before its record was written.
      await this.remove(name);
      await giveName(draft, folder);
      await record();
    } catch (error) {
      await removeAll(draft);
      await this.remove(name);
      throw error;
    }
    return folder;
  }

  async #record(name: string, record: BundleRecord): Promise<void> {
    await replaceFile(this.#recordFile(name), indentedJson(record), 0o600);
  }

  async recordOf(name: string): Promise<BundleRecord | undefined> {
    try {
      const record: unknown = JSON.parse(await readBounded(this.#recordFile(name), MAX_RECORD_BYTES));
      const isRecord =
        isObject(record) && ['name', 'title', 'version', 'sha256'].every(key => typeof record[key] === 'string');
      return isRecord ? ({ values: {}, ...record } as unknown as BundleRecord) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The manifest that was unpacked. Undefined when it cannot be read. */
  async manifestOf(name: string): Promise<BundleManifest | undefined> {
    const path = join(this.folder, name, 'manifest.json');
    return readBounded(path, LIMITS.manifestBytes)
      .then(text => readManifest(text))
      .catch(() => undefined);
  }

  /**
   * How another bundle relates to an unpacked one: a version of it, or one that only has its name. Values and secrets of the person
   * never go from one author to another. Undefined: it has another name.
   */
  async relation(
    folder: string,
    { name, author }: Pick<BundleManifest, 'name' | 'author'>,
  ): Promise<BundleRelation | undefined> {
    const record = await this.recordOf(folder);
    if (record?.name !== name) return undefined;
    const before = await this.manifestOf(folder);
    return before && before.author !== author ? { otherAuthor: before.author } : { record, before };
  }

  /** Removes a bundle with its files. @throws Node's error when a program still uses them, on Windows. */
  async remove(name: string): Promise<void> {
    await removeAll(join(this.folder, name));
    await removeAll(this.#recordFile(name));
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (!name.startsWith(UNFINISHED)) continue;
      const path = join(this.folder, name);
      const status = await stat(path).catch(() => undefined);
      if (status && Date.now() - status.mtimeMs > ABANDONED_MS) await removeAll(path);
    }
  }

  readonly #recordFile = (name: string) => join(this.folder, `${name}.json`);
}

/** Windows keeps files for a moment after their program has ended. */
const removeAll = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

const FILE = 0o644;
const PROGRAM = 0o755;

/**
 * Unpacks a bundle into a new folder, file by file. What is written is counted: what the bundle says of its sizes is not relied on.
 * @param isProgram files that can be run although the bundle does not mark them so.
 * @throws BundleError, or Node's error when it cannot be written. The caller removes the folder then.
 */
async function unpackBundle(
  bundle: BundleFile,
  folder: string,
  isProgram: (name: string) => boolean,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  let bytes = 0;
  const onBytes = (more: number) => {
    bytes += more;
    const { unpackedBytes } = LIMITS;
    if (bytes > unpackedBytes) {
      throw new BundleError('TOO_LARGE', phrase('unpacked, it is larger than {0}', formatSize(unpackedBytes)));
    }
  };
  const made = new Set<string>();
  const folderFor = async (parts: readonly string[]) => {
    const path = join(folder, ...parts);
    if (!made.has(path)) await mkdir(path, { recursive: true });
    made.add(path);
  };
  for (const entry of bundle.entries) {
    signal.throwIfAborted();
    const { parts, isFolder } = entry;
    await folderFor(isFolder ? parts : parts.slice(0, -1));
    if (!isFolder) await unpackFile(entry);
  }
  await bundle.assertUnchanged(signal);

  async function unpackFile(entry: BundleEntry): Promise<void> {
    const { parts, isExecutable } = entry;
    const mode = isExecutable || isProgram(parts.join('/')) ? PROGRAM : FILE;
    try {
      await writeNew(join(folder, ...parts), await bundle.stream(entry), { mode, onBytes, signal });
    } catch (error) {
      throw signal.aborted ? signal.reason : broken(error);
    }
  }
}
