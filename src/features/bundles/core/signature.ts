import { createHash, verify, X509Certificate } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { bytesOf } from './newFiles';

/** What the signature of a bundle says. Whether its certificate is to be believed is not checked: there is no list of publishers. */
export type SignatureState =
  | { readonly kind: 'none' }
  /** There is one of a kind that is not known. */
  | { readonly kind: 'unreadable' }
  /** It does not fit the content. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'signed'; readonly publisher: string; readonly issuer: string; readonly validTo: string };

const HEADER = Buffer.from('MCPB_SIG_V1');
const FOOTER = Buffer.from('MCPB_SIG_END');
/** A signature with a few certificates has some KB. */
const MAX_BLOCK = 256 * 1024;
const END_OF_ZIP = 22;
/** 1.2.840.113549.1.9.4, and SHA-256: 2.16.840.1.101.3.4.2.1. */
const MESSAGE_DIGEST = Buffer.from('2a864886f70d010904', 'hex');
const SHA_256 = Buffer.from('608648016503040201', 'hex');

/** The signature that `mcpb sign` appends to a bundle: PKCS#7 (RFC 5652), detached, over all that is before it. */
export class SignatureBlock {
  private constructor(
    private readonly start: number,
    private readonly pkcs7: Buffer,
    /** Where the zip file ends: the block is appended to it, or is its comment. */
    readonly zipEnd: number,
  ) {}

  static async find(file: FileHandle, size: number): Promise<SignatureBlock | undefined> {
    const from = Math.max(0, size - MAX_BLOCK);
    const tail = await read(file, from, size);
    if (!tail.subarray(-FOOTER.length).equals(FOOTER)) return undefined;
    const at = tail.lastIndexOf(HEADER);
    const pkcs7Start = at + HEADER.length + 4;
    if (at < 0 || pkcs7Start > tail.length - FOOTER.length) return undefined;
    const length = tail.readUInt32LE(at + HEADER.length);
    if (pkcs7Start + length !== tail.length - FOOTER.length) return undefined;
    const start = from + at;
    const end = await read(file, Math.max(0, start - END_OF_ZIP), start);
    // Newer tools make it the comment, so that it is one zip file.
    const isComment = end.length === END_OF_ZIP && end.readUInt16LE(END_OF_ZIP - 2) === size - start;
    return new SignatureBlock(start, tail.subarray(pkcs7Start, pkcs7Start + length), isComment ? size : start);
  }

  async check(file: FileHandle): Promise<SignatureState> {
    let signed: SignedContent;
    try {
      signed = readSigned(this.pkcs7);
    } catch {
      return { kind: 'unreadable' };
    }
    const hash = createHash('sha256');
    const isComment = this.zipEnd !== this.start;
    for await (const chunk of bytesOf(file, 0, this.start - (isComment ? 2 : 0))) hash.update(chunk);
    // It was signed before it had the comment.
    if (isComment) hash.update(Buffer.alloc(2));
    const { certificate, attributes, digest, signature } = signed;
    const isOurs = hash.digest().equals(digest) && verify('sha256', attributes, certificate.publicKey, signature);
    if (!isOurs) return { kind: 'changed' };
    const { subject, issuer, validTo } = certificate;
    return { kind: 'signed', publisher: commonName(subject), issuer: commonName(issuer), validTo };
  }
}

interface SignedContent {
  readonly certificate: X509Certificate;
  /** What was signed: the attributes, of which one is the digest of the content. */
  readonly attributes: Buffer;
  readonly digest: Buffer;
  readonly signature: Buffer;
}

/** @throws Error for what is not signed as `mcpb sign` does it, with SHA-256 and attributes. */
function readSigned(pkcs7: Buffer): SignedContent {
  const [info] = derValues(pkcs7);
  const [, wrapped] = inside(info, SEQUENCE);
  const [signedData] = inside(wrapped, FIRST);
  const parts = inside(signedData, SEQUENCE);
  const [certificate] = inside(
    parts.find(({ tag }) => tag === FIRST),
    FIRST,
  );
  const [signer] = inside(
    parts.findLast(({ tag }) => tag === SET),
    SET,
  );
  const [, , algorithm, attributes, , signature] = inside(signer, SEQUENCE);
  const [hash] = inside(algorithm, SEQUENCE);
  if (!hash?.content.equals(SHA_256)) throw new Error('another hash');
  const digest = inside(attributes, FIRST).flatMap(attribute => {
    const [type, values] = inside(attribute, SEQUENCE);
    return type?.content.equals(MESSAGE_DIGEST) ? inside(values, SET) : [];
  })[0];
  if (!certificate || !attributes || digest?.tag !== OCTETS || signature?.tag !== OCTETS)
    throw new Error('no signature');
  // They are signed as a set, whatever they stand as (RFC 5652, 5.4).
  const asSet = Buffer.from(attributes.whole);
  asSet[0] = SET;
  return {
    certificate: new X509Certificate(certificate.whole),
    attributes: asSet,
    digest: digest.content,
    signature: signature.content,
  };
}

function inside(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new Error('another structure');
  return derValues(value.content);
}

async function read(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(file, start, end)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Of a name such as `C=US\nO=Example\nCN=Example Ltd`. */
const commonName = (name: string) => /^CN=(.*)$/m.exec(name)?.[1] ?? name.replace(/\n/g, ', ');

/** A value in DER (X.690), of definite length, with a tag of one byte. */
interface DerValue {
  readonly tag: number;
  /** All of it, with tag and length. */
  readonly whole: Buffer;
  readonly content: Buffer;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OCTETS = 0x04;
/** Context-specific, constructed: `[0]`. */
const FIRST = 0xa0;

/** The values that stand one after the other. Five of them are needed: too few for a library. @throws Error for what is no DER. */
function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    let length = bytes.readUInt8(at + 1);
    let start = at + 2;
    if (length > 0x84 || length === 0x80) throw new Error('a length that DER does not have');
    if (length > 0x80) {
      const size = length - 0x80;
      length = bytes.readUIntBE(start, size);
      start += size;
    }
    const end = start + length;
    if (end > bytes.length) throw new Error('a value that is longer than its holder');
    values.push({ tag, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return values;
}
