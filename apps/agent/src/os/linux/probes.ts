import { readFileSync } from 'node:fs'
import { MeasureError } from '../../errors.ts'
import { measureMountAt } from '../disk-calls.ts'
import { pingPosix } from '../posix-ping.ts'
import type { Probes } from '../probes.ts'
import { noEventLog } from '../unsupported.ts'
import { findJournalEntries } from './journal.ts'
import { listMountPoints, parseMounts } from './mounts.ts'
import { findNamedProcesses } from './proc-named.ts'
import { parseCpuTimes, parseMemory } from './counters.ts'
import { findUnit, startUnit } from './systemctl.ts'

export const linuxProbes: Probes = {
  readCpuTimes: async () => parseCpuTimes(readFileSync('/proc/stat', 'utf8')),
  readMemory: async () => parseMemory(readFileSync('/proc/meminfo', 'utf8')),
  async measureMount(disk) {
    if (!disk.startsWith('/'))
      throw new MeasureError(`Use the full path of the mount point instead of ${disk}.`)
    return measureMountAt(disk, listMountPoints(readFileSync('/proc/self/mountinfo', 'utf8')))
  },
  listDisks: async () =>
    parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'))
      .filter(({ fstype }) => fstype !== 'udf')
      .map(({ mount }) => mount),
  ping: (host, signal) => pingPosix(host, { signal, waitFor: '2' }),
  findService: findUnit,
  startService: startUnit,
  findProcesses: findNamedProcesses,
  findEvents: noEventLog('Linux'),
  findJournal: findJournalEntries,
}
