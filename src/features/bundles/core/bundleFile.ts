import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';
import { messageOf } from '../../../base/errors';
import { openBounded } from '../../../base/files';
import { normalized } from '../../../base/normalized';
import { formatSize } from '../../../base/numberText';
import { PhraseError, phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { BundleError } from './bundleError';
import { type BundleLimits, LIMITS } from './bundleLimits';
import { type BundleManifest, readManifest } from './manifest';
import { bytesOf } from './newFiles';
import { SignatureBlock, type SignatureState } from './signature';

/** A checked bundle. Nothing of it was unpacked or run. */
export interface InspectedBundle {
  readonly file: BundleFile;
  readonly manifest: BundleManifest;
}

interface Inspection {
  readonly signal: AbortSignal;
  readonly limits?: BundleLimits;
  readonly platform?: NodeJS.Platform;
  /** What it has to have, in hexadecimal digits. */
  readonly sha256?: string | undefined;
}

/** Opens a bundle, checks it and reads its manifest. The caller closes it. @throws BundleError, or Node's error. */
export async function inspectBundle(path: string, inspection: Inspection): Promise<InspectedBundle> {
  const { signal, limits = LIMITS, platform = process.platform, sha256 } = inspection;
  const file = await BundleFile.open(path, signal, limits);
  try {
    if (sha256 !== undefined && file.sha256 !== sha256.toLowerCase()) {
      throw new BundleError(
        'CHECKSUM',
        phrase('its SHA-256 is {0}, and the registry says {1}', file.sha256, visible(sha256, 80)),
      );
    }
    const entry = file.find('manifest.json');
    if (!entry) throw new BundleError('MANIFEST', phrase('it has no manifest.json'));
    const manifest = readManifest((await file.read(entry, limits.manifestBytes)).toString('utf8'), platform);
    assertEntryPoint(file, manifest);
    const { platforms } = manifest;
    if (platforms.length > 0 && !platforms.includes(platform)) {
      throw new BundleError('PLATFORM', phrase('it is for {0} only', visible(platforms.join(', '), 60)));
    }
    return { file, manifest };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** What starts a server that is installed from elsewhere may name a file that is not there. */
function assertEntryPoint(file: BundleFile, { entryPoint, launch, type }: BundleManifest): void {
  try {
    new EntryNames().add(entryPoint);
  } catch {
    throw new BundleError('UNSAFE', phrase('its entry point "{0}" is not a file in it', visible(entryPoint, 100)));
  }
  const isFetched = launch !== undefined && !JSON.stringify(launch).includes('${__dirname}') && type !== 'binary';
  if (isFetched || file.find(entryPoint)) return;
  const isWindowsProgram = type === 'binary' && file.find(`${entryPoint}.exe`) !== undefined;
  if (isWindowsProgram) return;
  throw new BundleError('MANIFEST', phrase('its entry point "{0}" is not a file in it', visible(entryPoint, 100)));
}

/** A file or folder in a bundle. */
export interface BundleEntry {
  readonly parts: readonly string[];
  readonly isFolder: boolean;
  /** Unpacked, as the bundle says; reading fails if it is not true. */
  readonly bytes: number;
  /** Whether it is marked as a program, on Unix. */
  readonly isExecutable: boolean;
  readonly entry: Entry;
}

const MADE_ON_UNIX = 3;
const TYPE_OF_FILE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;

/** An open bundle whose entries were all checked. What is read from it counts as untrusted all the same. */
export class BundleFile {
  /** Of the whole file, with its signature, in hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  readonly entries: readonly BundleEntry[];
  readonly signature: SignatureState;

  private constructor(
    checked: Pick<BundleFile, 'sha256' | 'bytes' | 'entries' | 'signature'>,
    private readonly opened: { readonly file: FileHandle; readonly zip: ZipFile },
  ) {
    this.sha256 = checked.sha256;
    this.bytes = checked.bytes;
    this.entries = checked.entries;
    this.signature = checked.signature;
  }

  /**
   * Opens a bundle and checks all but the contents of its files. The caller closes it.
   * @throws BundleError. Node's error when the file cannot be opened.
   */
  static async open(path: string, signal: AbortSignal, limits: BundleLimits = LIMITS): Promise<BundleFile> {
    const file = await openBounded(path, limits.bytes).catch(error => {
      throw error instanceof PhraseError ? new BundleError('TOO_LARGE', error.phrase) : error;
    });
    try {
      const { size } = await file.stat();
      const sha256 = await digestOf(file, size, signal);
      const block = await SignatureBlock.find(file, size);
      const signature = block ? await block.check(file) : ({ kind: 'none' } as const);
      if (signature.kind === 'changed')
        throw new BundleError('CHANGED', phrase('it was changed after it had been signed'));
      const zip = await fromRandomAccessReaderPromise(new HandleReader(file), block?.zipEnd ?? size, {
        autoClose: false,
        decodeStrings: false,
      });
      const entries = await entriesOf(zip, limits, signal);
      return new BundleFile({ sha256, bytes: size, entries, signature }, { file, zip });
    } catch (error) {
      await file.close();
      throw signal.aborted ? signal.reason : broken(error);
    }
  }

  get unpackedBytes(): number {
    return this.entries.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  find(name: string): BundleEntry | undefined {
    return this.entries.find(({ parts, isFolder }) => !isFolder && parts.join('/') === name);
  }

  /** The content of a file: fails once there is more of it than the bundle says. */
  stream({ entry }: BundleEntry): Promise<Readable> {
    return this.opened.zip.openReadStreamPromise(entry).catch(error => {
      throw broken(error);
    });
  }

  /** A small file whole. */
  async read(entry: BundleEntry, maxBytes: number): Promise<Buffer> {
    if (entry.bytes > maxBytes)
      throw new BundleError('TOO_LARGE', phrase('it is larger than {0}', formatSize(maxBytes)));
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of await this.stream(entry)) chunks.push(chunk as Buffer);
    } catch (error) {
      throw broken(error);
    }
    return Buffer.concat(chunks);
  }

  /** @throws BundleError if the file is not what it was when it was opened. */
  async assertUnchanged(signal: AbortSignal): Promise<void> {
    const { file } = this.opened;
    const { size } = await file.stat();
    const isSame = size === this.bytes && (await digestOf(file, size, signal)) === this.sha256;
    if (!isSame) throw new BundleError('CHANGED', phrase('it was changed while it was read'));
  }

  async close(): Promise<void> {
    this.opened.zip.close();
    await this.opened.file.close();
  }
}

/** Anything that went wrong while it was read. */
export function broken(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof BundleError || /^E[A-Z]+$/.test(code ?? '')) return error;
  return new BundleError('BROKEN', phrase('it is not a complete zip file ({0})', visible(messageOf(error), 200)));
}

async function entriesOf(zip: ZipFile, limits: BundleLimits, signal: AbortSignal): Promise<BundleEntry[]> {
  const tooMany = () => new BundleError('TOO_LARGE', phrase('it has more than {0} files', limits.entries));
  if (zip.entryCount > limits.entries) throw tooMany();
  const names = new EntryNames();
  const entries: BundleEntry[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize, externalFileAttributes } = entry;
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    const parts = names.add(name);
    const isFolder = name.endsWith('/');
    const mode = entry.versionMadeBy >> 8 === MADE_ON_UNIX ? externalFileAttributes >>> 16 : 0;
    const type = mode & TYPE_OF_FILE;
    if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR)) {
      throw new BundleError('UNSAFE', phrase('"{0}" in it is a link or a special file', visible(name, 100)));
    }
    if (!entry.canDecodeFileData()) {
      throw new BundleError(
        'UNSAFE',
        phrase('"{0}" in it is encrypted or packed in an unknown way', visible(name, 100)),
      );
    }
    if (isFolder && uncompressedSize > 0) throw new Error('a folder with content');
    bytes += uncompressedSize;
    if (bytes > limits.unpackedBytes) {
      throw new BundleError('TOO_LARGE', phrase('unpacked, it is larger than {0}', formatSize(limits.unpackedBytes)));
    }
    entries.push({ parts, isFolder, bytes: uncompressedSize, isExecutable: (mode & 0o100) !== 0, entry });
  }
  return entries;
}

