import { phrase } from '../../../base/phrase';
import { visible } from '../../../base/text';
import { BundleError } from './bundleError';
import { BundleFile } from './bundleFile';
import { type BundleLimits, LIMITS } from './bundleLimits';
import { EntryNames } from './entryNames';
import { type BundleManifest, readManifest } from './manifest';

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

/**
 * Opens a bundle, checks it and reads its manifest. The caller closes its file.
 * @throws BundleError. Node's error when the file cannot be read.
 */
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
