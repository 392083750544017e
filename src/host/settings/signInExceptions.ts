import { type Phrase, phrase } from '../../base/phrase';
import type { OAuthSettings } from './schema';

const BY_HAND = phrase('Nothing confirms that these addresses belong to the server, or to each other.');

/** The fields of `oauth` that accept a sign-in which the specification refuses, and what each gives up. */
export const SIGN_IN_EXCEPTIONS = {
  issuer: phrase('An authorization server at another address may use this name, if the server says so.'),
  pkce: phrase('If the authorization server does not check PKCE, a stolen code is enough to sign in as you.'),
  authorizationUrl: BY_HAND,
  tokenUrl: BY_HAND,
  resource: phrase('Tokens may not be limited to this server, which could then use them elsewhere in your name.'),
} satisfies { [F in keyof OAuthSettings]?: Phrase };

export type SignInException = keyof typeof SIGN_IN_EXCEPTIONS;

/** The exceptions that an entry names. */
export const exceptionsIn = (oauth: OAuthSettings | undefined): SignInException[] =>
  (Object.keys(SIGN_IN_EXCEPTIONS) as SignInException[]).filter(field => oauth?.[field] !== undefined);

/** What a field gives up; undefined for one that is no exception. */
export const givenUpBy = (field: string): Phrase | undefined =>
  (SIGN_IN_EXCEPTIONS as Readonly<Record<string, Phrase>>)[field];
