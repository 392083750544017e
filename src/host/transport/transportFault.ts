import type { HostErrorCode } from '../../base/errors';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';

/** Something that went wrong between this host and a server, described so that a person can act on it. */
export class TransportFault extends PhraseError {
  override readonly name = 'TransportFault';

  constructor(
    readonly code: HostErrorCode,
    /** As in `HostError`. */
    reason: Phrase,
    readonly remedy: Phrase,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

export const isTransportFault = (error: unknown): error is TransportFault => error instanceof TransportFault;

/** The failure of the older transport's stream when it was opened. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';

  constructor(
    /** HTTP status; undefined when there was no answer, or one that is no event stream. */
    readonly status: number | undefined,
    message: string,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

const REQUEST_LESS = phrase('Request less at once, for example one part or one page.');

export const tooLarge = (maxBytes: number) =>
  new TransportFault(
    'TOO_LARGE',
    phrase('it sent a message of more than {0} bytes, and the rest was not read', maxBytes),
    REQUEST_LESS,
  );

/** A message was not read because it `isExcessive`. */
export const tooIntricate = () =>
  new TransportFault(
    'TOO_LARGE',
    phrase('it sent a message with too many values or levels, which was not read'),
    REQUEST_LESS,
  );
