import type { CallToolResult } from '@modelcontextprotocol/client';
import { looksLikeJson } from '../../../base/json';
import { revealedData } from '../../../base/modelData';
import { english } from '../../../base/phrase';
import { shallowJson } from '../../../base/shallowJson';
import { revealed } from '../../../base/text';
import type { ScriptEnd, ScriptProblem } from '../../codeMode/core';
import { FAILED, piecesOf } from '../../languageModel/core';

/** The remedy for the model for each kind of problem. */
const REMEDIES: Record<ScriptProblem['kind'], string> = {
  syntax: 'Write plain JavaScript, the body of an async function: no type annotations, no import, no export.',
  thrown: 'Correct the script, or catch what may fail.',
  time: 'Do less in one script; loops must end. Only computing counts, not the time that calls take.',
  memory: 'Keep less at once: ask tools for less, and process one result after the other.',
  depth: 'Use a loop in place of recursion.',
  calls: 'Make fewer calls, or split the work over several scripts.',
  stuck: 'Await only calls of tools and promises that something resolves. There are no timers.',
  crashed: 'Try a simpler script.',
  stopped: 'Do not run it again. Continue without it, or ask the user.',
};
const MAX_BLOCKS = 1_000;
/** Globals that scripts expect but do not have. */
const FOREIGN =
  /'(fetch|require|process|setTimeout|setInterval|setImmediate|Buffer|window|document|fs|XMLHttpRequest|URL)' is not defined/;

/** What a model reads about a script that has ended. @param why it was stopped, unless the person did so. */
export function scriptText({ output, problem }: ScriptEnd, why?: string): string {
  if (!problem) return output === '' ? 'The script has ended. It printed nothing.' : output;
  const { kind, message, line } = problem;
  const what = why === undefined ? message : `The script was stopped: ${why}.`;
  const [, foreign] = FOREIGN.exec(message) ?? [];
  const remedy = foreign
    ? `A script has no ${foreign}, only JavaScript itself, "tools" and console.log.`
    : REMEDIES[kind];
  const where = line === undefined ? '' : `in line ${line}: `;
  const printed = output === '' ? '' : `\nIt had printed:\n${output}`;
  return `${FAILED} ${where}${what}\n${remedy} Calls that were made before that stay made.${printed}`;
}

/** The value that a call resolves to in a script. It may have bytes, for another tool: what a script prints is cleaned of them. */
export function resolvedTo({ content, structuredContent }: CallToolResult): unknown {
  if (structuredContent !== undefined) return revealedData(structuredContent);
  const pieces = content.slice(0, MAX_BLOCKS).flatMap(block => piecesOf(block, false));
  const text = pieces.map(piece => (piece.kind === 'image' ? '' : revealed(english(piece.text)))).join('\n');
  return (looksLikeJson(text) && shallowJson(text)) || text;
}
