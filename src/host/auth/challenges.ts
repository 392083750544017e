/** One challenge of a `WWW-Authenticate` field (RFC 9110, 11.6.1). */
export interface AuthChallenge {
  /** In lower case: "bearer". */
  readonly scheme: string;
  /** By name in lower case. Of a name that comes twice, the first counts. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A field is read up to here; the rest of a longer one is ignored. */
const MAX_LENGTH = 8_192;

/** An element of the list: empty, or a scheme, a scheme with a token68, or a parameter, which may follow a scheme. Each part is linear. */
const SPACE = /[ \t]*/y;
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const QUOTED = /"((?:[^"\\]|\\.)*)"/sy;
const TOKEN68 = /[A-Za-z0-9._~+/-]+=*(?=[ \t]*(?:,|$))/y;
/** Some servers write a URL without quotes, although it is no token. */
const UNQUOTED = /[^\s",]+/y;
const REST = /(?:"(?:[^"\\]|\\.)*"|[^",]|")*?(?=,|$)/sy;

/**
 * The challenges in a response's `WWW-Authenticate` fields, in their order. `Headers` has joined several field lines with
 * commas, as RFC 9110, 5.2 allows. What can't be read is skipped up to the next comma.
 */
export function challengesIn({ headers }: Pick<Response, 'headers'>): AuthChallenge[] {
  const field = (headers.get('www-authenticate') ?? '').slice(0, MAX_LENGTH);
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(field);
    if (match) at = pattern.lastIndex;
    return match;
  };
  const takeParameter = (): boolean => {
    const start = at;
    const name = take(TOKEN)?.[0].toLowerCase();
    if (name !== undefined && take(EQUALS)) {
      const value = take(QUOTED)?.[1]?.replace(/\\(.)/gs, '$1') ?? take(UNQUOTED)?.[0];
      const parameters = challenges.at(-1)?.parameters;
      if (value !== undefined && parameters) {
        if (!parameters.has(name)) parameters.set(name, value);
        return true;
      }
    }
    at = start;
    return false;
  };
  for (; at < field.length; at++) {
    take(SPACE);
    if (!takeParameter()) {
      const scheme = take(TOKEN)?.[0];
      if (scheme !== undefined) {
        challenges.push({ scheme: scheme.toLowerCase(), parameters: new Map() });
        take(SPACE);
        if (!take(TOKEN68)) takeParameter();
      }
    }
    take(REST);
  }
  return challenges;
}

/** What a refused request says about signing in: from the challenge that a bearer token, possibly bound to a key, answers. */
export interface TokenChallenge {
  readonly error?: string;
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
  /** Whether only tokens that are bound to a key are accepted (RFC 9449). */
  readonly isDpop: boolean;
}

/**
 * The challenge of a refused request for tokens (RFC 6750, RFC 9449, RFC 9728). Of several, the one with an error counts, for
 * that says what this request lacked; parameters that it does not have are taken from the others.
 */
export function tokenChallenge(response: Pick<Response, 'headers'>): TokenChallenge {
  const challenges = challengesIn(response).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const inOrder = [
    ...challenges.filter(({ parameters }) => parameters.has('error')),
    ...challenges.filter(({ parameters }) => !parameters.has('error')),
  ];
  const find = (name: string) => inOrder.map(({ parameters }) => parameters.get(name)).find(value => value);
  const [error, scope, metadata = ''] = [find('error'), find('scope'), find('resource_metadata')];
  return {
    ...(error && { error }),
    ...(scope && { scope }),
    ...(URL.canParse(metadata) && { resourceMetadataUrl: new URL(metadata) }),
    isDpop: challenges.length > 0 && challenges.every(({ scheme }) => scheme === 'dpop'),
  };
}
