import type { ToHost, ToView } from '../pageMessages';
import { TraceView, type ViewState } from './traceView';

interface Host {
  postMessage(message: ToHost): void;
  getState(): ViewState | undefined;
  setState(state: ViewState): void;
}
declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let view: TraceView | undefined;
addEventListener('message', ({ data }: MessageEvent<ToView>) => {
  if (data.type !== 'start') view?.receive(data);
  else {
    view = new TraceView(
      data,
      message => host.postMessage(message),
      host.getState() ?? {},
      state => host.setState(state),
    );
    document.body.replaceChildren(view.element);
  }
});
host.postMessage({ type: 'ready' });
