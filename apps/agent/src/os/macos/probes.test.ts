import { expect, test } from 'vitest'
import { givenPrograms } from '../../testing/given-programs.ts'
import { macosProbes, parseDisks, parseJob, parseMountPoints, sumNamedProcesses } from './probes.ts'
import { DescribedPorts } from '../listed-processes.ts'
import { parseSwap, parseVmStat } from './counters.ts'
import { parsePsProcesses } from './process-tools.ts'

test('file caches count as available memory', () => {
  const output = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               12345.
Pages active:                            400000.
Pages inactive:                          100000.
Pages speculative:                         2000.
Pages throttled:                              0.
Pages wired down:                        150000.
Pages purgeable:                           5000.
"Translation faults":                 123456789.
`
  expect(parseVmStat(output)).toBe((12_345 + 100_000 + 2000 + 5000) * 16_384)
})

test('swap is read with a decimal point or comma', () => {
  const MB = 1024 ** 2
  expect(parseSwap('total = 2048.00M  used = 1021.75M  free = 1026.25M  (encrypted)')).toEqual({
    totalBytes: 2048 * MB,
    freeBytes: 1026.25 * MB,
  })
  expect(parseSwap('total = 1024,00M  used = 0,00M  free = 1024,00M')).toMatchObject({
    totalBytes: 1024 * MB,
  })
  expect(parseSwap('total = 0.00M  used = 0.00M  free = 0.00M  (encrypted)')).toBeNull()
  expect(parseSwap('')).toBeUndefined()
})

test('memory and swap that the system does not report are an error, and never 0 %', async () => {
  const { signal } = new AbortController()
  const pages = 'Pages free: 12345.'
  givenPrograms({ vm_stat: `echo "${pages}"`, sysctl: 'echo "unknown oid" >&2; exit 1' })
  await expect(macosProbes.readMemory(signal)).rejects.toThrow('sysctl does not report the swap.')
  givenPrograms({ vm_stat: 'exit 1', sysctl: 'echo "total = 0.00M  used = 0.00M  free = 0.00M"' })
  await expect(macosProbes.readMemory(signal)).rejects.toThrow('vm_stat does not report the free memory.')
  givenPrograms({ vm_stat: `echo "${pages}"`, sysctl: 'echo "total = 0.00M  used = 0.00M  free = 0.00M"' })
  await expect(macosProbes.readMemory(signal)).resolves.toMatchObject({ swap: null })
})

test('mount points with special characters are read', () => {
  const output = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk5s1 on /Volumes/My Disk (1) (hfs, local, nodev)
//anna@nas/home on /Volumes/home (smbfs, nodev, nosuid)
`
  expect([...parseMountPoints(output)]).toEqual(['/', '/dev', '/Volumes/My Disk (1)', '/Volumes/home'])
})

test('disks are the root and what can be written, without volumes of the system', () => {
  const output = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
/dev/disk4s2 on /Volumes/Installer (hfs, local, nodev, nosuid, read-only, noowners)
/dev/disk5s1 on /Volumes/Data 2 (apfs, local, journaled)
`
  expect(parseDisks(output)).toEqual(['/', '/Volumes/Data 2'])
})

test('processes are found by the last part of their path, and scripts by their own name', () => {
  const lines = [
    ['Ss', 12_345, '/sbin/launchd', '/sbin/launchd'],
    ['S', 2048, '/Applications/Safari.app/Contents/MacOS/Safari', ''],
    ['R', 1024, '/opt/other/safari', '/opt/other/safari -x'],
    ['Z', 0, '/opt/gone/Safari', '(Safari)'],
    ['Ss+', 500, '-zsh', '-zsh'],
    ['S', 300, '/bin/bash', '/bin/bash -e /opt/Backup.sh --all'],
  ] as const
  const all = lines.map(
    ([state, kilobytes, path, command], index) =>
      `${index + 1} 1 root ${state} 0 ${kilobytes} 0:00.00 Sun Nov 22 08:00:01 2026 ${command || path}`,
  )
  const names = lines.map(([, , path], index) => `${index + 1} ${path}`)
  const seen = parsePsProcesses(all.join('\n'), names.join('\n'), new DescribedPorts())
  expect(seen.map(({ process }) => process.name)).toEqual([
    'launchd',
    'Safari',
    'safari',
    'Safari',
    'zsh',
    'bash',
  ])
  expect(sumNamedProcesses(seen, 'Safari')).toEqual({ count: 2, memoryBytes: 3072 * 1024 })
  expect(sumNamedProcesses(seen, 'zsh').count).toBe(1)
  expect(sumNamedProcesses(seen, 'backup.sh')).toEqual({ count: 1, memoryBytes: 300 * 1024 })
  expect(sumNamedProcesses(seen, 'nothing')).toEqual({ count: 0, memoryBytes: 0 })
})

test.each([
  ['\tstate = running\n\n\tprogram = /usr/sbin/cupsd\n\tpid = 77\n', 'running'],
  ['\tstate = not running\n\tlast exit code = 0\n', 'stopped'],
  ['\tstate = not running\n\tlast exit code = (never exited)\n', 'stopped'],
  ['\tstate = not running\n\tlast exit code = 78: EX_CONFIG\n', 'failed'],
  ['\tstate = spawn scheduled\n', 'start_pending'],
  ['\tendpoints = {\n\t\t"x" = {\n\t\t\tstate = running\n\t\t}\n\t}\n\tstate = not running\n', 'stopped'],
])('a job of launchd: %j', (output, state) => {
  expect(parseJob(`system/org.cups.cupsd = {\n${output}}\n`).state).toBe(state)
})
