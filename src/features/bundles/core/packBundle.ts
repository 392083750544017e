import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { formatSize } from '../../../base/numberText';
import { phrase } from '../../../base/phrase';
import { BundleError } from './bundleError';
import { LIMITS } from './bundleLimits';
import { giveName, writeNew } from './newFiles';

/** What is of use only to its author, or is nobody else's business. */
const LEFT_OUT =
  /^(\.git|\.github|\.vscode|\.vscode-test|\.idea|\.DS_Store|\.cache|\.bin|\.venv|__pycache__|\.nyc_output|coverage)$|^\.env|^\.npmrc$|\.(log|mcpb|dxt|pem|key|p12|tsbuildinfo)$/i;

/** A file that goes into a bundle. */
interface PackedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly mode: number;
}

/** The files of a project that a bundle of it has. Links are left out: they would lead elsewhere on another machine. */
export async function filesToPack(folder: string, signal: AbortSignal): Promise<PackedFile[]> {
  const files: PackedFile[] = [];
  let bytes = 0;
  const add = async (within: string) => {
    signal.throwIfAborted();
    for (const name of (await readdir(join(folder, within))).sort()) {
      const inside = within === '' ? name : `${within}/${name}`;
      const path = join(folder, inside);
      const status = LEFT_OUT.test(name) ? undefined : await lstat(path);
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

/**
 * Packs files and a manifest as a bundle.
 * @param path of the bundle, which is replaced.
 * @returns its size.
 */
export async function packBundle(
  manifest: object,
  files: readonly PackedFile[],
  path: string,
  signal: AbortSignal,
): Promise<number> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), 'manifest.json', { mode: 0o100644 });
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
