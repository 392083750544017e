import {
  type ProtocolEra,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { HostError, type HostErrorOptions, messageOf, type TimeLimit } from '../../base/errors';
import { type Phrase, PhraseError, phrase } from '../../base/phrase';
import { parseUrl, visible } from '../../base/text';
import type { ServerDefinition } from '../definition/definition';
import { saidOf } from '../reading/answers';
import { MalformedAnswer } from '../reading/framing';
import type { SandboxAttempts } from '../sandbox/attempts';
import {
  isBlockedPort,
  isBridgeCut,
  isFetchFailure,
  isNoEventStream,
  proxyStatusIn,
  unknownVersionIn,
  wantsLegacy,
} from '../sdk/saidInWords';
import { socketOf } from '../settings/entryTexts';
import { REPORT_IT, RUN_AGAIN } from '../transport/httpFaults';
import { WriteError } from '../transport/messageWriter';
import type { End } from '../transport/stdioTransport';
import { StreamFault } from '../transport/transportFault';
import { RESTART_AS_LEGACY } from './eraMemory';
import { causes, faultOf, httpStatus } from './errorFacts';
import {
  explainBridge,
  explainConfined,
  explainForeign,
  explainMissing,
  hiddenFile,
  tellingLine,
} from './explainProgram';
import { explainRefusal, REFUSED, saidError } from './explainRefusal';
import { explainLaunch, knownCause } from './knownCauses';

/** The context of a failure, besides the error itself. */
export interface Circumstances extends End {
  definition: ServerDefinition;
  /** Completes "could not …". */
  action: Phrase | string;
  /** The time limit that applied: `startMs` says that it was a start. Default: `requestMs`. */
  limit?: TimeLimit | undefined;
  /** That limit, in milliseconds. */
  timeoutMs?: number;
  stderrTail?: readonly string[];
  /** The last lines of stdout that are not MCP messages: some programs print their errors there. */
  noiseTail?: readonly string[];
  /** The versions of the protocol that the server offered in its answer to `server/discover`. */
  offered?: readonly unknown[];
  /** Of the session on which a request failed. */
  era?: ProtocolEra | undefined;
  /** The id of the server's latest answer, if nothing was asked under it. */
  strayId?: string | number | undefined;
  /** Of a confined program. */
  attempts?: SandboxAttempts | undefined;
}

const CHECK_URL = phrase('Check that the server is running and that its URL is correct.');
/** Codes of OpenSSL, and of Node for a name that the certificate is not for. */
const CERTIFICATE = /CERT|SELF_SIGNED|^UNABLE_TO_(GET|VERIFY)/;
const RESTART_BRIDGE = phrase(
  'The program behind it has ended. Restart the server, or whatever serves its URL: it does not start that program again.',
);
const CHECK_ENTRY = phrase('Check its arguments and environment, then start it again.');
const SEE_LOG = phrase('Its full output is in the log.');
const RESTART_IT = phrase('Restart it. Its log may say why.');

const MAX_STDERR = 20;

type Explanation = Omit<HostErrorOptions, 'server' | 'action' | 'cause'>;

/** Turns whatever was thrown into an error that a person can act on. */
export function explain(error: unknown, circumstances: Circumstances): HostError {
  if (error instanceof HostError) return error;
  const { definition, action, attempts, stderrTail = [], noiseTail = [] } = circumstances;
  const told = tellingLine(stderrTail.length > 0 ? stderrTail : noiseTail)?.text;
  const ended = explainEnd(circumstances, told);
  const explanation =
    explainVersions(error, circumstances) ??
    (ended && isStart(circumstances) && !(attempts && hiddenFile(attempts, stderrTail))
      ? (explainMissing(definition, stderrTail, told ?? '') ??
        explainBridge(definition, stderrTail) ??
        explainForeign(definition, stderrTail))
      : undefined) ??
    (ended && attempts ? explainConfined(ended, attempts, stderrTail) : ended) ??
    explainError(error, circumstances);
  return new HostError({
    server: definition.name,
    action,
    cause: error,
    ...stderrOf(stderrTail),
    ...explanation,
    ...(circumstances.limit === 'toolCallMs' && afterCall(explanation, error)),
  });
}

/** As much of stderr as an error has, with the line that says what went wrong. */
function stderrOf(lines: readonly string[] = []): Pick<HostErrorOptions, 'stderrTail' | 'tellingAt'> {
  const { at = lines.length } = tellingLine(lines) ?? {};
  const from = Math.max(0, Math.min(at, lines.length - MAX_STDERR));
  return {
    stderrTail: lines.slice(from, from + MAX_STDERR),
    ...(at < lines.length && { tellingAt: at - from }),
  };
}

const MAY_HAVE_RUN = phrase('The call may have been carried out anyway, so check before you run it again.');

/** Codes of a connection that broke after it was made. */
const BROKEN = new Set<unknown>(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** What to do about a call whose server or connection ended before it was answered. */
function afterCall({ code, remedy }: Explanation, error: unknown): Pick<Explanation, 'remedy'> {
  const isBroken = causes(error).some(cause => BROKEN.has((cause as NodeJS.ErrnoException).code));
  if (remedy === RUN_AGAIN || (code !== 'CLOSED' && code !== 'EXITED' && !isBroken)) return {};
  return { remedy: remedy ? phrase('{0} {1}', remedy, MAY_HAVE_RUN) : MAY_HAVE_RUN };
}

/** The newest first. */
const OUR_VERSIONS: readonly string[] = ['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS];
const MAX_VERSIONS = 8;

/** Explains that the two sides share no protocol version (spec: basic/versioning), whatever ended the process. */
function explainVersions(error: unknown, { offered = [] }: Circumstances): Explanation | undefined {
  const { supported } = Object(error instanceof ProtocolError ? error.data : undefined) as { supported?: unknown };
  const unknown = unknownVersionIn(error);
  const theirs: readonly unknown[] = Array.isArray(supported) ? supported : unknown === undefined ? offered : [unknown];
  if (theirs.length === 0 || theirs.some(version => OUR_VERSIONS.includes(String(version)))) return undefined;
  const named = theirs.slice(0, MAX_VERSIONS).map(version => visible(String(version), 30));
  return {
    code: 'PROTOCOL',
    reason: phrase(
      'it speaks version {0} of the protocol, and MCP Host speaks {1}',
      named.join(', '),
      OUR_VERSIONS.join(', '),
    ),
    remedy: phrase('Update whichever of the two is older.'),
  };
}

function explainEnd(circumstances: Circumstances, told: string | undefined): Explanation | undefined {
  const { exit, closedPipe } = circumstances;
  if (closedPipe) {
    const reason =
      closedPipe === 'stdin'
        ? phrase('it closed its input (stdin) while its process kept running')
        : phrase('it closed its output (stdout) while its process kept running');
    return { code: 'CLOSED', reason, remedy: RESTART_IT };
  }
  if (!exit) return undefined;
  const how = exit.signal
    ? phrase('its process was ended by {0}', exit.signal)
    : phrase('its process exited with code {0}', String(exit.code));
  const general = { code: 'EXITED', remedy: isStart(circumstances) ? CHECK_ENTRY : SEE_LOG } as const;
  if (!told) return { ...general, reason: phrase('{0} without any output on stderr', how) };
  // The cause first: rows cut what is behind it.
  const cause = isStart(circumstances) ? knownCause(told) : undefined;
  return { ...general, ...cause, reason: phrase('{0} ({1})', cause?.reason ?? messageOf(told, 300), how) };
}

function explainError(error: unknown, circumstances: Circumstances): Explanation {
  const fault = faultOf(error);
  if (fault) return { code: fault.code, reason: fault.phrase, remedy: fault.remedy };
  const status = httpStatus(error);
  if (status !== undefined)
    return explainRefusal(status, error, { entry: circumstances.definition.entry, isStart: isStart(circumstances) });
  const unsent = causes(error).find(cause => cause instanceof WriteError);
  if (unsent) return { code: 'CLOSED', reason: unsent.phrase, remedy: RESTART_IT };
  const systemCode = causes(error)
    .map(cause => (cause as NodeJS.ErrnoException).code)
    .find(isSystemCode);
  if (systemCode !== undefined) return explainSystemError(systemCode, error, circumstances);
  if (error instanceof ProtocolError) {
    if (error.data instanceof MalformedAnswer) return unusableAnswer(error.data.phrase, circumstances);
    return {
      code: 'PROTOCOL',
      rpcError: { code: error.code, message: error.message, data: error.data },
      reason: saidError(error),
      remedy: isStart(circumstances) ? REFUSED : isBridgeCut(error) ? RESTART_BRIDGE : ofEra(error, circumstances),
    };
  }
  const fetchFailure = explainFetchFailure(error, circumstances.definition);
  if (fetchFailure) return fetchFailure;
  if (causes(error).some(isUnusableAnswer)) return unusableAnswer(messageOf(error, 200), circumstances, error);
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return timedOut(circumstances);
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return {
      code: 'CLOSED',
      reason: phrase('the connection was closed'),
      remedy: phrase('Restart the server. Its log may say why.'),
    };
  }
  const worded = error instanceof PhraseError ? error.phrase : undefined;
  return { code: 'PROTOCOL', reason: worded ?? messageOf(error), remedy: phrase('The log may say more.') };
}

const ofEra = (error: ProtocolError, { era }: Circumstances) =>
  era === 'modern' && wantsLegacy(saidOf(error)) ? RESTART_AS_LEGACY : undefined;

const isStart = ({ limit }: Pick<Circumstances, 'limit'>) => limit === 'startMs';

/** The remedy where something else answers for a server that was there a moment ago. */
const OPEN_IT = phrase('The network or a proxy may want you to sign in: open its URL in a browser, then try again.');

function unusableAnswer(problem: Phrase | string, circumstances: Circumstances, error?: unknown): Explanation {
  const page = causes(error).some(isWebPage) ? phrase('it returned a web page, not MCP') : undefined;
  if (!isStart(circumstances)) {
    if (page) return { code: 'NOT_MCP', reason: page, remedy: OPEN_IT };
    const reason = phrase('its response does not follow the specification ({0})', problem);
    return { code: 'PROTOCOL', reason, remedy: REPORT_IT };
  }
  return {
    code: 'NOT_MCP',
    reason: page ?? phrase('the response is not from an MCP server ({0})', problem),
    remedy:
      circumstances.definition.entry?.type === 'stdio'
        ? phrase('Check "command" and "args" in its settings entry.')
        : phrase('Check the URL: it often ends in /mcp or /sse.'),
  };
}

/** The explanation of a request or a start that took longer than its limit. */
export function timedOut({
  timeoutMs = 0,
  limit = 'requestMs',
  stderrTail = [],
  noiseTail = [],
  strayId,
}: Pick<Circumstances, 'timeoutMs' | 'limit' | 'stderrTail' | 'noiseTail' | 'strayId'>): Explanation {
  const late = phrase('no answer within {0} s', timeoutMs / 1000);
  // A program that was started without `--stdio` may say so there.
  const told = stderrTail.length === 0 ? tellingLine(noiseTail)?.text : undefined;
  if (strayId !== undefined) {
    const reason = phrase(
      'no answer within {0} s: the answers of the server have ids that were not asked for, such as {1}',
      timeoutMs / 1000,
      visible(String(strayId), 40),
    );
    return { code: 'TIMEOUT', ...stderrOf(stderrTail), reason, remedy: REPORT_IT };
  }
  return {
    code: 'TIMEOUT',
    ...stderrOf(stderrTail),
    limit,
    reason: told === undefined ? late : phrase('{0}; its last output was: {1}', late, messageOf(told, 300)),
    remedy: phrase('Check its log, or raise {0} in its settings entry.', `"timeouts": { "${limit}": … }`),
  };
}

/** Explains failures for which `fetch` gives no code, such as a port that it refuses to connect to. */
function explainFetchFailure(error: unknown, { entry }: ServerDefinition): Explanation | undefined {
  const failure = causes(error).find(isFetchFailure);
  if (!failure) return undefined;
  const { port } = parseUrl(entry?.url ?? '') ?? {};
  if (port && causes(failure).some(isBlockedPort)) {
    return {
      code: 'UNREACHABLE',
      reason: phrase('its URL has port {0}, which web requests must not use', port),
      remedy: phrase('Run the server on another port, such as 8080, and change the URL.'),
    };
  }
  const reason = phrase('cannot reach {0} ({1})', phrase('its URL'), messageOf(causes(failure)[1] ?? failure, 200));
  return { code: 'UNREACHABLE', reason, remedy: CHECK_URL };
}

/** Codes of a program that can't be started. */
const OF_START = new Set(['EACCES', 'ENOENT', 'ENOEXEC', 'EPERM']);

function explainSystemError(code: string, error: unknown, { definition }: Circumstances): Explanation {
  const { entry } = definition;
  return entry?.type === 'stdio' && (entry.url === undefined || OF_START.has(code))
    ? explainLaunch(code, error, entry)
    : explainNetworkError(code, error, entry?.url);
}

function explainNetworkError(code: string, error: unknown, url: string | undefined): Explanation {
  const where = url === undefined ? phrase('its URL') : (parseUrl(url)?.origin ?? url);
  const socket = url === undefined ? undefined : socketOf(url);
  const refusal = causes(error).map(proxyStatusIn).find(Boolean);
  if (refusal) {
    return {
      code: 'UNREACHABLE',
      reason: phrase('the proxy refuses connections to {0} (HTTP {1})', where, refusal),
      remedy: phrase('Check "http.proxy" and "http.noProxy" in the editor\'s settings.'),
    };
  }
  // Passes without this person, unlike other faults of certificates.
  if (code === 'CERT_HAS_EXPIRED') {
    return {
      code: 'UNREACHABLE',
      reason: phrase('the certificate of {0} has expired', where),
      remedy: phrase('The operator of the server has to renew it. Check the date of this computer, too.'),
    };
  }
  if (CERTIFICATE.test(code)) {
    return {
      code: 'CERTIFICATE',
      reason: phrase('the certificate of {0} is not trusted ({1})', where, code),
      remedy: phrase('Have your system trust its issuer. With "http.systemCertificates", the editor does too.'),
    };
  }
  return {
    code: 'UNREACHABLE',
    reason: socket
      ? phrase('nothing answers on the socket {0} ({1})', visible(socket.path, 200), code)
      : phrase('cannot reach {0} ({1})', where, code),
    remedy: socket ? phrase('Check that the server is running, and check the path in its URL.') : CHECK_URL,
  };
}

function isUnusableAnswer(error: Error): boolean {
  if (error.name === 'SyntaxError' || error.name === 'ZodError') return true;
  if (error instanceof StreamFault && isNoEventStream(error)) return true;
  const local = error instanceof SdkError ? error.code : undefined;
  return local === SdkErrorCode.ClientHttpUnexpectedContent || local === SdkErrorCode.InvalidResult;
}

const isWebPage = (error: Error) =>
  error instanceof SdkError && /html/i.test(String((error.data as { contentType?: unknown } | undefined)?.contentType));

function isSystemCode(code: unknown): code is string {
  return (
    typeof code === 'string' &&
    /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|ERR_TLS\w+|UNABLE_TO_\w+|\w*SELF_SIGNED\w*)$/.test(code) &&
    !code.startsWith('ERA_')
  );
}
