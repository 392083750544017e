import type { EvalQuestion } from '../../authors/core';
import type { Choice, ToolVersion } from './toolVersion';

/** So many requests are under way at once: providers limit how often they are asked. */
const AT_ONCE = 2;
/** The tokens that providers count for the frame of a request. */
const FRAME_TOKENS = 5;

export const VERSIONS = ['before', 'now'] as const;
export type VersionName = (typeof VERSIONS)[number];
export type Versions = Readonly<Record<VersionName, ToolVersion>>;

/** One question with the tools of one version. */
export interface EvalRequest {
  readonly question: EvalQuestion;
  readonly version: VersionName;
}

/** The requests to send. */
export interface EvalPlan {
  readonly requests: readonly EvalRequest[];
  /** Tokens of all requests together. */
  readonly tokens: number;
  /** Tokens of the longest request. */
  readonly longest: number;
  /** Tokens of the tool definitions, which are in each request. */
  readonly definitions: Readonly<Record<VersionName, number>>;
}

/** @param count counts the tokens of a text as the model does; it never rejects. */
export async function planRequests(
  questions: readonly EvalQuestion[],
  versions: Versions,
  count: (text: string) => Promise<number>,
): Promise<EvalPlan> {
  const counted = async ({ definitions }: ToolVersion) =>
    definitions.length === 0 ? 0 : count(JSON.stringify(definitions));
  const definitions = { before: await counted(versions.before), now: await counted(versions.now) };
  const requests: EvalRequest[] = [];
  let [tokens, longest] = [0, 0];
  for (const question of questions) {
    const asked = (await count(question.question)) + FRAME_TOKENS;
    for (const version of VERSIONS) {
      const size = asked + definitions[version];
      requests.push({ question, version });
      tokens += size;
      longest = Math.max(longest, size);
    }
  }
  return { requests, tokens, longest, definitions };
}

/** The outcome of a request. */
export type EvalAnswer = Choice | { readonly failed: unknown };
export type EvalAnswers = ReadonlyMap<EvalRequest, EvalAnswer>;

/**
 * Makes the requests, two at a time. Never rejects: a request that fails is answered with its error, and those that were not made,
 * because of `signal` or because `isFinal` says of an error that all others will fail too, have no answer.
 */
export async function makeRequests(
  requests: readonly EvalRequest[],
  ask: (request: EvalRequest) => Promise<Choice>,
  { signal, isFinal, done }: { signal: AbortSignal; isFinal(error: unknown): boolean; done(): void },
): Promise<EvalAnswers> {
  const answers = new Map<EvalRequest, EvalAnswer>();
  const left = [...requests];
  const work = async () => {
    for (let next = left.shift(); next && !signal.aborted; next = left.shift()) {
      try {
        answers.set(next, await ask(next));
      } catch (error) {
        if (signal.aborted) return;
        answers.set(next, { failed: error });
        if (isFinal(error)) left.length = 0;
      }
      done();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}
