import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { BundleError } from './bundleError';

const MAX_LENGTH = 1_000;
const MAX_DEPTH = 60;
/** What the file system of Windows cannot hold, or takes for a device, a stream of a file, or another name. */
const NOT_ON_WINDOWS = /[<>:"|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * The names of a bundle's files, checked one after the other: each stays within the folder that the bundle is unpacked into, and
 * none is another one, on whatever system.
 */
export class EntryNames {
  /** By the form in which a system that ignores case and composition would have them; whether it is a folder. */
  readonly #known = new Map<string, boolean>();

  constructor(private readonly platform: NodeJS.Platform = process.platform) {}

  /**
   * @param name as the zip file has it; that of a folder ends with a slash.
   * @returns its parts.
   * @throws BundleError with the code UNSAFE.
   */
  add(name: string): readonly string[] {
    const isFolder = name.endsWith('/');
    const parts = (isFolder ? name.slice(0, -1) : name).split('/');
    const shown = visible(name, 100);
    if (name.startsWith('/') || /^[A-Za-z]:/.test(name) || parts.includes('..')) {
      throw unsafe(phrase('the file "{0}" in it would be outside of its folder', shown));
    }
    const isOdd = parts.some(part => part === '' || part === '.' || hasControls(part));
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
      path += `/${part.normalize('NFC').toLowerCase()}`;
      const isInner = index < parts.length - 1;
      const known = this.#known.get(path);
      const isTaken = known !== undefined && !(known && (isInner || isFolder));
      if (isTaken) throw unsafe(phrase('it has "{0}" twice, or in two ways of writing', shown));
      this.#known.set(path, isInner || isFolder);
    }
  }
}

const hasControls = (part: string) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(part);

const unsafe = (reason: ReturnType<typeof phrase>) => new BundleError('UNSAFE', reason);
