// A hand-written MCP server of the legacy era that misbehaves as its flags say, and well without any.
//   node out/servers/hostile.js [--http] [flags]      --help lists them
// With --http it prints `listening <port>` and serves Streamable HTTP on /mcp until its stdin ends.
import { callFlags } from './hostile/callFlags';
import { driftFlags } from './hostile/driftFlags';
import { elicitFlags } from './hostile/elicitFlags';
import { eventFlags } from './hostile/eventFlags';

import { faultFlags } from './hostile/faultFlags';

import { applyFlags, plain, usage } from './hostile/flag';
import { httpFlags } from './hostile/httpFlags';
import { listFlags } from './hostile/listFlags';
import { modernFlags } from './hostile/modernFlags';
import { processFlags } from './hostile/processFlags';
import { protocolFlags } from './hostile/protocolFlags';
import { skillFlags } from './hostile/skillFlags';
import { taskFlags } from './hostile/taskFlags';
import { wireFlags } from './hostile/wireFlags';
import { goodBehaviour } from './raw/behaviour';
import { bodyOf } from './raw/eventStream';
import { listen } from './raw/listen';
import { serveStdio } from './raw/stdio';
import { StreamableHttpEndpoint } from './raw/streamableHttp';

const flags = {
  http: plain('serve Streamable HTTP on 127.0.0.1 instead of stdio', behaviour => {
    behaviour.http = true;
  }),
  help: plain('print the flags', () => {
    console.log(usage(flags));
    process.exit(0);
  }),
  ...processFlags,
  ...wireFlags,
  ...protocolFlags,
  ...httpFlags,
  ...listFlags,
  ...faultFlags,
  ...callFlags,
  ...elicitFlags,
  ...skillFlags,
  ...eventFlags,
  ...taskFlags,
  ...modernFlags,
  ...driftFlags,
};

async function main(args: string[]): Promise<void> {
  const behaviour = goodBehaviour();
  applyFlags(flags, args, behaviour);
  for (const step of behaviour.beforeOpen) await step();
  if (!behaviour.http) {
    serveStdio(behaviour);
    return;
  }
  const endpoint = new StreamableHttpEndpoint(behaviour);
  await listen(
    async (request, response) => {
      const body = await bodyOf(request);
      if (request.url === '/mcp') endpoint.handle(request, response, body);
      else response.writeHead(404).end();
    },
    { announce: true, exitOnStdinEnd: behaviour.exitOnStdinEnd },
  );
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 64;
});
