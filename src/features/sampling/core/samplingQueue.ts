import { Queue } from '../../../base/queue';
import { SamplingError } from './samplingError';

/** One request after the other; no more than `maxWaiting` wait. Its refusals are those that the server gets. */
export class SamplingQueue extends Queue {
  constructor(maxWaiting: number) {
    super({
      maxWaiting,
      refused: refusal =>
        refusal === 'full'
          ? SamplingError.limited(`${maxWaiting} other requests are waiting for a review. Try again later`)
          : SamplingError.cancelled(),
    });
  }
}
