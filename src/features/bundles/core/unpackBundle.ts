import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatSize } from '../../../base/numberText';
import { phrase } from '../../../base/phrase';
import { BundleError } from './bundleError';
import { type BundleEntry, type BundleFile, broken } from './bundleFile';
import { LIMITS } from './bundleLimits';
import { writeNew } from './newFiles';

const FILE = 0o644;
const PROGRAM = 0o755;

/**
 * Unpacks a bundle into a new folder, file by file. What is written is counted: what the bundle says of its sizes is not relied on.
 * @param isProgram files that can be run although the bundle does not mark them so.
 * @throws BundleError, or Node's error when it cannot be written. The caller removes the folder then.
 */
export async function unpackBundle(
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
