import { messageOf } from '../../../base/errors';
import { isObject, parsedJson } from '../../../base/json';
import { bodyWithin } from '../../../base/responses';
import { isLoopback, visible, withoutTrailingSlashes } from '../../../base/text';
import type { EvalQuestion } from '../../authors/core';
import { scoreOf } from './evalReport';
import { type EvalRequest, makeRequests } from './evalRun';
import type { Choice, ToolVersion } from './toolVersion';

/** What a model chose for one question. Names of tools are the server's; null: none. */
interface EvaluatedQuestion {
  readonly question: string;
  readonly expected: string | null;
  readonly isRight: boolean;
  readonly chosen?: string | null;
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Why there is no answer. */
  readonly error?: string;
}

/** The result of asking a model all questions of a file, with the tools as they are. */
interface Evaluation {
  readonly model: string;
  readonly server: string;
  /** From 0 to 1. */
  readonly threshold: number;
  /** The share of questions whose tool and arguments were right. A question without an answer is wrong. */
  readonly score: number;
  readonly right: number;
  readonly total: number;
  readonly passed: boolean;
  readonly questions: readonly EvaluatedQuestion[];
}

interface EvaluateOptions {
  readonly server: string;
  readonly threshold: number;
  readonly signal: AbortSignal;
}

const NOT_ASKED = 'It was not asked.';

/** Asks each question once. Never rejects for what the model does. */
export async function evaluate(
  questions: readonly EvalQuestion[],
  version: ToolVersion,
  model: EvalModel,
  { server, threshold, signal }: EvaluateOptions,
): Promise<Evaluation> {
  const requests = questions.map((question): EvalRequest => ({ question, version: 'now' }));
  const answers = await makeRequests(
    requests,
    ({ question: { question } }) => model.choose(question, version, signal),
    { signal, isFinal: error => (error as Partial<EvalModelError>).isFinal === true, done: () => {} },
  );
  const evaluated = requests.map((request): EvaluatedQuestion => {
    const { question, tool = null } = request.question;
    const answer = answers.get(request);
    const asked = { question, expected: tool };
    if (!answer) return { ...asked, isRight: false, error: NOT_ASKED };
    if ('failed' in answer) return { ...asked, isRight: false, error: messageOf(answer.failed, 500) };
    const score = scoreOf(request, answer);
    const isRight = score?.tool === true && score.arguments !== false;
    return { ...asked, isRight, chosen: answer.tool ?? null, ...(answer.arguments && { arguments: answer.arguments }) };
  });
  const right = evaluated.filter(({ isRight }) => isRight).length;
  const total = evaluated.length;
  const score = right / total;
  const passed = score >= threshold && !signal.aborted;
  return { model: model.name, server, threshold, score, right, total, passed, questions: evaluated };
}

/** The result as lines for a person. */
export function evaluationText({ model, server, threshold, score, right, total, questions }: Evaluation): string {
  const lines = questions.map(({ question, expected, isRight, chosen, arguments: given, error }) => {
    const asked = `${isRight ? '✓' : '✗'} ${visible(question, 200)}`;
    if (error !== undefined) return `${asked}\n    ${visible(error, 500)}`;
    if (isRight) return `${asked} → ${named(chosen)}`;
    const call = given && Object.keys(given).length > 0 ? ` ${visible(JSON.stringify(given), 300)}` : '';
    return `${asked}\n    expected ${named(expected)}, chose ${named(chosen)}${call}`;
  });
  const needed = `${percent(threshold)} needed`;
  return `${lines.join('\n')}\n${right} of ${total} right (${percent(score)}, ${needed}): tools of ${server}, chosen by ${model}\n`;
}

const named = (tool: string | null | undefined) => (tool == null ? 'none' : visible(tool, 100));

/** Rounded down, so that what is not reached does not look so. */
const percent = (share: number) => `${Math.floor(share * 1_000 + 1e-9) / 10} %`;

/** A model that chooses tools, where there is no editor. Rejects with `EvalModelError`. */
export interface EvalModel {
  readonly name: string;
  choose(question: string, version: ToolVersion, signal: AbortSignal): Promise<Choice>;
}

