/**
 * Where docs/oauth-client.json is published, which tells authorization servers who this editor is (spec:
 * basic/authorization/client-registration#client-id-metadata-documents). It must be the address at which the document is
 * served, without a redirect: they follow none. `--owner--` stands for whoever publishes the repository, as in package.json.
 */
export const CLIENT_METADATA_URL = 'https://--owner--.github.io/mcp-host/oauth-client.json';

/** The document's address; undefined while it is not published. */
export const clientMetadataUrl = (url = CLIENT_METADATA_URL): string | undefined =>
  url.includes('--') ? undefined : url;
