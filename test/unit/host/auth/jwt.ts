const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;

/** The parts of a JWT (RFC 7519), and what its signature is of. */
export function readJwt(jwt: string) {
  const [header = '', claims = '', signature = ''] = jwt.split('.');
  return {
    header: parse(header),
    claims: parse(claims),
    content: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}