/** A failed request to a model. In English, for a command line. `isFinal`: all others would fail too. */
export class EvalModelError extends Error {
  constructor(
    message: string,
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}

const LIMIT_MS = 2 * 60_000;
const MAX_ANSWER = 1024 * 1024;
/** After these, every other request would fail too. */
const FINAL = [400, 401, 402, 403, 404, 405];

interface Endpoint {
  /** Such as `https://api.example.com/v1`; with or without `/chat/completions`. */
  readonly endpoint: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key: string | undefined;
}

/**
 * A model behind an endpoint in the form of OpenAI's chat completions. Each question is one request with the tools; what the model
 * would call is not called. No redirect is followed: the key goes nowhere else.
 * @throws EvalModelError for an address that is none, or to which a key would go in plain text.
 */
export function openAiModel({ endpoint, model, key }: Endpoint): EvalModel {
  const url = addressOf(endpoint);
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url))
    throw new EvalModelError(`The key would go to ${url.host} in plain text. Use an https: address.`, true);
  const said = (what: string) => `The model "${visible(model, 60)}" at ${url.host} could not answer: ${what}`;
  const name = `${visible(model, 60)} at ${url.host}`;
  return {
    name,
    choose: async (question, version, signal) => {
      const late = AbortSignal.timeout(LIMIT_MS);
      const tools = version.definitions.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      }));
      const request = {
        model,
        messages: [{ role: 'user', content: question }],
        ...(tools.length > 0 && { tools, tool_choice: 'auto' }),
      };
      let response: Response;
      let text: string;
      try {
        response = await fetch(url, {
          method: 'POST',
          redirect: 'error',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(key !== undefined && { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify(request),
          signal: AbortSignal.any([signal, late]),
        });
        const body = await bodyWithin(response, MAX_ANSWER);
        if (!body) throw new Error('the answer is larger than 1 MB');
        text = body.toString();
      } catch (error) {
        if (late.aborted) throw new EvalModelError(said(`there was no answer within ${LIMIT_MS / 1000} s.`), false);
        const { cause } = error as { cause?: unknown };
        const why = messageOf(cause ?? error, 200);
        throw new EvalModelError(said(`${why}. Check --endpoint.`), error instanceof TypeError);
      }
      if (!response.ok) {
        const remedy = [401, 403].includes(response.status)
          ? ' Name the variable that has its key with --key-env.'
          : '';
        const why = `HTTP ${response.status}, "${visible(text, 200)}".${remedy}`;
        throw new EvalModelError(said(why), FINAL.includes(response.status));
      }
      const call = firstCall(text);
      if (call === 'none') return {};
      if (call === undefined)
        throw new EvalModelError(said('the answer is no chat completion. Check --endpoint.'), false);
      return version.choice(call.name, call.input);
    },
  };
}

function addressOf(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new EvalModelError(
      `"${visible(endpoint, 100)}" is no address of a model, such as http://127.0.0.1:11434/v1.`,
      true,
    );
  if (!/\/chat\/completions\/?$/.test(url.pathname))
    url.pathname = `${withoutTrailingSlashes(url.pathname)}/chat/completions`;
  return url;
}

/** The first call in a completion; undefined for what is none. Arguments that are no JSON object count as none. */
function firstCall(text: string): { name: string; input: object } | 'none' | undefined {
  const answer = parsedJson(text);
  const choices = isObject(answer) ? answer.choices : undefined;
  const message: unknown = Array.isArray(choices) && isObject(choices[0]) ? choices[0].message : undefined;
  if (!isObject(message)) return undefined;
  const [call] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  if (call === undefined) return 'none';
  const called = isObject(call) ? call.function : undefined;
  if (!isObject(called) || typeof called.name !== 'string') return undefined;
  const input = typeof called.arguments === 'string' ? parsedJson(called.arguments) : called.arguments;
  return { name: called.name, input: isObject(input) ? input : {} };
}

/**
 * Answers that a file has, for trying out questions, and for CI without a model: `answers` with `question`, `tool` (or `none`) and
 * `arguments`.
 * @throws EvalModelError when the file is of another form.
 */
export function scriptedModel(value: unknown, name: string): EvalModel {
  const answers = isObject(value) ? value.answers : undefined;
  if (!Array.isArray(answers)) throw new EvalModelError(`${name} has no list "answers".`, true);
  const known = new Map(answers.map((answer: unknown, at) => entryOf(answer, `${name}, answer ${at + 1}`)));
  return {
    name,
    choose: async question => {
      const choice = known.get(question);
      if (choice) return choice;
      throw new EvalModelError(`${name} has no answer to "${visible(question, 100)}".`, false);
    },
  };
}

function entryOf(answer: unknown, where: string): [string, Choice] {
  const { question, tool, arguments: given = {} } = isObject(answer) ? answer : {};
  if (typeof question !== 'string' || typeof tool !== 'string' || !isObject(given))
    throw new EvalModelError(`${where}: it needs "question" and "tool", and "arguments" are an object.`, true);
  return [question, tool === 'none' ? {} : { tool, arguments: given }];
}
