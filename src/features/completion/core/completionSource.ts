import type { CompleteRequest } from '@modelcontextprotocol/client';
import type { AllowedRequests, ServerConnection } from '../../../host';
import type { Completion, Suggest } from './suggestionFeed';

/** The owner of an argument: a prompt or a resource template. */
type CompletionRef = CompleteRequest['params']['ref'];

/** The parts of a connection that completion needs. */
export type CompletionServer = Pick<ServerConnection, 'info'>;

const MAX_ANSWERS = 500;

/** The answers of one session. `info` is a new object for each session, so that a restart makes them void. */
interface Answers {
  readonly session: unknown;
  /** Insertion order is order of use: the first is dropped first. */
  readonly byKey: Map<string, Completion>;
}

const answersOf = new WeakMap<CompletionServer, Answers>();

/**
 * Suggestions from the server for the arguments of a prompt or resource template, remembered until the server restarts.
 * Undefined for a server that suggests nothing.
 */
export function completionSource<S extends CompletionServer>(
  server: S,
  requests: (server: S) => Pick<AllowedRequests, 'complete'>,
  ref: CompletionRef,
): Suggest | undefined {
  if (!server.info?.capabilities.completions) return undefined;
  const known = (key: string): Completion | undefined => {
    const { byKey } = answers(server);
    const answer = byKey.get(key);
    if (answer) byKey.delete(key);
    if (answer) byKey.set(key, answer);
    return answer;
  };
  const keyOf = (...parts: Parameters<NonNullable<Suggest['cached']>>) => JSON.stringify([ref, ...parts]);
  const suggest: Suggest = async (argument, value, earlier, signal) => {
    const key = keyOf(argument, value, earlier);
    const cached = known(key);
    if (cached) return cached;
    const { byKey } = answers(server);
    const context = Object.keys(earlier).length > 0 && { context: { arguments: { ...earlier } } };
    const answer = await requests(server).complete({ ref, argument: { name: argument, value }, ...context }, signal);
    byKey.set(key, answer);
    if (byKey.size > MAX_ANSWERS) byKey.delete(byKey.keys().next().value!);
    return answer;
  };
  suggest.cached = (...parts) => known(keyOf(...parts));
  return suggest;
}

function answers(server: CompletionServer): Answers {
  let found = answersOf.get(server);
  if (!found || found.session !== server.info) {
    found = { session: server.info, byKey: new Map() };
    answersOf.set(server, found);
  }
  return found;
}
