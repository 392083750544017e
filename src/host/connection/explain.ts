import { existsSync } from 'node:fs';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { HostError, type HostErrorCode, messageOf } from '../../base/errors';
import { visible } from '../../base/text';
import type { ServerDefinition } from '../definition';
import { type HttpFault, isHttpFault } from '../transport/httpFault';
import { WriteError } from '../transport/messageWriter';
import { socketOf } from '../transport/socketAddress';
import type { End } from '../transport/stdio';
import { MALFORMED } from '../transport/wellFormed';

/** What is known when something could not be done, besides the error itself. */
export interface Circumstances extends End {
  definition: ServerDefinition;
  /** As it completes "could not …". */
  action: string;
  /** Limit that applied, in milliseconds. */
  timeoutMs?: number;
  stderrTail?: readonly string[];
}

const CHECK_URL = 'Check that the server is running, and the host and port of its URL.';
/** Codes of OpenSSL, and of Node for a name that the certificate is not for. */
const CERTIFICATE = /CERT|SELF_SIGNED|^UNABLE_TO_(GET|VERIFY)/;
const RESTART_IT = 'Restart it; its log may say why.';
const REPORT_IT = 'That is a fault of the server: tell its makers.';

interface Explanation {
  code: HostErrorCode;
  reason: string;
  remedy?: string;
  rpcCode?: number;
}

/** Turns whatever was thrown into an error that a person can act on. */
export function explain(error: unknown, circumstances: Circumstances): HostError {
  if (error instanceof HostError) return error;
  const { definition, action } = circumstances;
  const explanation = explainEnd(circumstances) ?? explainError(error, circumstances);
  return new HostError({
    server: definition.name,
    action,
    cause: error,
    stderrTail: circumstances.stderrTail ?? [],
    ...explanation,
  });
}

function explainEnd({ exit, closedPipe, stderrTail = [] }: Circumstances): Explanation | undefined {
  if (closedPipe) {
    return {
      code: 'CLOSED',
      reason: `it closed its ${closedPipe === 'stdin' ? 'input' : 'output'} (${closedPipe}) although its process went on`,
      remedy: RESTART_IT,
    };
  }
  if (!exit) return undefined;
  const how = exit.signal ? `was ended by ${exit.signal}` : `exited with code ${exit.code}`;
  const last = tellingLine(stderrTail);
  return {
    code: 'EXITED',
    reason: `its process ${how}${last ? `; its last words were: ${messageOf(last, 300)}` : ' without a word on stderr'}`,
    remedy: 'The log has all it said. Check its arguments and environment, then restart it.',
  };
}

/** The line of stderr that says most: the last that speaks of an error, else the last that is not of a stack trace. */
function tellingLine(lines: readonly string[]): string | undefined {
  const candidates = lines.filter(line => line.trim() && !/^\s+at |^Node\.js v/.test(line));
  return (
    candidates.findLast(line => /error|exception|missing|not found|cannot|failed|denied/i.test(line)) ??
    candidates.at(-1)
  );
}

function explainError(error: unknown, circumstances: Circumstances): Explanation {
  const fault = faultOf(error);
  if (fault) return { code: fault.code, reason: fault.reason, remedy: fault.remedy };
  const status = httpStatus(error);
  if (status !== undefined) return explainStatus(status);
  const unsent = causes(error).find(cause => cause instanceof WriteError);
  if (unsent) return { code: 'CLOSED', reason: unsent.message, remedy: RESTART_IT };
  const systemCode = causes(error)
    .map(cause => (cause as NodeJS.ErrnoException).code)
    .find(isSystemCode);
  if (systemCode !== undefined) return explainSystemError(systemCode, error, circumstances);
  if (error instanceof ProtocolError && error.data === MALFORMED) return unusableAnswer(error, circumstances);
  if (error instanceof ProtocolError) {
    return {
      code: 'PROTOCOL',
      rpcCode: error.code,
      reason: `it answered with error ${error.code}, ${messageOf(error)}`,
      ...(circumstances.action === 'start' && { remedy: 'It refuses to be connected; its log may say why.' }),
    };
  }
  const fetchFailure = explainFetchFailure(error);
  if (fetchFailure) return fetchFailure;
  if (causes(error).some(isUnusableAnswer)) return unusableAnswer(error, circumstances);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return timedOut(circumstances);
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return { code: 'CLOSED', reason: 'the connection was closed', remedy: 'Restart the server; its log may say why.' };
  }
  return { code: 'PROTOCOL', reason: messageOf(error), remedy: 'The log may say more.' };
}

function unusableAnswer(error: unknown, { action, definition: { entry } }: Circumstances): Explanation {
  const problem = messageOf(error, 200);
  if (action !== 'start') {
    return { code: 'PROTOCOL', reason: `its answer does not follow the specification (${problem})`, remedy: REPORT_IT };
  }
  return {
    code: 'NOT_MCP',
    reason: `what answered is not an MCP server (${problem})`,
    remedy:
      entry?.type === 'stdio'
        ? 'Check "command" and "args" of its settings entry.'
        : 'Check the URL: it often ends in /mcp or /sse.',
  };
}

/** The explanation of a request or a start that took longer than its limit. */
export function timedOut({ timeoutMs = 0, action }: Pick<Circumstances, 'timeoutMs' | 'action'>): Explanation {
  const setting = action === 'start' ? 'startMs' : action.startsWith('call') ? 'toolCallMs' : 'requestMs';
  return {
    code: 'TIMEOUT',
    reason: `it did not answer within ${timeoutMs / 1000} s`,
    remedy: `Look into its log, or raise "timeouts": { "${setting}": … } of its settings entry.`,
  };
}

