import { iconTypeOf } from './iconType';

const MAX_BYTES = 64 * 1024;
const LIMIT_MS = 5_000;
/** How many are fetched and kept. More are not asked for: no view draws so many different ones. */
const MAX_ICONS = 300;
const MAX_AT_ONCE = 4;
/** Content types that identify no format. */
const GENERIC = ['', 'application/octet-stream'];

/**
 * Icons at https addresses, as `data:` URIs (spec 2025-11-25, 2026-07-28: basic#icons). Each is fetched once, without credentials,
 * and from no other address: a redirect is refused.
 */
export class FetchedIcons {
  /** By address: a `data:` URI, or undefined while it is fetched and when it can't be used. */
  readonly #icons = new Map<string, string | undefined>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;

  /**
   * The icon at an address. Undefined until `changed` is called, and for good when it can't be used.
   * @param src of an origin that the caller has checked.
   */
  get(src: string, changed: () => void, send: typeof fetch = fetch): string | undefined {
    if (this.#icons.has(src) || this.#icons.size >= MAX_ICONS) return this.#icons.get(src);
    this.#icons.set(src, undefined);
    this.#waiting.push(async () => {
      const icon = await fetchIcon(src, send).catch(() => undefined);
      this.#icons.set(src, icon);
      if (icon !== undefined) changed();
    });
    void this.#run();
    return undefined;
  }

  async #run(): Promise<void> {
    if (this.#running >= MAX_AT_ONCE) return;
    this.#running++;
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next();
    this.#running--;
  }
}

const ofServers = new FetchedIcons();

/** An icon of this window's servers: see `FetchedIcons`. */
export const fetchedIcon: FetchedIcons['get'] = (...asked) => ofServers.get(...asked);

async function fetchIcon(src: string, send: typeof fetch): Promise<string | undefined> {
  const response = await send(src, {
    headers: { accept: 'image/png, image/jpeg, image/webp, image/svg+xml' },
    credentials: 'omit',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const bytes = response.status === 200 && (await bytesOf(response));
  if (!bytes) {
    void response.body?.cancel().catch(() => {});
    return undefined;
  }
  const said = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const type = iconTypeOf(bytes, GENERIC.includes(said) ? undefined : said);
  return type && `data:${type};base64,${bytes.toString('base64')}`;
}

/** Reads at most `MAX_BYTES`; undefined when there are more. */
async function bytesOf(response: Response): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done || !value) return Buffer.concat(chunks);
    size += value.byteLength;
    if (size > MAX_BYTES) {
      void reader?.cancel().catch(() => {});
      return undefined;
    }
    chunks.push(value);
  }
}
