/** Of a system call: what it is refused with, and the numbers that it has. */
const EPERM = 1;
const RET_ALLOW = 0x7fff0000;
const RET_ERRNO = 0x00050000;
const [LOAD, EQUAL, AT_LEAST, HAS_BITS, AND, RETURN] = [0x20, 0x15, 0x35, 0x45, 0x54, 0x06];
/** Offsets in `struct seccomp_data`. */
const [NUMBER, ARCHITECTURE, FIRST_ARGUMENT] = [0, 4, 16];
const [AF_UNIX, AF_VSOCK] = [1, 40];
/** The type of a socket, below its flags. Only pairs of the types 2 and 3, of datagrams, can be led elsewhere later. */
const [SOCKET_TYPE, OF_DATAGRAMS] = [0xf, 0b10];
const ENOSYS = 38;
/** The commands of `fcntl` for a lease and a delegation. Both make others wait. */
const [F_SETLEASE, F_SETDELEG] = [1024, 1040];
/** The setuid bit: whoever starts such a file, it runs as its owner. */
const S_ISUID = 0o4000;
/** `O_CREAT` and the bit of `O_TMPFILE`: only with these `open` has a mode. */
const CREATES = 0o20000100;

interface Calls {
  readonly architecture: number;
  readonly socket: number;
  readonly socketPair: number;
  /**
   * `ptrace` and `pidfd_getfd`, which takes a descriptor from another process, the calls of the kernel's key rings, and
   * `io_uring_setup`, which opens sockets past any filter.
   */
  readonly refused: readonly number[];
  /** Calls that give a file its mode, with the index of that argument, and of the flags that say whether there is one. */
  readonly modes: readonly (readonly [call: number, mode: number, flags?: number])[];
  /** `fcntl`, which also takes leases: others then wait when they open the file. */
  readonly fcntl: number;
  /** `openat2`, whose mode is in memory that a filter can't read. Programs go on with `openat`. */
  readonly absent: number;
}
/** `chmod`, `fchmod`, `fchmodat`, `fchmodat2`, `mknod`, `mknodat`, `creat`, `open`, `openat`. */
const X64_MODES: Calls['modes'] = [
  [90, 1],
  [91, 1],
  [268, 2],
  [452, 2],
  [133, 1],
  [259, 2],
  [85, 1],
  [2, 2, 1],
  [257, 3, 2],
];
/** `fchmod`, `fchmodat`, `fchmodat2`, `mknodat`, `openat`. */
const ARM64_MODES: Calls['modes'] = [
  [52, 1],
  [53, 2],
  [452, 2],
  [33, 2],
  [56, 3, 2],
];
const CALLS: { readonly [A in NodeJS.Architecture]?: Calls } = {
  x64: {
    architecture: 0xc000003e,
    socket: 41,
    socketPair: 53,
    refused: [101, 438, 248, 249, 250, 425],
    fcntl: 72,
    absent: 437,
    modes: X64_MODES,
  },
  arm64: {
    architecture: 0xc00000b7,
    socket: 198,
    socketPair: 199,
    refused: [117, 438, 217, 218, 219, 425],
    fcntl: 25,
    absent: 437,
    modes: ARM64_MODES,
  },
};
/** Numbers of another way to call an x64 kernel, which no program needs. */
const X32 = 0x40000000;

/**
 * A filter of system calls (`seccomp`, classic BPF) for what namespaces don't cover: Unix sockets in the file system, which
 * lead to key agents, containers and the desktop; sockets to the host of a virtual machine; the kernel's key rings; leases. Socket
 * pairs, which programs use to talk to their children, stay allowed, but for those of datagrams: either end of one can send to any
 * socket in the file system.
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
  program.push([EQUAL, 0, 1, calls.absent], [RETURN, 0, 0, RET_ERRNO | ENOSYS]);
  const argument = (index: number) => FIRST_ARGUMENT + 8 * index;
  const leases: typeof program = [
    [LOAD, 0, 0, argument(1)],
    [EQUAL, 1, 0, F_SETLEASE],
    [EQUAL, 0, 1, F_SETDELEG],
    [RETURN, 0, 0, refuse],
  ];
  program.push([EQUAL, 0, leases.length + 1, calls.fcntl], ...leases, [RETURN, 0, 0, RET_ALLOW]);
  for (const [call, mode, flags] of calls.modes) {
    const known: typeof program =
      flags === undefined
        ? []
        : [
            [LOAD, 0, 0, argument(flags)],
            [HAS_BITS, 0, 3, CREATES],
          ];
    const looks: typeof program = [
      ...known,
      [LOAD, 0, 0, argument(mode)],
      [HAS_BITS, 0, 1, S_ISUID],
      [RETURN, 0, 0, refuse],
    ];
    program.push([EQUAL, 0, looks.length + 1, call], ...looks, [RETURN, 0, 0, RET_ALLOW]);
  }
  if (!mayOpenSockets) {
    const looks: typeof program = [
      [LOAD, 0, 0, argument(1)],
      [AND, 0, 0, SOCKET_TYPE],
      [HAS_BITS, 0, 1, OF_DATAGRAMS],
      [RETURN, 0, 0, refuse],
    ];
    program.push([EQUAL, 0, looks.length + 1, calls.socketPair], ...looks, [RETURN, 0, 0, RET_ALLOW]);
  }
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
