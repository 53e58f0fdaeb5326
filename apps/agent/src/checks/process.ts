import type { CheckKind } from './table.ts'

export const processCheck: CheckKind<'process'> = {
  limitMs: () => 30_000,
  async measure({ settings }, { probes, signal }) {
    const { count, memoryBytes } = await probes.findProcesses(settings.process_name, signal)
    return { check_type: 'process', count, memory_bytes: memoryBytes }
  },
}
