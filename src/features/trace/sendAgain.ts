import { isObject } from '../../base/json';
import { phrase } from '../../base/phrase';
import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { anyResult, isPersonMethod, REDACTED, type ServerConnection, type WantedRequest } from '../../host';
import { confirmDestructive, type RawJson, tellRefused } from '../tools';
import type { AskPerson, Requests, ToolCalls } from '../trust';

type Params = Record<string, unknown>;

/** A request that the editor sent, in the form in which it is to be sent again. */
interface RequestAgain {
  readonly server: ServerConnection;
  readonly method: WantedRequest['method'] | 'tools/call';
  /** Without secrets, and without what the SDK adds to each request. */
  readonly params: Params;
}

/** Whether a request of this method may be sent again. Some belong to a connection, or have a stream of their own. */
export const canSendAgain = (method: string | undefined): method is RequestAgain['method'] =>
  method !== undefined && (method === 'tools/call' || isPersonMethod(method));

/** The parameters without those that belong to one request only (spec: basic#meta); the SDK adds its own. */
export function ownParams(params: unknown): Params {
  if (!isObject(params)) return {};
  const { _meta, ...rest } = params;
  const own = Object.entries(isObject(_meta) ? _meta : {}).filter(
    ([name]) => name !== 'progressToken' && !name.startsWith('io.modelcontextprotocol/'),
  );
  return own.length > 0 ? { ...rest, _meta: Object.fromEntries(own) } : rest;
}

/** Sends requests of the trace again, after the person has edited them. */
export class SendAgain {
  constructor(
    private readonly trust: () => {
      readonly calls: ToolCalls;
      readonly requests: Requests;
      readonly askForCall: AskPerson;
    },
    private readonly rawJson: RawJson,
  ) {}

  /**
   * Opens the parameters in an editor, and sends what the person confirms. Tool calls go through `ToolCalls` like all
   * others, so what is denied or blocked stays so.
   * @param onSend called just before it is sent.
   */
  async run({ server, method, params }: RequestAgain, onSend: () => void): Promise<void> {
    const subject = typeof params.name === 'string' ? params.name : method;
    const edited = await this.rawJson.edit({
      name: `${subject} again`,
      schema: { type: 'object' },
      value: params,
      action: t('Send {0} to {1}', visible(method, 80), server.name),
    });
    if (!edited) return;
    const value = isObject(edited.value) ? edited.value : {};
    if (JSON.stringify(value).includes(REDACTED)) {
      throw new Error(
        t(
          '{0} was not sent to MCP server "{1}": first replace {2} with the redacted values.',
          method,
          server.name,
          REDACTED,
        ),
      );
    }
    if (method === 'tools/call') return this.#call(server, value, onSend);
    onSend();
    const requests = this.trust().requests.as({ origin: 'trace' })(server);
    await requests.forward({ method, params: value }, phrase('send {0} again', visible(method, 80)), anyResult);
  }

  async #call(server: ServerConnection, { name, arguments: given }: Params, onSend: () => void): Promise<void> {
    const tool = server.offers('tools').find(tool => tool.name === name);
    if (!tool) {
      throw new Error(
        t(
          'MCP server "{0}" has no tool {1} at the moment. Start the server, or use another tool.',
          server.name,
          visible(name, 80),
        ),
      );
    }
    const args = isObject(given) ? given : {};
    const wanted = { server, tool, args, origin: 'trace' as const };
    const refused = await this.trust().calls.refused(wanted);
    if (refused) return tellRefused({ server, tool }, refused);
    if (!(await confirmDestructive({ server, tool }, args))) return;
    // A person who edited the call has approved it, unless the tool has changed.
    const call = await this.trust().calls.approve(wanted, this.trust().askForCall);
    if (!call.approved) return;
    onSend();
    const progress = window.setStatusBarMessage(
      t('$(sync~spin) Calling {0} on {1}', visible(tool.name, 80), server.name),
    );
    try {
      await call.run();
    } finally {
      progress.dispose();
    }
  }
}
