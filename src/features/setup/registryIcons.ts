import { bestFirst, FetchedIcons } from '../../editor/fetchedIcons';
import { inlineIcon } from '../../editor/icons';
import { publicFetch } from './core/publicFetch';
import type { RegistryServer } from './core/registryClient';

/** Icons of a registry's servers as `data:` URIs. Only those of servers that are shown are fetched. */
export class RegistryIcons {
  readonly #fetched = new FetchedIcons();
  readonly #send: typeof fetch;

  /** @param registry its address. @param loaded called when the icon of a server can be drawn. */
  constructor(
    registry: string,
    private readonly loaded: (name: string, data: string) => void,
  ) {
    this.#send = publicFetch(URL.canParse(registry) ? new URL(registry).origin : '');
  }

  /** The icon of a server, or undefined until it is `loaded`, or for good. */
  of({ name, details }: RegistryServer): string | undefined {
    const icons = bestFirst(details?.icons ?? []);
    const inline = icons.map(({ src }) => inlineIcon(src)).find(icon => icon !== undefined);
    if (inline) return inline;
    const src = icons.find(one => isFetchable(one.src))?.src;
    if (src === undefined) return undefined;
    const get = (): string | undefined => this.#fetched.get(src, () => this.loaded(name, get()!), this.#send);
    return get();
  }
}

function isFetchable(src: string): boolean {
  if (src.length > 1_000 || !URL.canParse(src)) return false;
  const { protocol, username, password } = new URL(src);
  return /^https?:$/.test(protocol) && !username && !password;
}
