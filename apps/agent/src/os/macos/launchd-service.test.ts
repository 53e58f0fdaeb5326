import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { daemonLabel, makeLaunchdService, plistText } from './launchd-service.ts'

const FOLDER = '/Library/Application Support/muster-agent'

test('launchd gets a property list that starts the agent with the machine', () => {
  const text = plistText({
    folder: FOLDER,
    program: ['/usr/local/muster-agent/node', '/opt/a & b/agent.mjs'],
  })
  const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))'
  const read: unknown = JSON.parse(execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' }))
  expect(read).toEqual({
    Label: 'com.muster.agent',
    ProgramArguments: ['/usr/local/muster-agent/node', '/opt/a & b/agent.mjs', 'run', '--data', FOLDER],
    RunAtLoad: true,
    KeepAlive: true,
    ThrottleInterval: 5,
    ExitTimeOut: 15,
    StandardErrorPath: '/var/log/com.muster.agent.log',
  })
})

test('an agent with its own data folder has its own daemon', () => {
  expect(daemonLabel('/srv/second')).toMatch(/^com\.muster\.agent-[0-9a-f]{8}$/)
  expect(daemonLabel('/srv/second')).not.toBe(daemonLabel('/srv/third'))
})

afterEach(() => void vi.restoreAllMocks())

const LAUNCHCTL = `
echo "$*" >> "$here/asked"
[ "$1" = bootout ] && [ ! -e "$here/loaded" ] && { echo "Boot-out failed: 3: No such process" >&2; exit 3; }
[ "$1" = bootstrap ] && [ -e "$here/broken" ] && { echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }
exit 0`

test('the service is loaded into launchd, and leaves nothing behind when it is removed', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0)
  const here = givenPrograms({ launchctl: LAUNCHCTL })
  const daemons = givenFolder()
  const service = makeLaunchdService(daemons)
  const folder = '/srv/second agent'
  const label = daemonLabel(folder)
  const file = join(daemons, `${label}.plist`)
  const asked = () => readFileSync(join(here, 'asked'), 'utf8').trim().split('\n')
  const program = ['/opt/node', '/opt/agent.mjs']
  // Not loaded before: that bootout fails is no failure.
  expect(await service.install({ folder, program })).toBe(`The service ${label} is running.`)
  expect(readFileSync(file, 'utf8')).toBe(plistText({ folder, program }))
  expect(asked()).toEqual([`bootout system/${label}`, `bootstrap system ${file}`])

  writeFileSync(join(here, 'loaded'), '')
  expect(await service.uninstall(folder)).toBe(`The service ${label} was stopped and removed.`)
  expect(existsSync(file)).toBe(false)
  expect(asked().slice(2)).toEqual([`bootout system/${label}`])
  expect(await service.uninstall(folder)).toBe('There was no service to remove.')
  expect(asked()).toHaveLength(3)

  writeFileSync(join(here, 'broken'), '')
  await expect(service.install({ folder, program })).rejects.toMatchObject({
    message: `failed to install the service ${label}`,
    cause: expect.stringContaining('Bootstrap failed: 5'),
  })
  vi.spyOn(process, 'getuid').mockReturnValue(501)
  await expect(service.install({ folder, program })).rejects.toThrow('only root can install a service')
})
