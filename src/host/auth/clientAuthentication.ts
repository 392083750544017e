import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import type { Discovery } from './discovery';

/** How a client authenticates itself at the token and revocation endpoints (RFC 6749, 2.3). */
export function authenticate(
  client: OAuthClientInformationMixed,
  { metadata }: Pick<Discovery, 'metadata'>,
  headers: Headers,
  body: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret } = client as { client_id: string; client_secret?: string };
  const supported = metadata?.token_endpoint_auth_methods_supported ?? [];
  const registered = (client as { token_endpoint_auth_method?: string }).token_endpoint_auth_method;
  const usesBody = (registered ?? '') === 'client_secret_post' || isOnlyPost(supported);
  if (secret !== undefined && !usesBody) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    return;
  }
  body.set('client_id', id);
  if (secret !== undefined) body.set('client_secret', secret);
}

const isOnlyPost = (methods: readonly string[]) =>
  methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
