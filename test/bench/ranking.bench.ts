// Finding the right one of 500 tools by the words of a question, against a search for the same words as substrings.

import { TurnTools } from '../../src/features/chat/core/turnTools';
import { ToolIndex } from '../../src/features/languageModel/core/relevance';
import type { Definition, OfferedTool } from '../../src/features/languageModel/core/toolNames';
import { absolute, type BenchRow, relative } from './row';
import { askedQuestions, collectedTools, definedTools, hitRates, substringSearch } from './tools/collection';

const rounds = 20;

/** Tokens, at four characters each, of what a model gets for each question about one of so many tools; and of all of them. */
function definitionTokens(count: number): [number[], string, number] {
  const all = definedTools();
  // Of each server its share, so that all kinds of tools are among them.
  const tools = all.filter(
    (_, at) => Math.floor((at * count) / all.length) !== Math.floor(((at - 1) * count) / all.length),
  );
  const names = new Set(tools.map(({ serverName, tool }) => `${serverName}/${tool.name}`));
  const tokens = (definition: Definition) => Math.ceil(JSON.stringify(definition).length / 4);
  const index = new ToolIndex(tools);
  const byName = new Map(tools.map(tool => [tool.name, tool]));
  const limits = { maxTools: 128, maxTokens: 8_000 };
  const asked = askedQuestions().filter(({ right }) => right.some(name => names.has(name)));
  const offered = asked.map(({ ask }) => {
    const turn = new TurnTools(byName, new Map(), {
      limits,
      tokensOf: tokens,
      index: () => index,
      wanted: { question: ask },
    });
    return turn.tokens;
  });
  return [offered, 'tokens', tools.reduce((sum, { definition }) => sum + tokens(definition), 0)];
}

export async function* rows(): AsyncGenerator<BenchRow> {
  const tools = collectedTools();
  const questions = askedQuestions();
  const index = new ToolIndex(tools);
  const simple = substringSearch(tools);
  const found = (question: string) => index.search(question).map(({ tool }) => tool);
  const counts = [1, 5, 10];
  // Missed, so that less is better, as in all rows.
  const missed = (search: (question: string) => readonly OfferedTool[]) =>
    hitRates(questions, search, counts).map(rate => (1 - rate) * 100);
  const [ours, theirs] = [missed(found), missed(simple)];
  for (const [n, count] of counts.entries())
    yield relative(`ranking: right tool not among the first ${count}`, ours[n]!, '% of questions', theirs[n]!, 1);
  yield relative('many tools: definitions of 300, for a question', ...definitionTokens(300), 0.2);
  const ms: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const started = performance.now();
    for (const { ask } of questions) index.search(ask);
    if (round > 0) ms.push((performance.now() - started) / questions.length);
  }
  yield absolute(`ranking: a search among ${tools.length} tools`, ms, 'ms', 5);
  const making: number[] = [];
  for (let round = 0; round <= 5; round++) {
    const started = performance.now();
    new ToolIndex(tools);
    if (round > 0) making.push(performance.now() - started);
  }
  yield absolute(`ranking: the index of ${tools.length} tools`, making, 'ms', 200);
}
