import type { AuthorizationRequest, AuthPort, Redirect, ServerDefinition } from '../../../src/host';

/** Sign-ins kept as long as a test, and a person who allows everything: the browser is one request that is not redirected. */
export class TestAuth implements AuthPort {
  readonly clientMetadataUrl?: string;
  limitMinutes?: number;
  readonly values: Map<string, string>;
  readonly requests: AuthorizationRequest[] = [];
  /** Ways back that are no longer open. */
  readonly closed: string[] = [];
  readonly #running: Map<string, Promise<unknown>>;

  /** @param other another window of the same person, with the same secrets. */
  constructor(
    private readonly uris: readonly string[] = ['http://localhost:3000/callback'],
    other?: TestAuth,
  ) {
    this.values = other?.values ?? new Map();
    this.#running = other ? other.#running : new Map();
  }

  async read({ id }: ServerDefinition, resource: string): Promise<string | undefined> {
    return this.values.get(`${id} ${resource}`);
  }

  async write({ id }: ServerDefinition, resource: string, value: string | undefined): Promise<void> {
    if (value === undefined) this.values.delete(`${id} ${resource}`);
    else this.values.set(`${id} ${resource}`, value);
  }

  alone<T>(
    { id }: ServerDefinition,
    _resource: string,
    run: (stillAlone: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const alone = () => run(async () => {});
    const next = (this.#running.get(id) ?? Promise.resolve()).then(alone, alone);
    this.#running.set(
      id,
      next.catch(() => {}),
    );
    return next;
  }

  async openRedirect(way: number, { uri }: { uri: string | undefined }): Promise<Redirect | undefined> {
    const chosen = uri === undefined ? this.uris[way] : way === 0 ? uri : undefined;
    return chosen === undefined
      ? undefined
      : { uri: chosen, answer: new Promise(() => {}), close: () => void this.closed.push(chosen) };
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
