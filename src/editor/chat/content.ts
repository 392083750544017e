import type { CallToolResult, GetPromptResult } from '@modelcontextprotocol/client';
import * as vscode from 'vscode';
import { type ContentOptions, type LeftOut, planPrompt, planToolResult } from './contentPlan';
import type { ContentPart, MessagePart, ModelMessage } from './modelMessage';

/** Parts that the types of the oldest supported editor know; `LanguageModelDataPart` came later. */
type ChatPart = vscode.LanguageModelTextPart | vscode.LanguageModelToolResultPart | vscode.LanguageModelToolCallPart;
type DataPart = { image(data: Uint8Array, mimeType: string): unknown };

/** Whether this editor can hand images to a model at all. */
export function canSendImages(): boolean {
  return dataPart() !== undefined;
}

/** The parts of a tool's result for `LanguageModelToolResultPart`, with what was left out of them. */
export function toolResultParts(result: CallToolResult, options: ContentOptions): LeftOut & { parts: unknown[] } {
  const { parts, ...rest } = planToolResult(result, possible(options));
  return { parts: parts.map(toPart), ...rest };
}

/** The messages of a prompt, in their roles. */
export function promptMessages(
  result: GetPromptResult,
  options: ContentOptions,
): LeftOut & { messages: vscode.LanguageModelChatMessage[] } {
  const { messages, ...rest } = planPrompt(result, possible(options));
  return { messages: messages.map(toMessage), ...rest };
}

/** The editor's form of a message. */
export function toMessage({ role, parts }: ModelMessage): vscode.LanguageModelChatMessage {
  // The static `User` takes no calls and `Assistant` no images; the constructor takes what there is.
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === 'assistant' ? Assistant : User, parts.map(toPart) as ChatPart[]);
}

function toPart(part: MessagePart): ChatPart | unknown {
  switch (part.kind) {
    case 'text':
      return new vscode.LanguageModelTextPart(part.text);
    case 'image':
      return imagePart(part);
    case 'call':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'result':
      return new vscode.LanguageModelToolResultPart(part.id, part.parts.map(toPart));
  }
}

function imagePart({ mimeType, data }: Extract<ContentPart, { kind: 'image' }>): unknown {
  return dataPart()?.image(data, mimeType) ?? new vscode.LanguageModelTextPart(`[image ${mimeType}]`);
}

function possible(options: ContentOptions): ContentOptions {
  return { ...options, images: options.images && canSendImages() };
}

/** The one place that reaches past the types: stable since VS Code 1.104. */
function dataPart(): DataPart | undefined {
  return (vscode as { LanguageModelDataPart?: DataPart }).LanguageModelDataPart;
}