async function digestOf(file: FileHandle, size: number, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytesOf(file, 0, size)) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

type ReadArguments = [
  buffer: Buffer,
  offset: number,
  length: number,
  position: number,
  callback: (error: Error | null, bytesRead?: number) => void,
];

/** Reads from an open file, which it leaves open. */
class HandleReader extends RandomAccessReader {
  constructor(private readonly file: FileHandle) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(bytesOf(this.file, start, end), { objectMode: false });
  }

  override read(...[buffer, offset, length, position, callback]: ReadArguments): void {
    this.file.read(buffer, offset, length, position).then(
      ({ bytesRead }) => callback(null, bytesRead),
      error => callback(error),
    );
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }
}

const MAX_LENGTH = 1_000;
const MAX_DEPTH = 60;
/** Characters of all names and of the folders around them: they are kept while the bundle is checked. */
const MAX_NAMES = 50_000_000;
/** What the file system of Windows cannot hold, or takes for a device, a stream of a file, or another name. */
const NOT_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Checks the names of a bundle's files: each stays within its folder, and no two are the same on any system. */
export class EntryNames {
  /** By the form in which a system that ignores case and composition would have them; whether it is a folder. */
  readonly #known = new Map<string, boolean>();
  #characters = 0;

  constructor(private readonly platform: NodeJS.Platform = process.platform) {}

  /** @param name in the zip file; a folder's ends with a slash. @returns its parts. @throws BundleError */
  add(name: string): readonly string[] {
    const isFolder = name.endsWith('/');
    const parts = (isFolder ? name.slice(0, -1) : name).split('/');
    const shown = visible(name, 100);
    if (name.startsWith('/') || /^[A-Za-z]:/.test(name) || parts.includes('..')) {
      throw unsafe(phrase('the file "{0}" in it would be outside of its folder', shown));
    }
    const isOdd = parts.some(part => part === '' || part === '.' || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(part));
    const isLong = name.length > MAX_LENGTH || parts.length > MAX_DEPTH;
    if (isOdd || isLong || (this.platform === 'win32' && parts.some(part => NOT_ON_WINDOWS.test(part)))) {
      throw unsafe(phrase('"{0}" in it is not a name for a file', shown));
    }
    this.#remember(parts, isFolder, shown);
    return parts;
  }

  #remember(parts: readonly string[], isFolder: boolean, shown: string): void {
    let path = '';
    for (const [index, part] of parts.entries()) {
      path += `/${normalized(part).toLowerCase()}`;
      this.#characters += path.length;
      if (this.#characters > MAX_NAMES)
        throw new BundleError('TOO_LARGE', phrase('the names of its files are too long'));
      const isInner = index < parts.length - 1;
      const known = this.#known.get(path);
      const isTaken = known !== undefined && !(known && (isInner || isFolder));
      if (isTaken) throw unsafe(phrase('it has "{0}" twice, or in two ways of writing', shown));
      this.#known.set(path, isInner || isFolder);
    }
  }
}

const unsafe = (reason: ReturnType<typeof phrase>) => new BundleError('UNSAFE', reason);
