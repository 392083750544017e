import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ClientContext,
  type ClientOptions,
  type Implementation,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
} from '@modelcontextprotocol/client';
import { requestProblem } from './clientFeatures';
import { LeanClient } from './leanClient';

type Handler = (request: JSONRPCRequest, context: ClientContext) => Promise<Result>;

const TASKS = { 'io.modelcontextprotocol/tasks': {} };

/**
 * The SDK's client, with what rides on each request in the modern era only: the log level (spec: server/utilities/logging),
 * and that a call may become a task (extension io.modelcontextprotocol/tasks).
 */
export class HostClient extends LeanClient {
  constructor(
    info: Implementation,
    options: ClientOptions,
    private readonly logLevel: () => LoggingLevel,
    private readonly refused: (problem: string) => void,
  ) {
    super(info, options);
  }

  /** Refuses what can't be shown before the SDK checks it, in words that say what is wrong. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const answer = super._wrapHandler(method, handler);
    return (request, context) => {
      const problem = requestProblem(method, request.params);
      if (problem === undefined) return answer(request, context);
      this.refused(problem);
      return Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidParams, problem));
    };
  }

  /** A result that does not say what it is, is complete (spec 2026-07-28: basic); the SDK would refuse it. */
  protected override _onresponse(response: JSONRPCResponse): void {
    const isBare = 'result' in response && this.getProtocolEra() === 'modern' && !('resultType' in response.result);
    super._onresponse(isBare ? { ...response, result: { ...response.result, resultType: 'complete' } } : response);
  }

  protected override _outboundMetaEnvelope(): Readonly<Record<string, unknown>> | undefined {
    const envelope = super._outboundMetaEnvelope();
    if (!envelope) return undefined;
    const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities;
    return {
      ...envelope,
      [CLIENT_CAPABILITIES_META_KEY]: { ...capabilities, extensions: { ...capabilities.extensions, ...TASKS } },
      [LOG_LEVEL_META_KEY]: this.logLevel(),
    };
  }
}
