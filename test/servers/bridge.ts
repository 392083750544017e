// The bridge that agents start, as it ships.
import '../../src/features/agents/core/bridge/main';
