/** `client_id` of docs/oauth-client.json (`esbuild.js`). */
declare const OAUTH_CLIENT_DOCUMENT: string;

/**
 * Address of docs/oauth-client.json, which identifies this editor to authorization servers (spec:
 * basic/authorization/client-registration#client-id-metadata-documents). The document must be served there without a redirect:
 * they follow none. `--owner--` stands for the publisher of the repository, as in package.json: `npm run release` refuses that.
 */
export const CLIENT_METADATA_URL = OAUTH_CLIENT_DOCUMENT;

/** The document's address; undefined while it is not published. */
export const clientMetadataUrl = (url = CLIENT_METADATA_URL): string | undefined =>
  url.includes('--') ? undefined : url;

/** A way for the answer of an authorization server to come back: to a port of this machine, or through the editor. */
type WayBack = 'loopback' | 'editor';

/**
 * The ways back, in the order in which they are tried. A scheme such as `vscode:` any program can claim (RFC 8252, 8.4; spec:
 * basic/authorization/security-considerations#communication-security), so it is for windows whose browser is on another
 * machine than the port that would be opened.
 */
export function waysBack(isBrowserElsewhere: boolean): readonly WayBack[] {
  return isBrowserElsewhere ? ['editor', 'loopback'] : ['loopback'];
}
