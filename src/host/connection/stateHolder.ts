import type { HostError } from '../../base/errors';
import { Emitter } from '../../base/events';
import { english, type Phrase } from '../../base/phrase';
import type { GuardedPorts } from '../secrets/redactor';
import type { ServerEntry } from '../settings';
import type { ConnectionLog } from './connectionLog';
import type { ConnectionOptions } from './connectionOptions';
import type { ServerState } from './serverState';
import { whenSlow } from './slowStart';
import type { Vitals } from './vitals';

interface StateServices {
  readonly log: Pick<ConnectionLog, 'write'>;
  readonly vitals: Pick<Vitals, 'changed'>;
  readonly redactor: GuardedPorts['redactor'];
  readonly options: ConnectionOptions;
}

/** Owns the state of one connection. Each change is logged, counted in its vitals and announced. */
export class StateHolder {
  #state: ServerState = { kind: 'stopped' };
  readonly #changed = new Emitter<ServerState>();
  readonly onDidChange = this.#changed.event;
  #slowTimer: NodeJS.Timeout | undefined;

  constructor(private readonly services: StateServices) {}

  get current(): ServerState {
    return this.#state;
  }

  /** @param isQuiet leaves the state as it is: see `Restart`. */
  starting(entry: ServerEntry, reason: Phrase | string, isQuiet: boolean): void {
    const { log, options } = this.services;
    log.write(isQuiet ? 'debug' : 'info', `starting: ${english(reason)}`);
    if (isQuiet) return;
    this.set({ kind: 'starting', isSlow: false }, reason);
    this.#slowTimer = whenSlow(entry, options, note => {
      log.write('warning', note);
      this.set({ kind: 'starting', isSlow: true });
    });
  }

  need(kind: 'needsTrust' | 'needsInput' | 'needsAuth', error: HostError): void {
    this.services.log.write('warning', error.message);
    this.set({ kind, error });
  }

  fail(error: HostError, { gaveUp = false, isQuiet = false } = {}): void {
    this.services.log.write(isQuiet ? 'debug' : 'error', error.message);
    this.set({ kind: 'failed', error, gaveUp });
  }

  set(state: ServerState, why?: Phrase | string): void {
    clearTimeout(this.#slowTimer);
    if (state === this.#state) return;
    this.#state = 'error' in state ? { ...state, error: this.services.redactor.error(state.error) } : state;
    this.services.vitals.changed(this.#state, why);
    this.announce();
  }

  /** Something that is shown beside the state has changed. */
  announce(): void {
    this.#changed.fire(this.#state);
  }
}
