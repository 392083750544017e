import type * as vscode from 'vscode';

/** Newer editors tell what a model can do; the types of the oldest supported one do not know of it. */
interface ToldCapabilities {
  capabilities?: { supportsImageToText?: boolean; imageInput?: boolean };
}

/** Whether a model sees images. One that does not say gets a note in place of an image. */
export function acceptsImages(model: vscode.LanguageModelChat): boolean {
  const { capabilities } = model as ToldCapabilities;
  return capabilities?.supportsImageToText ?? capabilities?.imageInput ?? false;
}
