import { messageOf } from '../../base/errors';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { visible, webAddress } from '../../base/text';
import { isFetchFailure } from '../sdk/saidInWords';
import type { SignInException } from '../settings';
import { SIGN_IN_EXCEPTIONS } from '../settings/signInExceptions';
import { REPORT_IT } from '../transport/httpFaults';
import { TransportFault } from '../transport/transportFault';

const AGAIN = phrase('Choose "Sign In" on its row to try again.');
const NOTHING_SENT = phrase('Nothing was sent there.');
const REGISTER = phrase(
  'Register this editor at that authorization server, and give its "clientId" in "oauth" of the settings entry.',
);
const LATER = phrase('Try again later.');
const ASK_ADMIN = phrase('Ask your administrator for access.');

const ADD_HEADER = phrase(
  'It probably expects a key or a token: add an "Authorization" header to "headers" in its settings entry.',
);

const unauthorized = (reason: Phrase, remedy: Phrase, cause?: unknown) =>
  new TransportFault('UNAUTHORIZED', reason, remedy, cause);

/** No authorization server was found, nor the default endpoints of older servers. */
export const noSignIn = (cause: unknown) =>
  unauthorized(phrase('it offers no way to sign in'), exceptionally(ADD_HEADER, 'tokenUrl', BY_HAND), cause);

/** `again`: a sign-in is no longer valid. `isOffered`: the server named where; otherwise a header is missing. */
export function signInNeeded(again: boolean, isOffered = true): TransportFault {
  if (again) {
    const remedy = phrase('Choose "Sign In" on its row to sign in again.');
    return unauthorized(phrase('your sign-in has ended'), remedy);
  }
  return isOffered
    ? unauthorized(phrase('it requires you to sign in (HTTP 401)'), phrase('Choose "Sign In" on its row.'))
    : unauthorized(phrase('it requires credentials (HTTP 401)'), ADD_HEADER);
}

/** @param scope the missing permissions. @param says why. @param canGive whether a sign-in can give them. */
export function moreScopesNeeded(
  { scope, says }: { scope?: string | undefined; says?: string | undefined },
  canGive = true,
): TransportFault {
  const reason =
    scope === undefined
      ? phrase('it requires more permissions than you granted (HTTP 403)')
      : phrase('it requires more permissions than you granted: {0} (HTTP 403)', visible(scope, 200));
  return new TransportFault(
    'FORBIDDEN',
    says ? phrase('{0}: {1}', reason, visible(says, 200)) : reason,
    canGive ? phrase('Choose "Sign In" on its row to grant them.') : ASK_ADMIN,
  );
}

/** The credentials in the settings entry are not accepted. */
export const credentialsRefused = (reason: Phrase) =>
  new TransportFault('FORBIDDEN', reason, phrase('Check "oauth" in its settings entry.'));

export const cancelled = () => new TransportFault('CANCELLED', phrase('the sign-in was cancelled'), AGAIN);

export const timedOut = (minutes: number) =>
  new TransportFault('TIMEOUT', phrase('the browser did not return within {0} minutes', minutes), AGAIN);

/** The answer from the browser does not belong to the request, and may be someone else's. */
export const wrongState = () =>
  unauthorized(phrase('the response from the browser does not belong to this sign-in and was not used'), AGAIN);

/** What to do about a sign-in that only an exception accepts. @param written the exception, as in the entry. */
const exceptionally = (before: Phrase, field: SignInException, written: string) =>
  phrase('{0} To sign in all the same, add {1} to its settings entry. {2}', before, written, SIGN_IN_EXCEPTIONS[field]);

const inOAuth = (fields: object) => `"oauth": ${JSON.stringify(fields, undefined, 1).replaceAll(/\n\s*/g, ' ')}`;

const BY_HAND = inOAuth({ authorizationUrl: '…', tokenUrl: '…', clientId: '…' });

