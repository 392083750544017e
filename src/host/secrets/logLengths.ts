import { getOrInsert } from '../../base/events';
import { lengthOf } from '../../base/json';
import { MAX_LOGGED } from '../../base/processes';
import { RateAllowance } from '../../base/rateAllowance';

/** What is logged whole, however much comes: the number of messages is limited where they arrive. */
const SHORT = 2_000;
/** Of longer ones, in characters of one server: a long text takes a microsecond for each to be searched for secrets. */
const BURST = 4_000_000;
const PER_SECOND = 200_000;

/** How much is logged of one message. A server that logs more than can be searched for secrets has only beginnings logged. */
export class LogLengths {
  readonly #allowances = new Map<string, RateAllowance>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** In characters. @param server its id. */
  of(server: string, data: unknown): number {
    const length = Math.min(typeof data === 'string' ? data.length : lengthOf(data), MAX_LOGGED);
    if (length <= SHORT) return MAX_LOGGED;
    const allowance = getOrInsert(this.#allowances, server, () => new RateAllowance(BURST, PER_SECOND));
    return allowance.use(this.now(), length) ? MAX_LOGGED : SHORT;
  }
}
