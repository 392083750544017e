import { normalized } from '../../../base/normalized';

export interface ResourceAddress {
  serverId: string;
  /** As the server spells it: any text at all. */
  uri: string;
  /** File name of one of several contents that reading it gives; without it the resource as a whole. */
  part?: string;
}

/** One text for an address, to be a key. */
export const addressKey = ({ serverId, uri }: ResourceAddress): string => `${serverId}\n${uri}`;

/** Authority and path of an editor URI. */
interface AddressParts {
  authority: string;
  /** Begins with a slash. */
  path: string;
}

/** Scheme of the read-only file system in which resources are files. */
export const RESOURCE_SCHEME = 'mcp';
export const HEX_SCHEME = 'mcp-hex';
/** Query of the URIs that stand for resources in their rows. */
export const ROW_QUERY = 'row';

/** The parts of an editor URI that name a resource. */
type EditorUri = AddressParts & { readonly scheme: string };

/** The resource behind an editor URI of either scheme; undefined for any other URI. */
export function parseResourceUri({ scheme, authority, path }: EditorUri): ResourceAddress | undefined {
  if (scheme === HEX_SCHEME)
    return path.endsWith('.hex') ? decodeAddress({ authority, path: path.slice(0, -4) }) : undefined;
  return scheme === RESOURCE_SCHEME ? decodeAddress({ authority, path }) : undefined;
}

/** Shown for a slash, so that people recognise the URI where the editor shows it as the name of a folder. */
const SLASH = '\u2215';
/** The written form of a character; undefined: as an escape. */
type Alphabet = (character: string) => string | undefined;
/** The editor compares authorities without regard to case. */
const inAuthority: Alphabet = character => (/[a-z0-9._-]/.test(character) ? character : undefined);
/** Characters that the editor leaves unchanged in a path, including letters with a single form. */
const inPath: Alphabet = character => {
  if (character === '/') return SLASH;
  const isLetter = /[\p{L}\p{N}]/u.test(character) && normalized(character) === character;
  return isLetter || /[._ :?=&@+,-]/.test(character) ? character : undefined;
};

/**
 * Writes `<server>/<encoded uri>/<file name>`, and `/<part>` where there is one. The file name is for people, language and icon; it is not read back. The
 * editor normalises paths and percent-encodes on its own, so percent-encoding would not survive: see `encode`.
 */
export function encodeAddress({ serverId, uri, part }: ResourceAddress, fileName: string): AddressParts {
  const path = `/${encode(uri, inPath)}/${fileName}${part === undefined ? '' : `/${part}`}`;
  return { authority: encode(serverId, inAuthority), path };
}

/** The address, if it is one that `encodeAddress` wrote. Otherwise undefined. */
export function decodeAddress({ authority, path }: AddressParts): ResourceAddress | undefined {
  const [root, encodedUri, fileName, part, ...more] = path.split('/');
  if (root !== '' || !encodedUri || !fileName || part === '' || more.length > 0) return undefined;
  const serverId = decode(authority.toLowerCase(), inAuthority);
  const uri = decode(encodedUri, inPath);
  return serverId === undefined || uri === undefined
    ? undefined
    : { serverId, uri, ...(part !== undefined && { part }) };
}

/**
 * Keeps safe characters; `~` with two hexadecimal digits stands for any other, `~u` with four for one beyond U+00FF. Works on
 * UTF-16 code units, so that even half a surrogate pair survives. Not kept: a dot or space at either end, for `..` means the
 * folder above; what would make a drive of `c:`. An empty text is a lone `~`, for an empty segment vanishes.
 */
function encode(text: string, alphabet: Alphabet): string {
  if (text === '') return '~';
  let encoded = '';
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    const isAtEnd = index === 0 || index === text.length - 1;
    const isTaken = (isAtEnd && /[. ]/.test(character)) || (index === 1 && character === ':');
    encoded += (isTaken ? undefined : alphabet(character)) ?? encodeUnit(text.charCodeAt(index));
  }
  return encoded;
}

function encodeUnit(unit: number): string {
  const hex = unit.toString(16);
  return unit > 0xff ? `~u${hex.padStart(4, '0')}` : `~${hex.padStart(2, '0')}`;
}

function decode(encoded: string, alphabet: Alphabet): string | undefined {
  const text = encoded.replace(
    /~u([0-9a-f]{4})|~([0-9a-f]{2})|^~$|\u2215/g,
    (match, wide?: string, narrow?: string) => {
      if (match === SLASH) return '/';
      return match === '~' ? '' : String.fromCharCode(Number.parseInt(wide ?? narrow!, 16));
    },
  );
  return encode(text, alphabet) === encoded ? text : undefined;
}
