import type { CreateMessageResult, CreateMessageResultWithTools } from '@modelcontextprotocol/client';
import { messageOf } from '../../base/errors';
import { limited } from '../../base/queue';
import { rowText, visible, withoutIcons } from '../../base/text';
import { say, t, verbatim, window } from '../../editor/window';
import {
  acceptsImages,
  argumentsInItsTerms,
  estimateTokens,
  type MessagePart,
  schemaForModel,
  TokenCounter,
  toMessage,
} from '../languageModel';
import { AnswerLimit } from './core/answerLimit';
import type { SamplingParams } from './core/checkRequest';
import { type RankedModel, rankModels } from './core/modelScore';
import { SamplingError } from './core/samplingLimits';
import { ModelToolNames, messagesOf, offeredTools } from './core/toModel';

import vscode = require('vscode');

const LIMIT_MS = 10 * 60_000;

export type SamplingResult = CreateMessageResult | CreateMessageResultWithTools;

export interface GeneratedAnswer {
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
): Promise<GeneratedAnswer> {
  const input = await inputTokens(model, params);
  if (input > model.maxInputTokens) {
    throw SamplingError.failed(`the request has about ${input} tokens; ${model.id} takes ${model.maxInputTokens}`);
  }
  return limited(LIMIT_MS, [signal], async over => {
    const source = new vscode.CancellationTokenSource();
    over.addEventListener('abort', () => source.cancel());
    try {
      over.throwIfAborted();
      const result = await ask(model, params, server, source);
      over.throwIfAborted();
      return { result, tokens: input + (await outputTokens(model, result)) };
    } catch (error) {
      if (error instanceof SamplingError) throw error;
      if (signal.aborted) throw SamplingError.cancelled();
      throw SamplingError.failed(over.aborted ? `it took longer than ${LIMIT_MS / 60_000} minutes` : messageOf(error));
    } finally {
      source.dispose();
    }
  });
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

type Model = vscode.LanguageModelChat;

/** Why a model was chosen, for the person. */
export interface ChosenModel {
  readonly model: Model;
  readonly why?: string | undefined;
}

/** The models for a request, best first: the person's choice, then by the server's order. @throws SamplingError */
export async function modelsFor(params: SamplingParams, preferred: string | undefined): Promise<ChosenModel[]> {
  const all = await vscode.lm.selectChatModels();
  if (all.length === 0) {
    throw SamplingError.failed(
      'this editor has no language model. Sign in to one, or install an extension that provides one',
    );
  }
  const usable = all.filter(
    model => (!hasImages(params) || acceptsImages(model)) && (!params.tools || callsTools(model)),
  );
  if (usable.length === 0)
    throw SamplingError.failed('no language model in this editor accepts images and tools as requested');
  const ranked = rankModels(usable, params.modelPreferences).map(({ model, ...rank }) => ({ model, why: whyOf(rank) }));
  const mine = ranked.find(({ model }) => model.id === preferred);
  if (!mine) return ranked;
  const chosen = { model: mine.model, why: t('you chose it for this server') };
  return [chosen, ...ranked.filter(other => other !== mine)];
}

/** Lets the person choose. Undefined: they cancelled. */
export async function pickModel(
  models: readonly ChosenModel[],
  current: Model,
  token?: vscode.CancellationToken,
): Promise<ChosenModel | undefined> {
  const items = models.map(chosen => ({
    label:
      chosen.model.id === current.id ? say`$(check) ${visible(chosen.model.name, 80)}` : rowText(chosen.model.name, 80),
    description: rowText(`${chosen.model.vendor} · ${chosen.model.family}`, 80),
    // It contains a hint from the server.
    ...(chosen.why !== undefined && { detail: withoutIcons(chosen.why) }),
    chosen,
  }));
  const options = { title: t('Select the model to answer this request'), matchOnDescription: true };
  return (await window.showQuickPick(items, options, token))?.chosen;
}

const whyOf = ({ hint }: Omit<RankedModel<Model>, 'model'>): string | undefined =>
  hint === undefined ? undefined : t('the server hints at "{0}"', visible(hint, 60));

function hasImages(params: SamplingParams): boolean {
  const isImage = (part: MessagePart) => part.kind === 'image' || (part.kind === 'result' && part.parts.some(isImage));
  return messagesOf(params).some(({ parts }) => parts.some(isImage));
}

/** Whether a model accepts tools, as newer editors report. In others, the request goes to the model, which may refuse it. */
function callsTools(model: Model): boolean {
  const { capabilities } = model as { capabilities?: { supportsToolCalling?: boolean; toolCalling?: unknown } };
  return (capabilities?.supportsToolCalling ?? capabilities?.toolCalling ?? true) !== false;
}
