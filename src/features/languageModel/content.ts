import vscode = require('vscode');

import type { ContentPart, MessagePart, ModelMessage } from './core/modelMessage';

/** Parts that the types of the oldest supported editor include; `LanguageModelDataPart` came later. */
type ChatPart = vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart | vscode.LanguageModelToolCallPart;
type DataPart = { image(data: Uint8Array, mimeType: string): unknown };

/** Whether this editor can hand images to a model at all. */
export const canSendImages = (): boolean => dataPart() !== undefined;

export function toMessage({ role, parts }: ModelMessage): vscode.LanguageModelChatMessage {
  // The static `User` accepts no calls and `Assistant` no images; the constructor accepts anything.
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(
    role === 'assistant' ? Assistant : User,
    parts.map(toContentPart) as ChatPart[],
  );
}

export function toContentPart(part: MessagePart): unknown {
  switch (part.kind) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'image':
      return imagePart(part);
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.id, part.parts.map(toContentPart));
  }
}

function imagePart({ mimeType, data }: Extract<ContentPart, { kind: 'image' }>): unknown {
  return dataPart()?.image(data, mimeType) ?? new vscode.LanguageModelTextPart(`[image ${mimeType}]`);
}

/** The one place that reaches past the types: stable since VS Code 1.104. */
const dataPart = (): DataPart | undefined => (vscode as { LanguageModelDataPart?: DataPart }).LanguageModelDataPart;

/** Newer editors tell what a model can do, but the types of the oldest supported one lack that. */
interface ToldCapabilities {
  capabilities?: { supportsImageToText?: boolean; imageInput?: boolean };
}

/** Whether a model gets images. One that does not say whether it can see them gets a note in place of each. */
export function acceptsImages(model: vscode.LanguageModelChat): boolean {
  const { capabilities } = model as ToldCapabilities;
  return canSendImages() && (capabilities?.supportsImageToText ?? capabilities?.imageInput ?? false);
}
