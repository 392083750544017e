import type {
  AuthorizationRequest,
  AuthPort,
  Redirect,
  RedirectOptions,
  ServerDefinition,
} from '../../../src/host/definition';

/** Owner of what is kept for all servers. */
export const SHARED = '(all servers)';

/** Sign-ins kept as long as a test, and a person who allows everything: the browser is one request that is not redirected. */
export class TestAuth implements AuthPort {
  readonly clientMetadataUrl?: string;
  limitMinutes?: number;
  readonly values: Map<string, string>;
  readonly requests: AuthorizationRequest[] = [];
  /** Ways back that are no longer open. */
  readonly closed: string[] = [];
  /** The redirects of earlier sign-ins that were to be opened again. */
  readonly before: (string | undefined)[] = [];
  readonly #running: Map<string, Promise<unknown>>;

  /** @param other another window of the same person, with the same secrets. */
  constructor(
    private readonly uris: readonly string[] = ['http://localhost:3000/callback'],
    other?: TestAuth,
  ) {
    this.values = other?.values ?? new Map();
    this.#running = other ? other.#running : new Map();
  }

  async read(server: ServerDefinition | undefined, resource: string): Promise<string | undefined> {
    return this.values.get(`${server?.id ?? SHARED} ${resource}`);
  }

  async write(server: ServerDefinition | undefined, resource: string, value: string | undefined): Promise<void> {
    const key = `${server?.id ?? SHARED} ${resource}`;
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, value);
  }

  alone<T>(
    server: ServerDefinition | undefined,
    _resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const id = server?.id ?? SHARED;
    const alone = () => run(async () => {});
    const next = (this.#running.get(id) ?? Promise.resolve()).then(alone, alone);
    this.#running.set(
      id,
      next.catch(() => {}),
    );
    return next;
  }

  async openRedirect(way: number, { uri, before }: RedirectOptions): Promise<Redirect | undefined> {
    this.before.push(before);
    const chosen = uri === undefined ? this.uris[way] : way === 0 ? uri : undefined;
    return chosen === undefined
      ? undefined
      : { uri: chosen, answer: new Promise(() => {}), close: () => void this.closed.push(chosen) };
  }

  /** What the person types in when they are asked who the editor is. */
  client: { clientId: string; clientSecret?: string } | undefined;
  readonly asked: { issuer: string; redirectUri: string }[] = [];

  async askClient({ issuer, redirectUri }: { issuer: string; redirectUri: string }) {
    this.asked.push({ issuer, redirectUri });
    return this.client;
  }

  async authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined> {
    this.requests.push(request);
    return this.browse(request, signal);
  }

  /** What the person does with their browser. */
  browse = async ({ url }: AuthorizationRequest, signal: AbortSignal): Promise<URLSearchParams | undefined> => {
    const response = await fetch(url, { redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url} did not redirect: HTTP ${response.status}`);
    return new URL(location, url).searchParams;
  };
}
