import { writeNumbersIn } from '../../../base/numberText';

/** The page's way to the extension. */
export interface Editor<From, State> {
  postMessage(message: From): void;
  /** The page's state while it is unloaded. Restored tabs keep it over a reload of the window too. */
  getState(): State | undefined;
  setState(state: State): void;
}
declare function acquireVsCodeApi<From, State>(): Editor<From, State>;

/**
 * Connects a page with the extension, whose side is `WebviewPage`. Can be called once. The page sends `ready` when it can
 * receive.
 */
export function connect<To, From, State = never>(receive: (message: To) => void): Editor<From, State> {
  writeNumbersIn(document.documentElement.lang);
  const editor = acquireVsCodeApi<From | { type: 'taken'; delivery: number }, State>();
  addEventListener('message', ({ origin, data }: MessageEvent<To & { readonly delivery?: number }>) => {
    // The editor's messages come from the frame around the page, which has the same origin. Frames inside have another.
    if (origin !== self.origin) return;
    receive(data);
    const { delivery } = data;
    if (delivery !== undefined) whenDrawn(() => editor.postMessage({ type: 'taken', delivery }));
  });
  return editor;
}

/** Pages that are out of sight are not drawn. */
function whenDrawn(then: () => void): void {
  if (document.hidden) setTimeout(then);
  else requestAnimationFrame(() => setTimeout(then));
}
