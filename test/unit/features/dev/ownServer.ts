/** A program: a server of the legacy era whose tools are in a file; `wait` is answered never, `level` says which level it was told. */
export const OWN_SERVER = `
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const tools = JSON.parse(readFileSync('tools.json', 'utf8'));
let level, followed = [];
const say = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  const answer = result => say({ id, result });
  if (method === 'initialize')
    answer({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
      serverInfo: { name: 'own', version: '1' },
    });
  else if (method === 'tools/list') answer({ tools });
  else if (method === 'resources/list') answer({ resources: [{ uri: 'own://a', name: 'a' }] });
  else if (method === 'resources/templates/list') answer({ resourceTemplates: [] });
  else if (method === 'resources/subscribe') { followed.push(params.uri); answer({}); }
  else if (method === 'logging/setLevel') { level = params.level; answer({}); }
  else if (method === 'tools/call' && params.name !== 'wait')
    answer({ content: [{ type: 'text', text: JSON.stringify({ level, followed }) }] });
  else if (method === 'ping') answer({});
  else if (id !== undefined && method !== 'tools/call') say({ id, error: { code: -32601, message: 'no' } });
});
`;

/** A tool as its list has it. */
export const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });
