import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { CLIENT_METADATA_URL, clientMetadataUrl, waysBack } from '../../../../../src/features/auth/core/clientMetadata';
import { readRelease } from '../../../../release/releaseRules';
import { inRepository } from '../../../../setup/paths';

const text = readFileSync(inRepository('docs/oauth-client.json'), 'utf8');
const published = JSON.parse(text) as Record<string, unknown> & { redirect_uris: string[] };

describe('the Client ID Metadata Document', () => {
  it('is at the address that it names, on https, with an unambiguous path @clientMetadata.address-names-https', () => {
    assert.equal(published.client_id, CLIENT_METADATA_URL);
    const { protocol, pathname, search, hash, username, password, href } = new URL(CLIENT_METADATA_URL);
    assert.deepEqual([protocol, search, hash, username, password], ['https:', '', '', '', '']);
    assert.equal(href, CLIENT_METADATA_URL, 'in the form in which it is compared');
    assert.match(pathname, /^\/[\w-]+\/oauth-client\.json$/);
  });

  it('is published by the owner of the repository @clientMetadata.published-owner', () => {
    const [, owner, name] = /github\.com\/([^/]+)\/([^/]+)\.git$/.exec(readRelease().repository.url) ?? [];
    assert.equal(CLIENT_METADATA_URL, `https://${owner}.github.io/${name}/oauth-client.json`);
    assert.equal(published.client_uri, `https://github.com/${owner}/${name}`);
  });

  it('is not used while it is unpublished @clientMetadata.used-unpublished', () => {
    assert.equal(clientMetadataUrl('https://--owner--.github.io/mcp-host/oauth-client.json'), undefined);
    const url = 'https://someone.github.io/mcp-host/oauth-client.json';
    assert.equal(clientMetadataUrl(url), url);
  });

  it('has the required members, no secret, and is small @clientMetadata.required-members-secret', () => {
    assert.equal(published.client_name, 'MCP Host');
    assert.equal(published.token_endpoint_auth_method, 'none');
    // In place of the one method, by SEP-3149: one document serves authorization servers that differ.
    assert.deepEqual(published.token_endpoint_auth_methods_supported, ['none']);
    assert.deepEqual(published.grant_types, ['authorization_code', 'refresh_token']);
    assert.deepEqual(published.response_types, ['code']);
    assert.ok(!('client_secret' in published) && !('client_secret_expires_at' in published));
    assert.ok(Buffer.byteLength(text) < 5 * 1_024);
  });

  it('allows redirects to this machine only @clientMetadata.allows-redirects-machine', () => {
    assert.ok(published.redirect_uris.length > 0);
    for (const uri of published.redirect_uris) assert.match(uri, /^http:\/\/(127\.0\.0\.1|localhost)\/$/);
  });
});

describe('waysBack', () => {
  it('is only a loopback port when the browser is on this machine: any program can claim a scheme @clientMetadata.loopback-port-browser', () => {
    assert.deepEqual(waysBack(false), ['loopback']);
  });

  it("begins with the editor's own address when the browser is on another machine @clientMetadata.begins-editor-address", () => {
    assert.deepEqual(waysBack(true), ['editor', 'loopback']);
  });
});
