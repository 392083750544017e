/**
 * Address of docs/oauth-client.json, which identifies this editor to authorization servers (spec:
 * basic/authorization/client-registration#client-id-metadata-documents). The document must be served there without a redirect:
 * they follow none. `--owner--` stands for the publisher of the repository, as in package.json.
 */
export const CLIENT_METADATA_URL = 'https://--owner--.github.io/mcp-host/oauth-client.json';

/** The document's address; undefined while it is not published. */
export const clientMetadataUrl = (url = CLIENT_METADATA_URL): string | undefined =>
  url.includes('--') ? undefined : url;
