import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';

// A project as its documentation has it: tools are files, and a compiler makes the server.
mkdirSync('src/tools', { recursive: true });
const paths = { tools: './src/tools', prompts: false, resources: false };
writeFileSync('xmcp.config.ts', `export default ${JSON.stringify({ stdio: true, paths })};\n`);
const compilerOptions = { target: 'ES2022', module: 'ESNext', moduleResolution: 'bundler', skipLibCheck: true };
writeFileSync('tsconfig.json', JSON.stringify({ compilerOptions, include: ['xmcp.config.ts', 'src'] }));
writeFileSync(
  'src/tools/echo.ts',
  `import { z } from 'zod';
const node: z.ZodType = z.object({ name: z.string(), get children() { return z.array(node); } });
export const schema = { text: z.string(), nodes: z.array(node).optional() };
export const metadata = { name: 'echo', description: 'Returns the text' };
export default function echo({ text }: { text: string }) { return text; }
`,
);
const { status } = spawnSync('npx', ['xmcp', 'build'], { stdio: 'inherit' });
process.exit(status ?? 1);
