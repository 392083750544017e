import { messageOf } from '../../base/errors';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { isFetchFailure } from '../sdk/saidInWords';
import { HttpFault, REPORT_IT } from '../transport/httpFault';

const AGAIN = phrase('Choose "Sign In" on its row to try again.');
const NOTHING_SENT = phrase('Nothing was sent there.');

/** The person has to sign in. `again`: they had, but the sign-in is no longer valid. */
export function signInNeeded(again: boolean): HttpFault {
  return again
    ? new HttpFault(
        'UNAUTHORIZED',
        phrase('your sign-in has ended'),
        phrase('Choose "Sign In" on its row to sign in again.'),
      )
    : new HttpFault(
        'UNAUTHORIZED',
        phrase('it requires you to sign in (HTTP 401)'),
        phrase('Choose "Sign In" on its row.'),
      );
}

/** @param scopes the permissions that a request needs beyond those that were given. */
export function moreScopesNeeded(scopes: string | undefined): HttpFault {
  const reason =
    scopes === undefined
      ? phrase('it requires more permissions than you granted (HTTP 403)')
      : phrase('it requires more permissions than you granted: {0} (HTTP 403)', visible(scopes, 200));
  return new HttpFault('FORBIDDEN', reason, phrase('Choose "Sign In" on its row to grant them.'));
}

/** The credentials in the settings entry are not accepted. */
export function credentialsRefused(reason: Phrase): HttpFault {
  return new HttpFault('FORBIDDEN', reason, phrase('Check "oauth" in its settings entry.'));
}

export function cancelled(): HttpFault {
  return new HttpFault('CANCELLED', phrase('the sign-in was cancelled'), AGAIN);
}

export function timedOut(minutes: number): HttpFault {
  return new HttpFault('TIMEOUT', phrase('the browser did not return within {0} minutes', minutes), AGAIN);
}

/** The answer from the browser does not belong to the request, and may be someone else's. */
export function wrongState(): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    phrase('the response from the browser does not belong to this sign-in and was not used'),
    AGAIN,
  );
}

/** The errors that an authorization server returns in place of a code (RFC 6749, 4.1.2.1). */
export function refusal(answer: URLSearchParams): HttpFault {
  const error = answer.get('error') ?? 'no code';
  const says = answer.get('error_description');
  const reason =
    error === 'access_denied'
      ? phrase('the sign-in was denied')
      : phrase('its authorization server refused the sign-in ({0})', visible(error, 60));
  return new HttpFault('UNAUTHORIZED', says ? phrase('{0}: {1}', reason, visible(says, 200)) : reason, AGAIN);
}

/** The credentials in the settings entry, or a stored sign-in, belong to another authorization server. */
export function otherIssuer(expected: string, found: string): HttpFault {
  return new HttpFault(
    'UNAUTHORIZED',
    phrase('it names {0} as its authorization server, not {1}', visible(found, 200), visible(expected, 200)),
    phrase('Nothing was sent there. If that is the right one, set "issuer" under "oauth" in its settings entry to it.'),
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
        phrase('a response for {0} says that it is from another authorization server and was not used', server),
        phrase("Someone may be trying to steal your sign-in. Contact the server's developers."),
        error,
      );
    case 'RegistrationRejectedError':
      return new HttpFault(
        'UNAUTHORIZED',
        phrase('{0} does not register this editor automatically', server),
        phrase('Register it there, and set "clientId" under "oauth" in the settings entry.'),
        error,
      );
    case 'InsecureTokenEndpointError':
      return new HttpFault('UNAUTHORIZED', phrase('{0} accepts tokens without https', server), NOTHING_SENT, error);
    case 'OAuthError': {
      const code = String((error as { code?: unknown }).code);
      const reason = phrase('{0} refused ({1}): {2}', server, visible(code, 60), wordsOf(error));
      const remedy = phrase('Check "oauth" in its settings entry, or sign in again.');
      return new HttpFault('UNAUTHORIZED', reason, remedy, error);
    }
    case 'TimeoutError':
      return new HttpFault('TIMEOUT', phrase('{0} did not answer in time', server), AGAIN, error);
    case 'AbortError':
      return cancelled();
  }
  // A network error explains itself.
  if (isFetchFailure(error)) return error;
  const reason = phrase("the response from {0} can't be used ({1})", server, wordsOf(error));
  return new HttpFault('UNAUTHORIZED', reason, REPORT_IT, error);
}

/** Ours, where they are, can be translated. */
const wordsOf = (error: Error): Phrase | string =>
  (error as Partial<PhraseError>).phrase ?? visible(messageOf(error, 200));
