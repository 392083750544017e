import {
  BYTES_PER_TOKEN,
  type CountTokens,
  type ModelMessage,
  type ResultPart,
  shorten,
  TokenCounter,
  text,
  textOfParts,
} from '../../languageModel/core';

/** The content of one request to the model. */
export interface Conversation {
  /** The system prompt. Always kept. */
  readonly system: readonly ModelMessage[];
  /** Earlier turns, oldest first. */
  readonly turns: readonly (readonly ModelMessage[])[];
  /** The request that is being answered: always kept. */
  readonly request: readonly ModelMessage[];
  /** The calls of this turn so far and their results. */
  readonly rounds: readonly ModelMessage[];
}

interface FittedMessages {
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
  /** Those of the rounds among them. */
  readonly roundTokens: number;
  /** False when even the shortest sensible version is too long for the model. */
  readonly fits: boolean;
}

/** Characters that a result is shortened to, at first and when that was not enough. */
const RESULT_LENGTHS = [2000, 300];

/**
 * Makes a conversation fit into a model's window of `maxTokens`. First the oldest results of tools are shortened, then the
 * oldest turns are dropped as a whole, so that no call stays without its result; then the results of this turn are
 * shortened, its last ones at the end. `count` counts the tokens of a text; without it, or where it fails, they are
 * estimated.
 */
export async function fitToWindow(
  { system, turns, request, rounds }: Conversation,
  maxTokens: number,
  count?: CountTokens,
): Promise<FittedMessages> {
  const estimate = sum([await measure([...system, ...turns.flat(), ...request, ...rounds], new TokenCounter())]);
  // Counting asks another process, once for each message: only where it may matter.
  const counter = new TokenCounter(estimate * BYTES_PER_TOKEN > maxTokens ? count : undefined);
  const last = rounds.length - 1;
  const groups = {
    fixed: await measure([...system, ...request], counter),
    turns: await Promise.all(turns.map(turn => measure(turn, counter))),
    rounds: await measure(rounds, counter),
  };
  let dropped = 0;
  const total = () => sum([groups.fixed, ...groups.turns.slice(dropped), groups.rounds]);

  const shortenIn = async (messages: MeasuredMessage[], length: number, until = messages.length): Promise<void> => {
    for (let index = 0; index < until && total() > maxTokens; index++) {
      const shorter = shortenResults(messages[index]!.message, length);
      if (!shorter) continue;
      messages[index] = { message: shorter, tokens: await counter.count(shorter) };
    }
  };

  for (const length of RESULT_LENGTHS) for (const turn of groups.turns) await shortenIn(turn, length);
  await shortenIn(groups.rounds, RESULT_LENGTHS[0]!, last);
  while (dropped < groups.turns.length && total() > maxTokens) dropped++;
  for (const length of RESULT_LENGTHS) await shortenIn(groups.rounds, length, last);
  for (const length of [20_000, 5000, ...RESULT_LENGTHS]) await shortenIn(groups.rounds, length);

  const before = groups.fixed.slice(0, system.length);
  const asked = groups.fixed.slice(system.length);
  const kept = [...before, ...groups.turns.slice(dropped).flat(), ...asked, ...groups.rounds];
  const tokens = total();
  return {
    messages: kept.map(({ message }) => message),
    tokens,
    roundTokens: sum([groups.rounds]),
    fits: tokens <= maxTokens,
  };
}

interface MeasuredMessage {
  message: ModelMessage;
  tokens: number;
}

function measure(messages: readonly ModelMessage[], counter: TokenCounter): Promise<MeasuredMessage[]> {
  return Promise.all(messages.map(async message => ({ message, tokens: await counter.count(message) })));
}

function sum(groups: readonly (readonly MeasuredMessage[])[]): number {
  return groups.flat().reduce((all, { tokens }) => all + tokens, 0);
}

/** Shortens results in a message; images of a shortened result become their names. Undefined when nothing gets shorter. */
function shortenResults(message: ModelMessage, length: number): ModelMessage | undefined {
  const long = (part: ModelMessage['parts'][number]): part is ResultPart =>
    part.kind === 'result' &&
    (part.parts.some(({ kind }) => kind === 'image') || textOfParts(part.parts).length > length + 100);
  if (!message.parts.some(long)) return undefined;
  return {
    ...message,
    parts: message.parts.map(part =>
      long(part) ? { ...part, parts: [text(shorten(textOfParts(part.parts), length))] } : part,
    ),
  };
}
