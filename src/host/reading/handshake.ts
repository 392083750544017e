import { isObject, lengthOf, withoutNulls } from '../../base/json';
import { startOf } from '../../base/text';
import type { Note } from './carried';
import { flag, icons, listOf, number, object, type Reader, recordOf, shape, single, text } from './shapes';

type Members = Record<string, unknown>;

/** A member of an object that may also be a number: servers write versions so. */
const wording: Reader<string> = (value, place, note) => {
  if (typeof value !== 'number') return text(value, place, note);
  note(place, 'a number is taken as text');
  return String(value);
};

/** In characters: the most of each text but the instructions. In a handshake that is no longer, all are. */
export const SHORT_HANDSHAKE = 10_000;

/** What is longer is cut: it is searched for secrets and shown again and again. */
const upTo =
  (length: number, reader: Reader<string> = text): Reader<string> =>
  (value, place, note) => {
    const read = reader(value, place, note);
    if (read === undefined || read.length <= length) return read;
    note(place, `its first ${length} characters are taken`);
    return startOf(read, length);
  };
const short = upTo(SHORT_HANDSHAKE);

const implementation = shape({
  name: upTo(SHORT_HANDSHAKE, wording),
  version: upTo(SHORT_HANDSHAKE, wording),
  title: short,
  description: short,
  websiteUrl: short,
  icons,
});
const guidance = upTo(200_000);

/** A capability in any form: `true`, a list or a text declares it as an object does. */
const declared =
  (members: Reader<Members> = object): Reader<Members> =>
  (value, place, note) => {
    if (value === false) return undefined;
    if (isObject(value)) return members(value, place, note);
    note(place, 'it is taken as declared');
    return {};
  };
const changing = declared(shape({ listChanged: flag, subscribe: flag }));
const calls = shape({ call: declared(), createMessage: declared(), create: declared() });
const capabilities = shape({
  tools: changing,
  prompts: changing,
  resources: changing,
  logging: declared(),
  completions: declared(),
  experimental: recordOf(object),
  extensions: recordOf(object),
  tasks: declared(
    shape({
      list: declared(),
      cancel: declared(),
      requests: shape({ tools: calls, sampling: calls, elicitation: calls }),
    }),
  ),
});

const WHAT = ['tools', 'prompts', 'resources'];
/** In characters. Names of extensions are shown, too. */
const MAX_CAPABILITIES = 100_000;
/** The oldest revision: a server that names none may know no other. */
const OLDEST = '2024-11-05';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** The capabilities of a server, also as a list of their names. What is missing is asked for: a list that is not there costs a question. */
function readCapabilities(given: unknown, note: Note): Members {
  const named = typeof given === 'string' ? [given] : lengthOf(given) > MAX_CAPABILITIES ? undefined : given;
  const isList = Array.isArray(named) && named.every(name => typeof name === 'string');
  if (isList || !isObject(single(named, 'capabilities', () => {})))
    note('capabilities', isList ? 'names are taken' : 'all are taken as declared');
  if (isList) return Object.fromEntries(named.map(name => [name, {}]));
  return capabilities(named, 'capabilities', note) ?? Object.fromEntries(WHAT.map(name => [name, {}]));
}

/** The result of `initialize`. One that is no object is returned as it is. */
export function readInitialized(given: unknown, note: Note): unknown {
  const result = single(given, 'result', note);
  if (!isObject(result)) return given;
  const { protocolVersion: version, serverInfo: said, instructions, _meta, ...others } = withoutNulls(result);
  const info = implementation(said ?? {}, 'serverInfo', note) ?? {};
  if (said === undefined || info.name === undefined) note('serverInfo', 'the server has no name');
  const protocolVersion = wording(version, 'protocolVersion', note);
  if (protocolVersion === undefined) note('protocolVersion', `it is taken as ${OLDEST}`);
  if (instructions !== undefined && typeof instructions !== 'string') note('instructions');
  if (_meta !== undefined && !isObject(_meta)) note('_meta');
  return {
    ...others,
    protocolVersion: protocolVersion ?? OLDEST,
    serverInfo: { ...info, name: info.name ?? 'unnamed', version: info.version ?? '' },
    capabilities: readCapabilities(others.capabilities, note),
    ...(typeof instructions === 'string' && { instructions: guidance(instructions, 'instructions', note) }),
    ...(isObject(_meta) && { _meta }),
  };
}

/** The result of `server/discover`. One that does not say which versions the server supports is returned as it is. */
export function readDiscovered(given: unknown, note: Note): unknown {
  const result = single(given, 'result', note);
  const { supportedVersions, instructions, ttlMs, cacheScope, resultType, _meta, ...others } = Object(
    result,
  ) as Members;
  const isNone = typeof supportedVersions === 'string' && !/^\d{4}-/.test(supportedVersions);
  const versions = isNone ? undefined : listOf(text)(supportedVersions, 'supportedVersions', note);
  if (!isObject(result) || !versions) return given;
  if (instructions !== undefined && instructions !== null && typeof instructions !== 'string') note('instructions');
  if ((_meta ?? undefined) !== undefined && !isObject(_meta)) note('_meta');
  const { [SERVER_INFO]: said, ...meta } = Object(_meta) as Members;
  const info = said === undefined ? undefined : implementation(said, `_meta.${SERVER_INFO}`, note);
  return {
    ...others,
    resultType: typeof resultType === 'string' ? resultType : 'complete',
    supportedVersions: versions,
    capabilities: readCapabilities(others.capabilities, note),
    ttlMs: number(ttlMs, '', note) ?? 0,
    cacheScope: cacheScope === 'public' ? cacheScope : 'private',
    ...(typeof instructions === 'string' && { instructions: guidance(instructions, 'instructions', note) }),
    ...(isObject(_meta) && {
      _meta: {
        ...meta,
        ...(info && { [SERVER_INFO]: { ...info, name: info.name ?? 'unnamed', version: info.version ?? '' } }),
      },
    }),
  };
}
