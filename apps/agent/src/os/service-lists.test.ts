import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenFolder } from '../testing/given.ts'
import { linuxServiceTools, parseUnits } from './linux/service-tools.ts'
import { parseJobs } from './macos/service-tools.ts'

const UNITS = `Id=ssh.service
Description=OpenBSD Secure Shell server
LoadState=loaded
ActiveState=active
SubState=running
UnitFileState=enabled
MainPID=712
ExecStart={ path=/usr/sbin/sshd ; argv[]=/usr/sbin/sshd -D $SSHD_OPTS ; ignore_errors=no ; start_time=[n/a] ; pid=712 ; code=(null) ; status=0/0 }
User=

Id=backup.service
Description=Nightly = backup
LoadState=loaded
ActiveState=failed
SubState=failed
UnitFileState=static
MainPID=0
User=backup

Id=getty@tty1.service
Description=Getty on tty1
LoadState=masked
ActiveState=inactive
SubState=dead
UnitFileState=masked
MainPID=0

Id=gone.service
Description=gone.service
LoadState=not-found
ActiveState=inactive
SubState=dead
`

test('units of systemd', () => {
  const found = parseUnits(UNITS)
  expect(found.map(({ name }) => name)).toEqual(['ssh.service', 'backup.service', 'getty@tty1.service'])
  expect(found[0]).toEqual({
    name: 'ssh.service',
    display_name: 'ssh',
    description: 'OpenBSD Secure Shell server',
    status: 'running',
    detail: 'running',
    start_type: 'auto',
    autodelay: false,
    pid: 712,
    username: '',
    binpath: '/usr/sbin/sshd -D $SSHD_OPTS',
  })
  expect(found.slice(1)).toMatchObject([
    { description: 'Nightly = backup', status: 'failed', start_type: 'fixed', username: 'backup' },
    { status: 'stopped', start_type: 'disabled' },
  ])
  expect(parseUnits('nonsense\n\n')).toEqual([])
})

/** Programs with these names, first in PATH, that record their calls. */
function givenPrograms(programs: Record<string, string>): () => string[] {
  const folder = givenFolder()
  const calls = join(folder, 'calls')
  writeFileSync(calls, '')
  for (const [name, body] of Object.entries(programs)) {
    const file = join(folder, name)
    writeFileSync(file, `#!/bin/sh\necho "$*" >> ${calls}\n${body}`)
    chmodSync(file, 0o755)
  }
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => readFileSync(calls, 'utf8').trim().split('\n')
}

test('all services are listed at once: loaded ones, and those that only have a file', async () => {
  const units = join(givenFolder(), 'units')
  writeFileSync(units, UNITS)
  const calls = givenPrograms({
    systemctl: `case "$1" in
list-units) printf 'ssh.service loaded active running OpenBSD\\n● backup.service not-found inactive dead\\ngetty@tty1.service loaded active running Getty\\n' ;;
list-unit-files) printf 'ssh.service enabled enabled\\ngetty@.service enabled enabled\\nrsync.service disabled enabled\\n' ;;
show) cat ${units} ;;
esac`,
  })
  expect(await linuxServiceTools.list(null)).toHaveLength(3)
  const shown = calls().find((call) => call.startsWith('show')) ?? ''
  expect(shown.split(' -- ')[1]).toBe('ssh.service getty@tty1.service rsync.service')
})

test('services are changed with systemctl, and its refusals are reported', async () => {
  const calls = givenPrograms({
    systemctl: `case "$*" in *locked*) echo 'Failed to start locked.service: Access denied' >&2; exit 4 ;; esac`,
    journalctl: `printf '2026-11-22T10:00:00+0000 pc sshd[712]: one\\n2026-11-22T10:00:01+0000 pc sshd[712]: two\\n'`,
  })
  await linuxServiceTools.control('ssh.service', 'restart')
  await linuxServiceTools.setStartType('ssh.service', 'manual')
  await linuxServiceTools.setStartType('ssh.service', 'disabled')
  expect(calls()).toEqual([
    'restart --no-ask-password -- ssh.service',
    'unmask -- ssh.service',
    'disable -- ssh.service',
    'mask -- ssh.service',
  ])
  await expect(linuxServiceTools.control('locked.service', 'start')).rejects.toThrow(
    'systemd refused: Failed to start locked.service: Access denied',
  )
  await expect(linuxServiceTools.setStartType('ssh.service', 'autodelay')).rejects.toThrow(
    'does not support a delayed start',
  )
  expect(await linuxServiceTools.readLog('ssh.service', 50)).toHaveLength(2)
  expect(calls().at(-1)).toBe('--unit ssh.service --lines 50 --output=short-iso --no-pager --quiet')
})

test('jobs of launchd', () => {
  const list = 'PID\tStatus\tLabel\n345\t0\tcom.openssh.sshd\n-\t78\tcom.acme.broken\n-\t0\tcom.apple.idle\n'
  const disabled =
    '\tdisabled services = {\n\t\t"com.apple.idle" => disabled\n\t\t"com.openssh.sshd" => enabled\n\t}\n'
  expect(
    parseJobs(list, disabled).map(({ name, status, start_type, pid }) => [name, status, start_type, pid]),
  ).toEqual([
    ['com.openssh.sshd', 'running', 'auto', 345],
    ['com.acme.broken', 'failed', 'auto', 0],
    ['com.apple.idle', 'stopped', 'disabled', 0],
  ])
})
