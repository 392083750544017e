import type { CreateMessageResult, CreateMessageResultWithTools } from '@modelcontextprotocol/client';

import vscode = require('vscode');

import { messageOf } from '../../base/errors';
import { verbatim } from '../../editor/window';
import { estimateTokens, TokenCounter, toMessage } from '../languageModel';
import { argumentsInItsTerms, schemaForModel } from '../providerSchemas';
import type { Model } from './chooseModel';
import { AnswerLimit } from './core/answerLimit';
import type { SamplingParams } from './core/checkRequest';
import { ModelToolNames, offeredTools } from './core/modelToolNames';
import { SamplingError } from './core/samplingError';
import { messagesOf } from './core/toModel';

const LIMIT_MS = 10 * 60_000;

export type SamplingResult = CreateMessageResult | CreateMessageResultWithTools;

export interface Generated {
  readonly result: SamplingResult;
  /** Tokens of request and answer. */
  readonly tokens: number;
}

/**
 * Has a model answer a request. We decide where the answer ends (`AnswerLimit`), so that `stopReason` is right whatever the
 * model honours; the temperature is passed on. Rejects with a `SamplingError`.
 */
export async function generate(
  model: Model,
  params: SamplingParams,
  server: string,
  signal: AbortSignal,
): Promise<Generated> {
  const input = await inputTokens(model, params);
  if (input > model.maxInputTokens) {
    throw SamplingError.failed(`the request has about ${input} tokens; ${model.id} takes ${model.maxInputTokens}`);
  }
  const source = new vscode.CancellationTokenSource();
  const cancel = () => source.cancel();
  signal.addEventListener('abort', cancel);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    cancel();
  }, LIMIT_MS);
  try {
    if (signal.aborted) throw SamplingError.cancelled();
    const result = await ask(model, params, server, source);
    if (signal.aborted) throw SamplingError.cancelled();
    if (isLate) throw SamplingError.failed(`it took longer than ${LIMIT_MS / 60_000} minutes`);
    return { result, tokens: input + (await outputTokens(model, result)) };
  } catch (error) {
    if (error instanceof SamplingError) throw error;
    if (signal.aborted) throw SamplingError.cancelled();
    throw SamplingError.failed(isLate ? `it took longer than ${LIMIT_MS / 60_000} minutes` : messageOf(error));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}

async function ask(
  model: Model,
  params: SamplingParams,
  server: string,
  source: vscode.CancellationTokenSource,
): Promise<SamplingResult> {
  const names = new ModelToolNames(params);
  const messages = messagesOf(params, names).map(toMessage);
  const response = await model.sendRequest(messages, optionsOf(params, names, server), source.token);
  const limit = new AnswerLimit(params.maxTokens, params.stopSequences ?? [], answer => model.countTokens(answer));
  const calls: vscode.LanguageModelToolCallPart[] = [];
  for await (const part of response.stream) {
    if (part instanceof vscode.LanguageModelToolCallPart) calls.push(part);
    else if (part instanceof vscode.LanguageModelTextPart && (await limit.add(part.value))) break;
  }
  // Otherwise the model would go on, at a cost, with nobody listening.
  if (limit.stopReason) source.cancel();
  const base = { role: 'assistant', model: model.id } as const;
  const said = { type: 'text', text: limit.text } as const;
  if (calls.length === 0 || limit.stopReason) {
    return { ...base, content: said, stopReason: limit.stopReason ?? 'endTurn' };
  }
  const uses = calls.map(({ callId, name: given, input }) => {
    const name = names.original(given);
    const tool = params.tools?.find(offered => offered.name === name);
    return {
      type: 'tool_use',
      id: callId,
      name,
      input: tool ? argumentsInItsTerms(tool, { ...input }) : input,
    } as const;
  });
  const content = limit.text === '' ? uses : [said, ...uses];
  return { ...base, content, stopReason: 'toolUse' } as CreateMessageResultWithTools;
}

function optionsOf(
  params: SamplingParams,
  names: ModelToolNames,
  server: string,
): vscode.LanguageModelChatRequestOptions {
  const { temperature, toolChoice } = params;
  const tools = offeredTools(params).flatMap(tool => {
    const made = schemaForModel(tool);
    const { name, description } = tool;
    const told = { name: names.forModel(name), description: description || name };
    return 'problem' in made ? [] : [{ ...told, inputSchema: made.schema }];
  });
  const { Auto, Required } = vscode.LanguageModelChatToolMode;
  return {
    justification: verbatim('MCP server "{0}" requests an answer from a language model.', server),
    ...(temperature !== undefined && { modelOptions: { temperature } }),
    ...(tools.length > 0 && {
      tools,
      toolMode: toolChoice?.mode === 'required' ? Required : Auto,
    }),
  };
}

/** The tokens of everything that is sent, tools included. */
export async function inputTokens(model: Model, params: SamplingParams): Promise<number> {
  const counter = new TokenCounter(value => model.countTokens(value));
  const counts = await Promise.all(messagesOf(params).map(message => counter.count(message)));
  const tools = params.tools ? estimateTokens(JSON.stringify(params.tools)) : 0;
  return counts.reduce((sum, count) => sum + count, tools);
}

async function outputTokens(model: Model, { content }: SamplingResult): Promise<number> {
  const texts = [content].flat().map(block => (block.type === 'text' ? block.text : JSON.stringify(block)));
  const text = texts.join('\n');
  return Promise.resolve(model.countTokens(text)).catch(() => estimateTokens(text));
}
