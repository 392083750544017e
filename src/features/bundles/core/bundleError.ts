import { type Phrase, PhraseError } from '../../../base/phrase';

export type BundleFault =
  /** It is no zip file, or a broken one. */
  | 'BROKEN'
  | 'CHANGED'
  | 'CHECKSUM'
  | 'MANIFEST'
  /** It is not for this system. */
  | 'PLATFORM'
  | 'TOO_LARGE'
  /** It has something in it that no bundle needs, such as a link or a file outside its folder. */
  | 'UNSAFE'
  | 'UNREACHABLE';

/** Why a bundle cannot be installed. Its phrase is a clause that completes "…: ", without a full stop. */
export class BundleError extends PhraseError {
  constructor(
    readonly code: BundleFault,
    reason: Phrase,
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.name = 'BundleError';
  }
}