/** What is known about the authorization server that was asked: a part of `Discovery`. */
interface AskedServer {
  readonly issuer: string;
  readonly metadata: { readonly code_challenge_methods_supported?: readonly string[] | undefined } | undefined;
  readonly isByHand?: boolean;
}

/** The authorization server does not support PKCE, so an intercepted code could be misused. */
export function unprotectedCodes({ issuer, metadata }: AskedServer): TransportFault {
  const remedy = phrase(
    'No browser was opened. Ask the operator of that authorization server to support PKCE and to announce it in the metadata.',
  );
  const exception = metadata
    ? exceptionally(remedy, 'pkce', inOAuth({ pkce: 'assumed' }))
    : exceptionally(remedy, 'tokenUrl', BY_HAND);
  return unauthorized(
    phrase(
      '{0} does not announce that it protects sign-ins with PKCE (S256), which the specification requires',
      visible(issuer, 200),
    ),
    metadata?.code_challenge_methods_supported ? remedy : exception,
  );
}

/** Metadata in the name of another issuer than the address at which it was found (RFC 8414, 3.3). */
export function otherName({ url, named, accepted }: { url: string; named: string; accepted?: string | undefined }) {
  const reason =
    accepted === undefined
      ? phrase('the authorization server at {0} calls itself {1}', visible(url, 200), visible(named, 200))
      : phrase(
          'the authorization server at {0} calls itself {1}, and not {2} as its settings entry says',
          visible(url, 200),
          visible(named, 200),
          visible(accepted, 200),
        );
  return unauthorized(reason, exceptionally(NOTHING_SENT, 'issuer', inOAuth({ issuer: visible(named, 200) })));
}

/** An answer that may be from another authorization server than the one that was asked (RFC 9207). */
export function otherServer({ issuer, isByHand }: AskedServer, iss: string): TransportFault {
  const reason = phrase(
    'a response for {0} says that it is from another authorization server and was not used',
    visible(issuer, 200),
  );
  const remedy = phrase("Someone may be trying to steal your sign-in. Contact the server's developers.");
  // Any other text may be meant for the person.
  const named = webAddress(iss, 200);
  if (!named) return unauthorized(reason, remedy);
  const whole = phrase('{0} It names {1}.', remedy, visible(named.origin, 200));
  return unauthorized(reason, isByHand ? exceptionally(whole, 'issuer', inOAuth({ issuer: iss })) : whole);
}

/** An answer without the name of its authorization server, which promises to give it (RFC 9207, 2.4). */
export const unnamedServer = (authorizationServer: string) =>
  unauthorized(
    phrase(
      'an answer for {0} does not say which authorization server it is from, and was not used',
      visible(authorizationServer, 200),
    ),
    phrase(
      "If you pasted only a code, sign in again and paste the whole address. Otherwise, contact the server's developers.",
    ),
  );

/** An ID token that is not for this sign-in. */
export const otherPerson = (identityProvider: string) =>
  unauthorized(
    phrase('the identity that {0} returned does not belong to this sign-in and was not used', identityProvider),
    AGAIN,
  );

/** The organization does not let this person, or this editor, use the server. */
export function accessRefused(identityProvider: string, code: string, words: Phrase | string): TransportFault {
  const reason = phrase('{0}, which manages access to it, refused ({1}): {2}', identityProvider, code, words);
  return new TransportFault('FORBIDDEN', reason, ASK_ADMIN);
}

/** No way for the browser's answer to come back could be opened. */
export const noWayBack = (cause?: unknown) =>
  unauthorized(
    cause === undefined
      ? phrase('the browser has no way back to this editor')
      : phrase('the browser has no way back to this editor ({0})', visible(messageOf(cause), 200)),
    phrase('Set "redirectUri" in "oauth" of its settings entry to an address that the browser can return to.'),
    cause,
  );

