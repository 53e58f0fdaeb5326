import type { MachineCheckType } from '@muster/contract/agent/checks'
import type { CheckKind } from './check-kind.ts'

/**
 * Every type of check. The code of a type is loaded with its first check, because most machines use only a few
 * types.
 *
 * A new type needs: its settings and its measurement (contract/src/agent/checks.ts), the fields of its form
 * (contract/src/api/checks.ts), its verdict and series (rules/src/checks/table.ts), a file in this folder and a line
 * here. Differences between systems belong in os/probes.ts.
 */
export const checkTable: { [Type in MachineCheckType]: () => Promise<CheckKind<Type>> } = {
  diskspace: async () => (await import('./diskspace.ts')).diskspace,
  cpuload: async () => (await import('./cpuload.ts')).cpuload,
  memory: async () => (await import('./memory.ts')).memory,
  ping: async () => (await import('./ping.ts')).ping,
  service: async () => (await import('./service.ts')).service,
  script: async () => (await import('./script.ts')).script,
  process: async () => (await import('./process.ts')).processCheck,
  file: async () => (await import('./file.ts')).file,
  eventlog: async () => (await import('./eventlog.ts')).eventlog,
  journal: async () => (await import('./journal.ts')).journal,
}

export async function loadCheckTypes(): Promise<void> {
  await Promise.all(Object.values(checkTable).map((load) => load()))
}
