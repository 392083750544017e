import type { McpHostApi } from '@mcp-host/api';

/** Adds a server for as long as it takes to call its tool. What goes wrong is told by its code, never by its message. */
export async function greet(api: McpHostApi, serverPath: string): Promise<string> {
  const added = api.registerServerDefinitions({ greeter: { command: 'node', args: [serverPath] } });
  try {
    const [server] = await added.ready;
    if (!server) return 'No server was added.';
    const { content, isError } = await server.callTool('greet', { name: 'Ada' });
    const text = content.map(part => part.text ?? '').join(' ');
    return isError ? `The greeter failed: ${text}` : text;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'REFUSED') return 'You did not want to be greeted.';
    const failed = api.servers.find(({ name, control, state }) => name === 'greeter' && control && state === 'failed');
    if (!failed) throw error;
    const [last] = failed.control?.logs().slice(-1) ?? [];
    return `The greeter did not start (${failed.error?.code}): ${last?.text ?? failed.error?.reason}`;
  } finally {
    added.dispose();
  }
}
