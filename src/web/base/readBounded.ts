import { PhraseError, phrase } from '../../base/phrase';

/** Only programs have an `envFile`. */
export const readBounded = (path: string): Promise<never> =>
  Promise.reject(new PhraseError(phrase('{0} is not on a disk', path)));
