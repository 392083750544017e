import vscode = require('vscode');

import { numberText } from '../../base/numberText';
import { rowText, visible, withoutIcons } from '../../base/text';
import { say, t, window } from '../../editor/window';
import { acceptsImages, type MessagePart } from '../languageModel';
import type { SamplingParams } from './core/checkRequest';
import { type RankedModel, rankModels } from './core/modelScore';
import { SamplingError } from './core/samplingError';
import { messagesOf } from './core/toModel';

export type Model = vscode.LanguageModelChat;

/** Why a model was chosen, for the person. */
export interface ChosenModel {
  readonly model: Model;
  readonly why: string;
}

/**
 * The models that can answer a request, best first: what the person chose for the server, then in the order that the server
 * prefers. Throws a `SamplingError` when there is none.
 */
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
    detail: withoutIcons(chosen.why),
    chosen,
  }));
  const options = { title: t('Select the model to answer this request'), matchOnDescription: true };
  return (await window.showQuickPick(items, options, token))?.chosen;
}

function whyOf({ hint, score }: Omit<RankedModel<Model>, 'model'>): string {
  const rounded = numberText(score, 2);
  return hint === undefined
    ? t('score {0}', rounded)
    : t('score {0}: the server hints at "{1}"', rounded, visible(hint, 60));
}

function hasImages(params: SamplingParams): boolean {
  const isImage = (part: MessagePart) => part.kind === 'image' || (part.kind === 'result' && part.parts.some(isImage));
  return messagesOf(params).some(({ parts }) => parts.some(isImage));
}

/** Whether a model accepts tools, as newer editors report. In others, the request goes to the model, which may refuse it. */
function callsTools(model: Model): boolean {
  const { capabilities } = model as { capabilities?: { supportsToolCalling?: boolean; toolCalling?: unknown } };
  return (capabilities?.supportsToolCalling ?? capabilities?.toolCalling ?? true) !== false;
}
