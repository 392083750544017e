import { messageOf } from '../base/errors';
import { evaluateOnce } from './mcptestEval';
import { testAll, USAGE } from './mcptestFiles';
import { CommandLineError, isRequestKind, requestOnce } from './mcptestRequest';

// Tests of MCP servers without an editor, single requests, and which tool a model chooses: see USAGE.
// Exit code 0: all is well; 1: something failed; 2: there is nothing to run, or the arguments are wrong.

/** `fillNode20` adds what it lacks. */
const NODE = 20;

async function main(argv: readonly string[]): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < NODE) {
    process.stderr.write(`mcptest needs Node ${NODE} or newer; this is ${process.versions.node}.\n`);
    return 2;
  }
  fillNode20();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const [command, ...rest] = argv;
  if (isRequestKind(command)) return requestOnce(command, rest, stop.signal);
  return command === 'eval' ? evaluateOnce(rest, stop.signal) : testAll(argv, stop.signal);
}

const missing = (of: object, name: string, value: unknown) => {
  if (!(name in of)) Object.defineProperty(of, name, { value, writable: true, configurable: true });
};

function grouped<K, V>(items: Iterable<V>, keyOf: (item: V, index: number) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Adds what Node 20 lacks, for programs that people run with a Node of their own; editors bring a newer one. */
function fillNode20(): void {
  missing(Promise, 'withResolvers', function withResolvers<T>(this: PromiseConstructor) {
    let resolve!: (value: T | PromiseLike<T>) => void;
    let reject!: (reason?: unknown) => void;
    const promise = new this<T>((...functions) => {
      [resolve, reject] = functions;
    });
    return { promise, resolve, reject };
  });
  missing(Map, 'groupBy', grouped);
}

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code;
  },
  error => {
    const more = error instanceof CommandLineError ? 'mcptest --help says how it is used.\n' : `\n${USAGE}`;
    process.stderr.write(`${messageOf(error, 2_000)}\n${more}`);
    process.exitCode = 2;
  },
);
