/** Of a system call: what it is refused with, and the numbers that it has. */
const EPERM = 1;
const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;
const [LOAD, EQUAL, AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
const [AF_UNIX, AF_VSOCK] = [1, 40];

interface Calls {
  readonly architecture: number;
  readonly socket: number;
  /** `ptrace`, the calls of the kernel's key rings, and `io_uring_setup`, which opens sockets past any filter. */
  readonly refused: readonly number[];
}
const CALLS: { readonly [A in NodeJS.Architecture]?: Calls } = {
  x64: { architecture: 0xc000003e, socket: 41, refused: [101, 248, 249, 250, 425] },
  arm64: { architecture: 0xc00000b7, socket: 198, refused: [117, 217, 218, 219, 425] },
};
/** Numbers of another way to call an x64 kernel, which no program needs. */
const X32 = 0x40000000;

/**
 * A filter of system calls (`seccomp`, classic BPF) for what namespaces don't cover: Unix sockets in the file system, which
 * lead to key agents, containers and the desktop; sockets to the host of a virtual machine; the kernel's key rings. Socket
 * pairs, which programs use to talk to their children, stay allowed.
 * @param mayOpenSockets whether Unix sockets are allowed: sockets that it must not reach have to be hidden then.
 */
export function systemCallFilter(arch: NodeJS.Architecture, mayOpenSockets = false): Buffer {
  const calls = CALLS[arch];
  if (!calls) throw new Error(`There is no filter for ${arch}.`);
  const refuse = RET_ERRNO | EPERM;
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [];
  const refuseIf = (code: number, value: number) => program.push([code, 0, 1, value], [RETURN, 0, 0, refuse]);
  program.push(
    [LOAD, 0, 0, ARCHITECTURE],
    [EQUAL, 1, 0, calls.architecture],
    [RETURN, 0, 0, refuse],
    [LOAD, 0, 0, NUMBER],
  );
  refuseIf(AT_LEAST, X32);
  for (const call of calls.refused) refuseIf(EQUAL, call);
  program.push([EQUAL, 1, 0, calls.socket], [RETURN, 0, 0, RET_ALLOW], [LOAD, 0, 0, FIRST_ARGUMENT]);
  for (const family of mayOpenSockets ? [AF_VSOCK] : [AF_UNIX, AF_VSOCK]) refuseIf(EQUAL, family);
  program.push([RETURN, 0, 0, RET_ALLOW]);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
