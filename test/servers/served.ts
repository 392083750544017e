// A program that serves MCP over HTTP at a port that it is given. Prints what it does, as such programs do, and no `listening`.
//   --port=N, --port N   where it listens
//   --busy=N             answers the first N requests of all with 503, as what stands before a container does
//   --exit=N             exits with N in place of listening
//   --mute               never listens
//   --deaf               does not notice the end of its stdin
// `DELETE /` ends it with exit code 4; `/mcp` is Streamable HTTP, all else is not found.
import { parseArgs } from 'node:util';
import { goodBehaviour } from './raw/behaviour';
import { bodyOf } from './raw/eventStream';
import { listen } from './raw/listen';
import { ordinaryOffer } from './raw/offer';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { port: text, busy: text, exit: text, mute: flag, deaf: flag } });
const mcp = new StreamableHttpEndpoint(goodBehaviour(ordinaryOffer()));
let busy = Number(values.busy ?? 0);

console.log('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"not for the host"}}');
console.log('Loading models\u001b[32m…\u001b[0m');
if (values.exit !== undefined) {
  console.error('Error: the licence has expired');
  process.exit(Number(values.exit));
}
process.stdin.on('end', () => values.deaf || process.exit(0)).resume();
if (values.mute) setInterval(() => {}, 1_000);
else
  void listen(
    async (request, response) => {
      const body = await bodyOf(request);
      if (request.method === 'DELETE' && request.url === '/') process.exit(4);
      if (busy-- > 0) response.writeHead(503).end('not yet');
      else if (request.url === '/mcp') await mcp.handle(request, response, body);
      else response.writeHead(404).end();
    },
    { port: Number(values.port) },
  );