/** An error that an authorization server returned instead of a code (RFC 6749, 4.1.2.1). */
export function refusal(answer: URLSearchParams, authorizationServer: string): TransportFault {
  const error = answer.get('error') ?? 'no code';
  const says = answer.get('error_description');
  const reason =
    error === 'access_denied'
      ? phrase('the sign-in was denied')
      : phrase('{0} refused the sign-in ({1})', visible(authorizationServer, 200), visible(error, 60));
  const isOfClient = error === 'invalid_client' || error === 'unauthorized_client';
  const remedy = remedyOfTarget(error) ?? (isOfClient ? REGISTER : AGAIN);
  return unauthorized(says ? phrase('{0}: {1}', reason, visible(says, 200)) : reason, remedy, { code: error });
}

/** What to do where the resource that tokens are to be for is refused (RFC 8707, 2). */
const remedyOfTarget = (code: string) =>
  code === 'invalid_target' ? exceptionally(AGAIN, 'resource', inOAuth({ resource: false })) : undefined;

/** The credentials in the settings entry, or a stored sign-in, belong to another authorization server. */
export const otherIssuer = (expected: string, found: string) =>
  unauthorized(
    phrase('it names {0} as its authorization server, not {1}', visible(found, 200), visible(expected, 200)),
    phrase('Nothing was sent there. If that is the right one, set "issuer" under "oauth" in its settings entry to it.'),
  );

/** The document that says where to sign in (RFC 9728) can't be used. @param status if that is why. */
export const unusableMetadata = ({ origin, pathname }: URL, why: Phrase | string, status = 0) =>
  new TransportFault(
    status >= 500 ? 'UNREACHABLE' : 'PROTOCOL',
    phrase(
      "the document that says where to sign in, {0}, can't be used ({1})",
      visible(origin + pathname, 200),
      typeof why === 'string' ? visible(why, 200) : why,
    ),
    status >= 500 ? LATER : REPORT_IT,
  );

/** An authorization server can't be reached at present, or has failed. */
export const unavailable = ({ host }: Pick<URL, 'host'>, why: string) =>
  new TransportFault('UNREACHABLE', phrase('{0} is not available ({1})', host, visible(why, 200)), LATER);

/** Codes of errors that say nothing about the credentials (RFC 6749, 4.1.2.1). */
const PASSING = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests']);

/** The code of a refused request for tokens; undefined for any other failure, such as a page of something before it. */
export function refusalIn(error: unknown): string | undefined {
  const { name, code = '' } = error as { name?: string; code?: string };
  return name === 'OAuthError' && !PASSING.has(code) && !/^HTTP (?!400|401)/.test(code) ? code : undefined;
}

/** Turns what the SDK's OAuth functions throw into something that a person can act on. */
export function explainAuth(error: unknown, authorizationServer: string): unknown {
  if (!(error instanceof Error) || error.name === 'TransportFault') return error;
  const server = visible(authorizationServer, 200);
  switch (error.name) {
    case 'InsecureTokenEndpointError':
      return unauthorized(phrase('{0} accepts tokens without https', server), NOTHING_SENT, error);
    case 'OAuthError': {
      const code = String((error as { code?: unknown }).code);
      if (PASSING.has(code)) return unavailable({ host: server }, messageOf(error, 200));
      const reason = phrase('{0} refused ({1}): {2}', server, visible(code, 60), wordsOf(error));
      const remedy = remedyOfTarget(code) ?? phrase('Check "oauth" in its settings entry, or sign in again.');
      return unauthorized(reason, remedy, error);
    }
    case 'TimeoutError':
      return new TransportFault('TIMEOUT', phrase('{0} did not answer in time', server), AGAIN, error);
    case 'AbortError':
      return cancelled();
  }
  // A network error explains itself.
  if (isFetchFailure(error)) return error;
  const reason = phrase("the response from {0} can't be used ({1})", server, wordsOf(error));
  return new TransportFault('PROTOCOL', reason, REPORT_IT, error);
}

/** The text of an error: a phrase if it is ours, so that it can be translated. */
export const wordsOf = (error: Error): Phrase | string =>
  (error as Partial<PhraseError>).phrase ?? visible(messageOf(error, 200));
