import { ICONS_LOOKED_AT, iconTypeOf } from '../base/inlineIcon';
import { bodyWithin } from '../base/responses';

/** As a server describes it (spec 2025-11-25, 2026-07-28: basic#icons). */
export interface Icon {
  readonly src: string;
  /** Without: for any theme. */
  readonly theme?: string | undefined;
  /** `48x48`, or `any` for one that scales. Without: for any size. */
  readonly sizes?: readonly string[] | undefined;
}

/** Rows draw an icon at 16 pixels; on a fine screen these are 32. */
const WANTED = 32;

/** The icons that fit a row best first. */
export const bestFirst = (icons: readonly Icon[]): Icon[] =>
  icons.slice(0, ICONS_LOOKED_AT).sort((a, b) => misfit(a) - misfit(b));

/** How far an icon is from the wanted size: what scales fits, and a larger one is better than one that has to be stretched. */
function misfit({ sizes }: Icon): number {
  if (!Array.isArray(sizes) || sizes.length === 0) return 0;
  const fits = sizes.slice(0, ICONS_LOOKED_AT).map(size => {
    if (size === 'any') return 0;
    const side = Number(/^(\d{1,5})x\d{1,5}$/.exec(String(size))?.[1] ?? Number.NaN);
    if (Number.isNaN(side)) return WANTED;
    return side >= WANTED ? (side - WANTED) / WANTED : (WANTED - side) * 10;
  });
  return Math.min(...fits);
}

/** The first icon for the theme, or for any; undefined only if there is none at all. */
export const iconFor = <I extends Pick<Icon, 'theme'>>(theme: string, icons: readonly I[]): I | undefined =>
  icons.find(icon => icon.theme === theme) ?? icons.find(icon => (icon.theme ?? undefined) === undefined) ?? icons[0];

const MAX_BYTES = 64 * 1024;
const LIMIT_MS = 5_000;
/** How many are fetched and kept. More are not asked for: no view draws so many different ones. */
const MAX_ICONS = 300;
const MAX_AT_ONCE = 4;
/** Content types that identify no format. */
const GENERIC = ['', 'application/octet-stream'];

/** Icons at https addresses, as `data:` URIs (spec: basic#icons): fetched once, without credentials or redirects. */
export class FetchedIcons {
  /** By address: a `data:` URI, or undefined while it is fetched and when it can't be used. */
  readonly #icons = new Map<string, string | undefined>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;

  /** The icon at an address. Undefined until `changed` is called, or for good. @param src of a checked origin. */
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
  const bytes = response.status === 200 && (await bodyWithin(response, MAX_BYTES));
  if (!bytes) {
    void response.body?.cancel().catch(() => {});
    return undefined;
  }
  const said = response.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const type = iconTypeOf(bytes, GENERIC.includes(said) ? undefined : said);
  return type && `data:${type};base64,${bytes.toString('base64')}`;
}
