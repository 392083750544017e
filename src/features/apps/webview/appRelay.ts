import { lengthOfMessage, MAX_LENGTH } from '../core/appMessages';

/** To the frame around an app. `load` comes first. */
export type ToRelay =
  | {
      readonly type: 'load';
      readonly html: string;
      readonly title: string;
      readonly allow: string;
      readonly word: string;
    }
  /** One JSON-RPC message for the app. */
  | { readonly type: 'message'; readonly text: string }
  /** How the frame is drawn: see `app.css`. */
  | { readonly type: 'scheme'; readonly scheme: string };

/** From the frame around an app. */
export type FromRelay =
  | { readonly type: 'click' }
  | { readonly type: 'message'; readonly text: string; readonly length: number }
  | { readonly type: 'gone'; readonly why: 'large' | 'navigated' };

/**
 * The page of the frame around an app. What an app sends is made from its bytes when it is read, which may take any time: it is read
 * there, so that the page which looks after the focus never waits for it, and gets texts.
 */
export const relayHtml = (): string =>
  `<!DOCTYPE html><html><head><style>html,body{background:transparent;height:100%;margin:0;overflow:hidden}
iframe{border:0;display:block;height:100%;width:100%}</style></head><body><script>(${relay})(${lengthOfMessage}, ${MAX_LENGTH})</script></body></html>`;

/** Runs in that frame, as a text: it has nothing but its arguments. */
function relay(lengthOf: typeof lengthOfMessage, most: number): void {
  const page = parent;
  const tell = (message: FromRelay) => page.postMessage(message, '*');
  let app: { readonly frame: HTMLIFrameElement; readonly word: string } | undefined;
  addEventListener('message', event => {
    if (event.source === page) fromPage(event.data);
    else if (app && event.source === app.frame.contentWindow) fromApp(event.data, app.word);
  });

  function fromPage(message: ToRelay): void {
    // To an opaque origin only `*` leads; no other window can be in this frame.
    if (message.type === 'message') app?.frame.contentWindow?.postMessage(JSON.parse(message.text), '*');
    else if (message.type === 'scheme') document.documentElement.style.colorScheme = message.scheme;
    else load(message);
  }

  function load({ html, title, allow, word }: Extract<ToRelay, { type: 'load' }>): void {
    const frame = document.createElement('iframe');
    // No `allow-same-origin`: the origin is opaque. No popups, no dialogs, no way to the frames around it.
    frame.setAttribute('sandbox', 'allow-scripts allow-forms');
    frame.referrerPolicy = 'no-referrer';
    frame.allow = allow;
    frame.title = title;
    frame.srcdoc = html;
    let loads = 0;
    frame.addEventListener('load', () => {
      if (++loads > 1) tell({ type: 'gone', why: 'navigated' });
    });
    app = { frame, word };
    document.body.append(frame);
  }

  function fromApp(data: unknown, word: string): void {
    try {
      const length = lengthOf(data, most);
      if (data === word) tell({ type: 'click' });
      else if (length === Number.POSITIVE_INFINITY) tell({ type: 'gone', why: 'large' });
      else if (length !== undefined) tell({ type: 'message', text: JSON.stringify(data), length });
    } catch {
      // It has more members than the browser can name.
      tell({ type: 'gone', why: 'large' });
    }
  }
}
