// Definitions of real servers' tools, and questions that people ask with the tools that answer them: see README.md here.
import fs from 'node:fs';
import type { Tool } from '@modelcontextprotocol/client';
import { providerSchema } from '../../../src/features/languageModel/core/providerSchema';
import { type DefinedTool, nameTools, type OfferedTool } from '../../../src/features/languageModel/core/toolNames';
import { readCompressed } from '../../setup/compressed';
import { inRepository } from '../../setup/paths';

const folder = inRepository('test/bench/tools');
/** Made by record.ts. */
export const COLLECTED = `${folder}/servers.json.gz`;

export interface CollectedServer {
  readonly server: string;
  /** The npm package that the definitions are from. */
  readonly source: string;
  readonly license: string;
  readonly tools: readonly Tool[];
}

export interface AskedQuestion {
  readonly ask: string;
  /** `server/tool`, of each tool that would be right. */
  readonly right: readonly string[];
}

/** In the order of their names. */
export const collectedServers = (): readonly CollectedServer[] => JSON.parse(readCompressed(COLLECTED));

export function collectedTools(): readonly OfferedTool[] {
  return nameTools(
    collectedServers().flatMap(({ server, tools }) =>
      tools.map(tool => ({ serverId: server, serverName: server, tool })),
    ),
  );
}

/** The same as a model gets them, as far as models accept them. */
export function definedTools(): readonly DefinedTool[] {
  return collectedTools().flatMap(named => {
    const made = providerSchema(named.tool.inputSchema);
    if ('problem' in made) return [];
    const description = `${named.serverName}: ${named.tool.description ?? named.tool.name}`.slice(0, 2_000);
    return [
      {
        ...named,
        definition: { name: named.name, description, inputSchema: made.schema },
      },
    ];
  });
}

export function askedQuestions(): readonly AskedQuestion[] {
  const lines = fs.readFileSync(`${folder}/questions.txt`, 'utf8').trim().split('\n');
  return lines.map(line => {
    const [ask = '', right = ''] = line.split(' | ');
    return { ask, right: right.split(', ') };
  });
}

/** For each count, the share of questions for which one of the right tools is among the first that are found. */
export function hitRates(
  questions: readonly AskedQuestion[],
  search: (question: string) => readonly OfferedTool[],
  counts: readonly number[],
): number[] {
  const places = questions.map(({ ask, right }) => {
    const place = search(ask).findIndex(({ serverName, tool }) => right.includes(`${serverName}/${tool.name}`));
    return place < 0 ? Number.POSITIVE_INFINITY : place;
  });
  return counts.map(count => places.filter(place => place < count).length / questions.length);
}

/** What a simple search does: each word of the question that stands anywhere in name, title or description is a point. */
export function substringSearch(tools: readonly OfferedTool[]): (question: string) => readonly OfferedTool[] {
  const texts = tools.map(({ serverName, tool }) =>
    [serverName, tool.name, tool.title, tool.description].join(' ').toLowerCase(),
  );
  return question => {
    const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const points = texts.map(text => words.filter(word => text.includes(word)).length);
    return [...tools.keys()].sort((one, other) => points[other]! - points[one]!).map(at => tools[at]!);
  };
}
