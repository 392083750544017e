import { DisposableStore, Emitter, type Event } from '../../../base/events';
import type { Caller, ServerSet, TraceLog, TraceRecord } from '../../../host';
import { Callers } from './callers';
import { TraceMarks } from './traceMarks';

/** Where messages come from: the window's servers, or a file. */
export interface TraceSource {
  readonly isOn: boolean;
  readonly onDidChange: Event<void>;
  readonly marks: TraceMarks;
  /** Oldest first, with those that are kept because a person has marked them. */
  records(): readonly TraceRecord[];
  /** The redacted text of a message; ends with `…` if only its start is kept. */
  readable(record: TraceRecord): string;
  /** When servers have ended: see `TraceLog`. */
  readonly ends: ReadonlyMap<string, number>;
  /** Who made the call of a tool that a message asks for. */
  callerOf(record: TraceRecord): Caller | undefined;
  clear(): void;
  dispose(): void;
}

/** The messages of the window's servers. The log exists once the host does. */
export class LiveTrace implements TraceSource {
  readonly #disposables = new DisposableStore();
  readonly #changed = this.#disposables.add(new Emitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly marks = new TraceMarks();
  readonly #callers = new Callers(() => this.#attached?.calls ?? []);
  #attached: TraceLog | undefined;

  constructor(private readonly servers: ServerSet) {
    this.#attach();
    this.#disposables.add(servers.onDidChange(() => this.#attach()));
  }

  get isOn(): boolean {
    return this.#attached?.isOn ?? true;
  }

  records(): readonly TraceRecord[] {
    const records = this.#attached?.records() ?? [];
    return this.marks.among(records);
  }

  get ends(): ReadonlyMap<string, number> {
    return this.#attached?.ends ?? new Map();
  }

  readable(record: TraceRecord): string {
    return this.#attached?.readable(record) ?? '';
  }

  callerOf(record: TraceRecord): Caller | undefined {
    return this.#callers.of(record);
  }

  clear(): void {
    this.#attached?.clear();
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #attach(): void {
    const { trace } = this.servers;
    if (!trace || trace === this.#attached) return;
    this.#attached = trace;
    this.#disposables.add(trace.onDidChange(() => this.#changed.fire()));
    this.#changed.fire();
  }
}

/** An exported trace: secrets were struck out when it was written. */
export class FileTrace implements TraceSource {
  readonly isOn = true;
  readonly onDidChange: Event<void> = () => ({ dispose: () => {} });
  /** Nothing follows. */
  readonly ends: ReadonlyMap<string, number>;

  constructor(
    private readonly all: readonly TraceRecord[],
    private readonly callers: ReadonlyMap<number, Caller> = new Map(),
    readonly marks = new TraceMarks(),
  ) {
    this.ends = new Map(all.map(({ server, seq }) => [server, seq]));
  }

  callerOf({ seq }: TraceRecord): Caller | undefined {
    return this.callers.get(seq);
  }

  records(): readonly TraceRecord[] {
    return this.all;
  }

  readable({ text, size }: TraceRecord): string {
    return text.length < size && !text.endsWith('…') ? `${text}…` : text;
  }

  clear(): void {}

  dispose(): void {}
}
