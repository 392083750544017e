import type * as vscode from 'vscode';
import { canSendImages } from './content';

/** Newer editors tell what a model can do, but the types of the oldest supported one lack that. */
interface ToldCapabilities {
  capabilities?: { supportsImageToText?: boolean; imageInput?: boolean };
}

/** Whether a model gets images. One that does not say whether it can see them gets a note in place of each. */
export function acceptsImages(model: vscode.LanguageModelChat): boolean {
  const { capabilities } = model as ToldCapabilities;
  return canSendImages() && (capabilities?.supportsImageToText ?? capabilities?.imageInput ?? false);
}