function explainStatus(status: number): Explanation {
  if (status === 401 || status === 403) {
    const what = status === 401 ? 'asks for a sign-in' : 'refuses access';
    return {
      code: status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN',
      reason: `it ${what} (HTTP ${status})`,
      remedy: 'Give it credentials in "headers" of its settings entry, for example an Authorization header.',
    };
  }
  return {
    code: 'HTTP_STATUS',
    reason: `its URL answered with HTTP ${status}`,
    remedy:
      status === 404
        ? 'Check the path of the URL: it often ends in /mcp or /sse.'
        : 'Check the URL and that the server is healthy.',
  };
}

/** Fetch says only "failed" where the reason has no code, as for a port that it never connects to. */
function explainFetchFailure(error: unknown): Explanation | undefined {
  const failure = causes(error).find(cause => cause instanceof TypeError && cause.message === 'fetch failed');
  if (!failure) return undefined;
  const reason = `its URL could not be reached (${messageOf(causes(failure)[1] ?? failure, 200)})`;
  return { code: 'UNREACHABLE', reason, remedy: CHECK_URL };
}

function explainSystemError(code: string, error: unknown, { definition }: Circumstances): Explanation {
  const { entry } = definition;
  if (entry?.type !== 'stdio') {
    const socket = entry && socketOf(entry.url);
    const where = entry ? originOf(entry.url) : 'its URL';
    const refusal = causes(error)
      .map(({ message }) => /^Proxy response \((\d+)\)/.exec(message)?.[1])
      .find(Boolean);
    if (refusal) {
      return {
        code: 'UNREACHABLE',
        reason: `the proxy does not let through to ${where} (HTTP ${refusal})`,
        remedy: 'Check "http.proxy" and "http.noProxy" of the editor\'s settings.',
      };
    }
    if (CERTIFICATE.test(code)) {
      return {
        code: 'UNREACHABLE',
        reason: `the certificate of ${where} is not trusted (${code})`,
        remedy: 'Have your system trust who has signed it: "http.systemCertificates" makes the editor do so too.',
      };
    }
    return {
      code: 'UNREACHABLE',
      reason: socket
        ? `nothing answers on the socket ${visible(socket.path, 200)} (${code})`
        : `nothing could be reached at ${where} (${code})`,
      remedy: socket ? 'Check that the server is running, and the path in its URL.' : CHECK_URL,
    };
  }
  if (code === 'ENOENT' && entry.cwd !== undefined && !existsSync(entry.cwd)) {
    return {
      code: 'SPAWN_FAILED',
      reason: `the folder "${entry.cwd}" that it is to run in does not exist`,
      remedy: 'Create the folder or correct "cwd" of its settings entry.',
    };
  }
  const reasons: Record<string, string> = {
    ENOENT: `the command "${entry.command}" was not found`,
    EACCES: `the command "${entry.command}" may not be executed`,
  };
  return {
    code: 'SPAWN_FAILED',
    reason: reasons[code] ?? messageOf(error),
    remedy: `${installHint(entry.command)}Check "command" (a full path always works) and "cwd" of its settings entry.`,
  };
}

function installHint(command: string): string {
  if (/^(node|npx|npm)(\.cmd)?$/.test(command)) return 'Install Node.js, which brings it. ';
  if (/^(uvx|uv)$/.test(command)) return 'Install uv, which brings it. ';
  if (command === 'docker') return 'Install Docker, which brings it. ';
  return '';
}

/** What was found wrong between us and an HTTP server. */
export function faultOf(error: unknown): HttpFault | undefined {
  return causes(error).find(isHttpFault);
}

/** HTTP status behind an error of either HTTP transport. */
export function httpStatus(error: unknown): number | undefined {
  for (const cause of causes(error)) {
    // It says all in words, and may name a status that is not the answer to what was asked.
    if (isHttpFault(cause)) return undefined;
    if (cause instanceof SdkHttpError) return cause.status;
    if (cause instanceof SseError && cause.code !== undefined) return cause.code;
    // The older transport reports a refused POST only in words.
    const said = /\(HTTP (\d{3})\)/.exec(cause.message);
    if (said) return Number(said[1]);
  }
  return undefined;
}

/**
 * Whether a server has forgotten our session (spec: basic/transports#session-management): 404 by the book; some answer 400
 * and say so.
 */
export function isSessionLost(error: unknown): boolean {
  const status = httpStatus(error);
  return status === 404 || (status === 400 && /session/i.test(messageOf(error)));
}

function isUnusableAnswer(error: Error): boolean {
  if (error.name === 'SyntaxError' || error.name === 'ZodError') return true;
  if (error instanceof SseError && /content type/i.test(error.message)) return true;
  const local = error instanceof SdkError ? error.code : undefined;
  return local === SdkErrorCode.ClientHttpUnexpectedContent || local === SdkErrorCode.InvalidResult;
}

function isSystemCode(code: unknown): code is string {
  return (
    typeof code === 'string' &&
    /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|ERR_TLS\w+|UNABLE_TO_\w+|\w*SELF_SIGNED\w*)$/.test(code) &&
    !code.startsWith('ERA_')
  );
}

/** The error and what caused it, outermost first, including the parts of an `AggregateError`. */
function causes(error: unknown, depth = 6): Error[] {
  if (!(error instanceof Error) || depth === 0) return [];
  const parts = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...parts].flatMap(cause => causes(cause, depth - 1))];
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
