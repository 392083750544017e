import vscode = require('vscode');

interface Icon {
  readonly src: string;
  readonly theme?: string | undefined;
}

/** A server's icon is drawn only if it is small and contained in the message itself: nothing is ever fetched. */
const SAFE_ICON = /^data:image\/(png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/=]+$/;
const MAX_ICON_LENGTH = 32_768;

/** The icon that a server gives an item, if it is safe to draw; one for each theme if the server has both. */
export function safeIcon(icons: readonly Icon[] | undefined): vscode.IconPath | undefined {
  const safe = icons?.filter(({ src }) => src.length <= MAX_ICON_LENGTH && SAFE_ICON.test(src)) ?? [];
  const [any] = safe;
  if (!any) return undefined;
  const of = (theme: string) => vscode.Uri.parse((safe.find(icon => icon.theme === theme) ?? any).src);
  const [light, dark] = [of('light'), of('dark')];
  return light.toString() === dark.toString() ? light : { light, dark };
}
