import '../../src/host/sandbox/bridge';
