// In place of: host/sandbox/index
import type * as anywhere from '../host/sandbox';

/** There are no programs in a web window, so nothing is ever confined. */
const none = (): never => {
  throw new Error('There are no programs in a web window.');
};

export const sandboxFor: typeof anywhere.sandboxFor = none;
export const whyUnable: typeof anywhere.whyUnable = async () => undefined;
export const confine: typeof anywhere.confine = none;
