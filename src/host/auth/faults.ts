import { messageOf } from '../../base/errors';
import { visible } from '../../base/text';
import { HttpFault } from '../transport/httpFault';

const AGAIN = 'Choose "Sign In" on its row to try again.';

/** The person is to sign in. `again`: they had, and it no longer counts. */
export function signInNeeded(again: boolean): HttpFault {
  return again
    ? new HttpFault('UNAUTHORIZED', 'your sign-in has ended', 'Choose "Sign In" on its row to sign in again.')
    : new HttpFault('UNAUTHORIZED', 'it asks for a sign-in (HTTP 401)', 'Choose "Sign In" on its row.');
}

/** @param scopes the permissions that a request needs beyond those that were given. */
export function moreScopesNeeded(scopes: string | undefined): HttpFault {
  const which = scopes === undefined ? '' : `: ${visible(scopes, 200)}`;
  return new HttpFault(
    'FORBIDDEN',
    `it asks for more permissions than you gave it${which} (HTTP 403)`,
    'Choose "Sign In" on its row to give them.',
  );
}

/** The credentials of the settings entry are not taken. */
export function credentialsRefused(reason: string): HttpFault {
  return new HttpFault('FORBIDDEN', reason, 'Check "oauth" of its settings entry.');
}

export function cancelled(): HttpFault {
  return new HttpFault('CANCELLED', 'the sign-in was cancelled', AGAIN);
}

export function timedOut(minutes: number): HttpFault {
  return new HttpFault('TIMEOUT', `nothing came back from the browser within ${minutes} minutes`, AGAIN);
}

/** The answer of the browser does not belong to what was asked: it may be somebody else's. */
export function wrongState(): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    'what came back from the browser does not belong to this sign-in, and was not used',
    AGAIN,
  );
}

/** What an authorization server answers in place of a code (RFC 6749, 4.1.2.1). */
export function refusal(answer: URLSearchParams): HttpFault {
  const error = answer.get('error') ?? 'no code';
  const says = answer.get('error_description');
  const reason =
    error === 'access_denied'
      ? 'the sign-in was denied'
      : `its authorization server refused the sign-in (${visible(error, 60)})`;
  return new HttpFault('UNAUTHORIZED', says ? `${reason}: ${visible(says, 200)}` : reason, AGAIN);
}

/** The credentials of its settings entry, or a kept sign-in, belong to another authorization server. */
export function otherIssuer(expected: string, found: string): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    `it names ${visible(found, 200)} as its authorization server, and not ${visible(expected, 200)}`,
    'Nothing was sent there. If that is right, make it "issuer" in "oauth" of its settings entry.',
  );
}

/** Turns what the SDK's OAuth functions throw into something that a person can act on. */
export function explainAuth(error: unknown, authorizationServer: string): unknown {
  if (!(error instanceof Error) || error.name === 'HttpFault') return error;
  const server = visible(authorizationServer, 200);
  switch (error.name) {
    case 'IssuerMismatchError':
      return new HttpFault(
        'UNAUTHORIZED',
        `an answer for ${server} says that it is from another authorization server, and was not used`,
        'Somebody may be trying to get hold of your sign-in. Ask the makers of the server.',
        error,
      );
    case 'RegistrationRejectedError':
      return new HttpFault(
        'UNAUTHORIZED',
        `${server} does not register this editor by itself`,
        'Register it there and give its "clientId" in "oauth" of the settings entry.',
        error,
      );
    case 'InsecureTokenEndpointError':
      return new HttpFault('UNAUTHORIZED', `${server} takes tokens without https`, 'Nothing was sent there.', error);
    case 'OAuthError': {
      const code = String((error as { code?: unknown }).code);
      const reason = `${server} refused (${visible(code, 60)}): ${visible(messageOf(error, 200))}`;
      return new HttpFault('UNAUTHORIZED', reason, 'Check "oauth" of its settings entry, or sign in again.', error);
    }
    case 'TimeoutError':
      return new HttpFault('TIMEOUT', `${server} did not answer in time`, AGAIN, error);
    case 'AbortError':
      return cancelled();
  }
  // A network error says itself what it is.
  if (error.message === 'fetch failed') return error;
  const reason = `what ${server} answered can't be used (${visible(messageOf(error, 200))})`;
  return new HttpFault('UNAUTHORIZED', reason, 'That is a fault of the server: tell its makers.', error);
}
