import { INTERNAL_ERROR, INVALID_PARAMS, SERVER_ERROR } from '../../../base/errors';

/** The person refused (spec: client/sampling#error-handling). */
const USER_REJECTED = -1;

/** The error that a server gets in place of an answer: its `code` and message travel unchanged. */
export class SamplingError extends Error {
  private constructor(
    readonly code: number,
    message: string,
    /** For the audit log. */
    readonly answer: 'denied' | 'unanswered' | 'discarded' | 'invalid' | 'limited' | 'cancelled' | 'failed',
  ) {
    super(message);
    this.name = 'SamplingError';
  }

  static denied(message = 'User rejected sampling request'): SamplingError {
    return new SamplingError(USER_REJECTED, message, 'denied');
  }

  static discarded(): SamplingError {
    return new SamplingError(USER_REJECTED, 'User rejected the answer of the model', 'discarded');
  }

  /** No answer came in time, which allows nothing. */
  static unanswered(minutes: number): SamplingError {
    return new SamplingError(USER_REJECTED, `Nobody answered the review within ${minutes} minutes`, 'unanswered');
  }

  static invalid(reason: string): SamplingError {
    return new SamplingError(INVALID_PARAMS, `Sampling request refused: ${reason}`, 'invalid');
  }

  static limited(reason: string): SamplingError {
    return new SamplingError(SERVER_ERROR, `Sampling request refused: ${reason}`, 'limited');
  }

  static cancelled(): SamplingError {
    return new SamplingError(INTERNAL_ERROR, 'Sampling request was cancelled', 'cancelled');
  }

  static failed(reason: string): SamplingError {
    return new SamplingError(INTERNAL_ERROR, `No answer from a language model: ${reason}`, 'failed');
  }
}
