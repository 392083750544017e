import type { LoggingLevel } from '@modelcontextprotocol/client';
import { RateAllowance } from '../../base/rateAllowance';
import type { LogMessage } from '../reading/framing';
import { LOG_LEVELS } from '../settings/schema';

/** Bytes of messages, including skipped ones; over HTTP, of the unpacked bodies. */
export interface Traffic {
  received: number;
  sent: number;
}

/** Receives the text of each message as it goes over the wire: a line, a body, the data of an event. */
export type Wire = (direction: 'sent' | 'received', text: string) => void;

/** What transports report of incoming messages, besides those for the SDK. */
export interface IncomingListeners {
  /** A log message of the server. It bypasses the SDK, which would take ten times as long. */
  log(message: LogMessage): void;
  /** Something that is no MCP message; it is skipped. */
  noise(text: string): void;
  /** Something was left out: log messages of a flood, or a message over the limit. Says what, and how many. */
  leftOut(what: string): void;
  wire: Wire;
}

/** This many may come at once… */
const BURST = 100_000;
/** …and this many per second in the long run. */
const PER_SECOND = 10_000;
const REPORT_MS = 1_000;
/** Work triggered by writing gets a turn once per this many lines: about every millisecond. */
export const LINES_PER_SETTLE = 64;

const alwaysPass = new Set<LoggingLevel>(LOG_LEVELS.slice(LOG_LEVELS.indexOf('warning')));

/** Limits log messages to more than a person could read. Warnings always pass; dropped ones are counted. */
export class LogGate {
  readonly #allowance: RateAllowance;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly onLeftOut: (count: number) => void,
    burst = BURST,
    perSecond = PER_SECOND,
  ) {
    this.#allowance = new RateAllowance(burst, perSecond);
  }

  passes(level: LoggingLevel): boolean {
    if (alwaysPass.has(level) || this.#allowance.use(performance.now())) return true;
    this.#leftOut++;
    this.#timer ??= setTimeout(() => this.report(), REPORT_MS).unref();
    return false;
  }

  report(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#leftOut > 0) this.onLeftOut(this.#leftOut);
    this.#leftOut = 0;
  }
}
