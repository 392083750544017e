// Starts a program with its own input and output, as an agent host starts the bridges of its chats.
//   node passOn.js <option of its own> <program> <arguments>
import { spawn } from 'node:child_process';

const [program = '', ...args] = process.argv.slice(3);
spawn(program, args, { stdio: 'inherit' }).on('exit', code => process.exit(code ?? 1));
