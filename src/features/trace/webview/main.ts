import { connect } from '../../../editor/webview/page';
import type { FromTracePage, ToTracePage } from '../traceMessages';
import { TraceView, type ViewState } from './traceView';

let view: TraceView | undefined;
const editor = connect<ToTracePage, FromTracePage, ViewState>(message => {
  if (message.type !== 'start') {
    view?.receive(message);
    return;
  }
  view = new TraceView(message, editor);
  document.body.replaceChildren(view.element);
});
editor.postMessage({ type: 'ready' });
