import { english, type Phrase } from '../../base/phrase';

/** A policy that can't be enforced, so that nothing is started. */
export class PolicyError extends Error {
  constructor(readonly phrase: Phrase) {
    super(english(phrase));
    this.name = 'PolicyError';
  }
}
