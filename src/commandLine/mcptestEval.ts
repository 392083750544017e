import { basename } from 'node:path';
import type { Tool } from '@modelcontextprotocol/client';
import { messageOf } from '../base/errors';
import { english, type Phrase } from '../base/phrase';
import { visible, visibleJson } from '../base/text';
import { type InterfaceSnapshot, readSnapshotFile, snapshotOf } from '../features/authors/core/interfaceSnapshot';
import { makeOneRequest } from '../features/authors/core/oneRequest';
import { readEvalFile } from '../features/authors/core/readEvalFile';
import { readText } from '../features/authors/core/readTestFile';
import { type PlacedProblem, readSource } from '../features/authors/core/sourceText';
import { unknownTools } from '../features/evals/core/evalReport';
import {
  type EvalModel,
  EvalModelError,
  evaluate,
  evaluationText,
  openAiModel,
  scriptedModel,
} from '../features/evals/core/evaluate';
import { ToolVersion } from '../features/evals/core/toolVersion';
import { isFor } from '../host/catalog';
import { CommandLineError, readCommandLine, wantedServer, withPorts } from './mcptestRequest';

export const EVAL_USAGE = `  mcptest eval FILE SERVER --endpoint URL --model NAME [--key-env VARIABLE] [--threshold 0.9]

  Asks a model each question of a *.mcpeval.yaml or *.mcpeval.json file, with the tools of the server; no tool is called. Exit code
  1: fewer were right than the threshold says.

  --endpoint URL      an endpoint in the form of OpenAI's chat completions, such as http://127.0.0.1:11434/v1
  --key-env VARIABLE  the variable of the environment that has its key; without it, none is sent
  --scripted file     answers in place of a model: answers: [{ question, tool, arguments }]
  --snapshot file     the tools of an mcp.snapshot.json in place of a server's
  --threshold share   from 0 to 1, or as 90%; default: 1
  --json              prints the result as JSON
`;

/** Evaluates the tools of a server. @returns the exit code. @throws CommandLineError */
export async function evaluateOnce(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { values, positionals, command } = readCommandLine(argv, {
    endpoint: { type: 'string' },
    model: { type: 'string' },
    'key-env': { type: 'string' },
    scripted: { type: 'string' },
    snapshot: { type: 'string' },
    threshold: { type: 'string' },
    settings: { type: 'string' },
    header: { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  const [file, server, more] = positionals;
  if (file === undefined || more !== undefined)
    throw new CommandLineError('"mcptest eval" needs a file of questions and a server, and no more.');
  const questions = await questionsIn(file);
  const threshold = thresholdOf(values.threshold);
  const model = await modelOf(values);
  const { name, tools } =
    values.snapshot === undefined
      ? await toolsOf({ server, command, settings: values.settings, headers: values.header ?? [] }, signal)
      : { name: basename(values.snapshot), tools: await snapshotTools(values.snapshot) };
  const version = new ToolVersion(name, { tools }, () => true);
  const [unknown] = unknownTools(questions, version.names);
  if (unknown)
    throw new CommandLineError(
      `${file}:${unknown.place.line + 1}: "${name}" offers models no tool named "${visible(unknown.tool ?? '', 60)}".`,
    );
  const result = await evaluate(questions, version, model, { server: name, threshold, signal });
  process.stdout.write(values.json ? `${visibleJson(result)}\n` : evaluationText(result));
  return result.passed ? 0 : 1;
}

async function questionsIn(file: string) {
  const { questions, problems } = readEvalFile(await textOf(file), file);
  if (problems[0]) throw placed(file, problems[0]);
  return questions;
}

const textOf = (file: string) =>
  readText(file).catch(error => {
    throw new CommandLineError(`${file} cannot be read: ${messageOf(error)}`);
  });

const placed = (file: string, { place, message }: PlacedProblem) =>
  new CommandLineError(`${file}:${place.line + 1}:${place.column + 1}: ${english(message as Phrase | string)}`);

function thresholdOf(text = '1'): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const share = Number(digits) / (percent ? 100 : 1);
  if (digits === undefined || share > 1)
    throw new CommandLineError('--threshold is a share from 0 to 1, or such as 90%.');
  return share;
}

interface WantedModel {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly 'key-env'?: string | undefined;
  readonly scripted?: string | undefined;
}

async function modelOf({ endpoint, model, 'key-env': variable, scripted }: WantedModel): Promise<EvalModel> {
  try {
    if (scripted !== undefined && endpoint === undefined) {
      const { value, problems } = readSource(await textOf(scripted), /\.json$/i.test(scripted) ? 'json' : 'yaml');
      if (problems[0]) throw placed(scripted, problems[0]);
      return scriptedModel(value, basename(scripted));
    }
    if (endpoint === undefined || model === undefined || scripted !== undefined)
      throw new CommandLineError('Which model? Give --endpoint and --model, or --scripted with a file of answers.');
    const key = variable === undefined ? undefined : process.env[variable];
    if (variable !== undefined && !key)
      throw new CommandLineError(`--key-env: the environment has no variable ${visible(variable, 60)} with a key.`);
    return openAiModel({ endpoint, model, key });
  } catch (error) {
    throw error instanceof EvalModelError ? new CommandLineError(error.message) : error;
  }
}

const snapshotTools = (file: string): Promise<InterfaceSnapshot['tools']> =>
  readSnapshotFile(file).then(
    ({ tools }) => tools,
    error => {
      throw new CommandLineError(`The snapshot ${file} cannot be used: ${messageOf(error)}.`);
    },
  );

/** The tools that a server lists for models. @throws CommandLineError when it cannot be asked. */
async function toolsOf(wanted: Parameters<typeof wantedServer>[0], signal: AbortSignal) {
  const definition = await wantedServer(wanted);
  try {
    const request = { kind: 'list', lists: ['tools'] } as const;
    const { result } = await withPorts(ports => makeOneRequest(definition, request, { ports, signal }));
    const { tools } = result as { readonly tools: readonly Tool[] };
    const forModels = tools.filter(tool => isFor('model', tool));
    return { name: definition.name, tools: snapshotOf({ tools: forModels, prompts: [], resourceTemplates: [] }).tools };
  } catch (error) {
    throw new CommandLineError(messageOf(error, 1_000));
  }
}
