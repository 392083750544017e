import { Readable } from 'node:stream';
import { formatSize } from '../../../base/numberText';
import { phrase } from '../../../base/phrase';
import { fetchFollowing } from '../../../base/responses';
import { isLoopback, visible } from '../../../base/text';
import { BundleError } from './bundleError';
import { LIMITS } from './bundleLimits';
import { writeNew } from './newFiles';

const MAX_REDIRECTS = 5;
const REDIRECTS = phrase('its server redirects too often, or to this machine');
/** How long nothing may come, in milliseconds. */
const IDLE_MS = 30_000;

/** Downloads a bundle into a new file, by HTTPS except on this machine. @throws BundleError, and leaves the file. */
export async function downloadBundle(
  url: string,
  path: string,
  signal: AbortSignal,
  { maxBytes = LIMITS.bytes, idleMs = IDLE_MS } = {},
): Promise<void> {
  const idle = new AbortController();
  const timeout = () => idle.abort(unreachable(phrase('nothing was received for {0} s', idleMs / 1000)));
  let timer = setTimeout(timeout, idleMs);
  const both = AbortSignal.any([signal, idle.signal]);
  let bytes = 0;
  const onBytes = (more: number) => {
    clearTimeout(timer);
    timer = setTimeout(timeout, idleMs);
    bytes += more;
    if (bytes > maxBytes) throw new BundleError('TOO_LARGE', phrase('it is larger than {0}', formatSize(maxBytes)));
  };
  try {
    const first = addressOf(url);
    const response = await fetchFollowing(first, { signal: both, maxRedirects: MAX_REDIRECTS }, (location, from) => {
      const next = addressOf(location, from);
      // A server elsewhere has no say in what is fetched from this machine.
      if (isLoopback(next) && !isLoopback(first)) throw unreachable(REDIRECTS);
      return next;
    });
    if (!response) throw unreachable(REDIRECTS);
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw unreachable(phrase('its server answered with {0}', `HTTP ${response.status}`));
    }
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    await writeNew(path, body, { mode: 0o600, onBytes, signal: both });
  } catch (error) {
    if (error instanceof BundleError) throw error;
    if (both.aborted) throw both.reason;
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    throw unreachable(phrase('it cannot be downloaded ({0})', visible(cause?.code ?? cause?.message ?? message, 200)));
  } finally {
    clearTimeout(timer);
  }
}

function addressOf(url: string, base?: URL): URL {
  const address = URL.canParse(url, base?.href) ? new URL(url, base) : undefined;
  const isSafe = address?.protocol === 'https:' || (address?.protocol === 'http:' && isLoopback(address));
  if (!address || !isSafe)
    throw unreachable(phrase('{0} is not an address that starts with https://', visible(url, 200)));
  return address;
}

const unreachable = (reason: ReturnType<typeof phrase>) => new BundleError('UNREACHABLE', reason);
