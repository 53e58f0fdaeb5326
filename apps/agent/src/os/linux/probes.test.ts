import { readFileSync, symlinkSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { findProgram } from '../../run/find-program.ts'
import { parsePosixPing, pingPosix } from '../posix-ping.ts'
import { linuxProbes } from './probes.ts'
import { listMountPoints } from './mounts.ts'
import { parseCpuTimes, parseMemory } from './counters.ts'
import { linuxProcessNames } from '../process-names.ts'
import { readProcStat } from './proc-stat.ts'
import { linuxProcessTools } from './process-tools.ts'
import { parseUnit } from './systemctl.ts'

const signal = () => new AbortController().signal

const givenProgram = (name: string, body: string) => givenPrograms({ [name]: body })

test('processor times are not counted twice', () => {
  const stat = 'cpu  100 20 30 800 40 5 6 9 70 10\ncpu0 1 1 1 1 1 1 1 1 1 1\nintr 5\n'
  expect(parseCpuTimes(stat)).toEqual({ busy: 170, total: 1010 })
  expect(parseCpuTimes('cpu  1 2 3 4\n')).toEqual({ busy: 6, total: 10 })
  expect(() => parseCpuTimes('')).toThrow('/proc/stat')
  expect(() => parseCpuTimes('cpu x y z a')).toThrow('/proc/stat')
})

test('file caches count as available memory', () => {
  const meminfo = `MemTotal:       16000 kB
MemFree:         1000 kB
MemAvailable:    9000 kB
Buffers:          500 kB
Cached:          7000 kB
SwapCached:         1 kB
SwapTotal:       4000 kB
SwapFree:        3000 kB
HugePages_Total:       0
`
  const KB = 1024
  expect(parseMemory(meminfo)).toEqual({
    totalBytes: 16_000 * KB,
    availableBytes: 9000 * KB,
    swap: { totalBytes: 4000 * KB, freeBytes: 3000 * KB },
  })
  expect(parseMemory(meminfo.replace(/MemAvailable.*\n/, '').replace('4000', '0'))).toMatchObject({
    availableBytes: 8500 * KB,
    swap: null,
  })
})

test('mount points with special characters are read', () => {
  const info = `22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
30 22 0:5 / /srv/my\\040data rw,relatime - nfs4 nas:/x rw
31 22 0:6 /a /mnt/bind rw - ext4 /dev/vda rw
`
  expect([...listMountPoints(info)]).toEqual(['/', '/srv/my data', '/mnt/bind'])
})

test.each([
  ['/', true],
  ['//', true],
  ['/proc/', true],
  ['/usr/bin', false],
  ['/no/such/place', false],
])('whether %s is a mount', async (disk, isMount) => {
  const found = await linuxProbes.measureMount(disk)
  expect(found !== undefined && 'totalBytes' in found).toBe(isMount)
})

test('a link to a mount is measured and named', async () => {
  const folder = givenFolder()
  const link = join(folder, 'link')
  symlinkSync('/proc', link)
  expect(await linuxProbes.measureMount(`${link}/.`)).toMatchObject({ linkTo: '/proc' })
  const toRoot = join(folder, 'root')
  symlinkSync('/', toRoot)
  expect(await linuxProbes.measureMount(toRoot)).toMatchObject({
    linkTo: '/',
    totalBytes: expect.any(Number),
  })
})

test('a folder that is no mount names its mount, also through a link', async () => {
  expect(await linuxProbes.measureMount('/proc/1')).toMatchObject({ isOn: '/proc' })
  const folder = givenFolder()
  const link = join(folder, 'link')
  symlinkSync('/proc/sys/kernel', link)
  expect(await linuxProbes.measureMount(link)).toEqual({
    isOn: expect.stringMatching(/^\/proc/),
    linkTo: '/proc/sys/kernel',
  })
})

test('a link to nothing is no disk', async () => {
  const folder = givenFolder()
  const link = join(folder, 'link')
  symlinkSync('/no/such/place', link)
  expect(await linuxProbes.measureMount(link)).toBeUndefined()
})

test('a mount point requires its full path', async () => {
  await expect(linuxProbes.measureMount('C:')).rejects.toThrow('Use the full path of the mount point')
})

test.each([
  [
    'iputils',
    `PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.
64 bytes from 192.0.2.7: icmp_seq=1 ttl=64 time=0.030 ms

--- 192.0.2.7 ping statistics ---
3 packets transmitted, 2 received, 33.3333% packet loss, time 2003ms
rtt min/avg/max/mdev = 0.030/12.5/40.1/0.008 ms`,
    { sent: 3, received: 2, ms: 12.5 },
  ],
  [
    'iputils, nobody there',
    `PING 192.0.2.9 (192.0.2.9) 56(84) bytes of data.
From 192.0.2.1 icmp_seq=1 Destination Host Unreachable

--- 192.0.2.9 ping statistics ---
3 packets transmitted, 0 received, +3 errors, 100% packet loss, time 2040ms
pipe 3`,
    { sent: 3, received: 0, ms: null },
  ],
  [
    'BusyBox',
    `--- 10.0.0.1 ping statistics ---
3 packets transmitted, 3 packets received, 0% packet loss
round-trip min/avg/max = 0.045/0.076/0.120 ms`,
    { sent: 3, received: 3, ms: 0.076 },
  ],
  [
    'macOS',
    `--- 10.0.0.1 ping statistics ---
3 packets transmitted, 3 packets received, 0.0% packet loss
round-trip min/avg/max/stddev = 6.318/7.215/8.112/0.732 ms`,
    { sent: 3, received: 3, ms: 7.215 },
  ],
])('the summary of ping: %s', (_, output, answer) => {
  expect(parsePosixPing(output)).toEqual({ ...answer, output })
})

test('the real ping reaches this machine and no other, if installed', async () => {
  if (findProgram('ping') === undefined)
    return expect(linuxProbes.ping('127.0.0.1', signal())).rejects.toThrow('ping is missing')
  await expect(linuxProbes.ping('127.0.0.1', signal())).resolves.toMatchObject({ sent: 3, received: 3 })
  await expect(linuxProbes.ping('no-such-host.invalid', signal())).resolves.toMatchObject({
    sent: 0,
    received: 0,
    ms: null,
    output: expect.stringContaining('no-such-host.invalid'),
  })
})

test('a ping that does not end is killed', async () => {
  givenProgram(
    'ping',
    'echo "PING x (x) 56(84) bytes of data."; echo "64 bytes from x: time=4.0 ms"; exec sleep 60',
  )
  await expect(linuxProbes.ping('x', signal())).resolves.toMatchObject({ sent: 3, received: 1, ms: 4 })
})

test('without a ping program, or the permission to use it, the result is a message', async () => {
  givenProgram('ping', 'echo "ping: socktype: SOCK_RAW: Operation not permitted" >&2; exit 2')
  await expect(pingPosix('x', { signal: signal(), waitFor: '2', program: 'no-such-ping' })).rejects.toThrow(
    'no-such-ping is missing on this machine.',
  )
  await expect(linuxProbes.ping('x', signal())).rejects.toThrow(
    'The agent has no permission to send ping packets: ping: socktype',
  )
})

test('the state of a systemd unit', () => {
  const unit = (load: string, active: string, sub: string, result = 'success') =>
    parseUnit(`Result=${result}\nLoadState=${load}\nActiveState=${active}\nSubState=${sub}\n`)
  expect(unit('loaded', 'active', 'running')).toEqual({ state: 'running', detail: 'active (running)' })
  expect(unit('loaded', 'active', 'exited').state).toBe('running')
  expect(unit('loaded', 'reloading', 'reload').state).toBe('running')
  expect(unit('loaded', 'activating', 'auto-restart', 'exit-code')).toEqual({
    state: 'start_pending',
    detail: 'activating (auto-restart) result exit-code',
  })
  expect(unit('loaded', 'inactive', 'dead').state).toBe('stopped')
  expect(unit('masked', 'inactive', 'dead')).toEqual({ state: 'stopped', detail: 'inactive (dead) masked' })
  expect(unit('loaded', 'deactivating', 'stop-sigterm').state).toBe('stopped')
  expect(unit('loaded', 'failed', 'failed', 'exit-code')).toEqual({
    state: 'failed',
    detail: 'failed result exit-code',
  })
  expect(unit('not-found', 'inactive', 'dead').state).toBe('missing')
  expect(unit('not-found', 'active', 'running').state).toBe('running')
  expect(() => parseUnit('nonsense')).toThrow('invalid state')
})

test('systemctl is called for one unit, whatever its name', async () => {
  const folder = givenProgram(
    'systemctl',
    'echo "$#:$*" > "$(dirname "$0")/asked"; echo LoadState=loaded; echo ActiveState=active; echo SubState=running',
  )
  await linuxProbes.findService('a b;reboot', signal())
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(
    '4:show --property=LoadState,ActiveState,SubState,Result -- a b;reboot\n',
  )
})

test('without systemd the result is a message', async () => {
  givenProgram(
    'systemctl',
    'echo "System has not been booted with systemd as init system (PID 1). Can\'t operate." >&2; exit 1',
  )
  await expect(linuxProbes.findService('cron', signal())).rejects.toThrow(
    'systemd is not running on this machine',
  )
})

test('processes are found by program name and counted with their memory', async () => {
  const name = 'a-name-longer-than-fifteen'
  const children = [1, 2].map(() => spawn('/bin/sleep', ['60'], { argv0: `/opt/x/${name}`, stdio: 'ignore' }))
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('spawn', resolve))))
  const found = await linuxProbes.findProcesses(name, signal())
  expect(found.count).toBe(2)
  expect(found.memoryBytes).toBeGreaterThan(100_000)
  await expect(linuxProbes.findProcesses(name.toUpperCase(), signal())).resolves.toEqual({
    count: 0,
    memoryBytes: 0,
  })
  const own = await linuxProbes.findProcesses('sleep', signal())
  expect(own.count).toBeGreaterThanOrEqual(2)
})

test.each([
  'backup-scheduler-daemon',
  'a name with blanks, longer than the kernel keeps',
  'back\\slash',
  'fifteen-bytes-a',
  'brackets (1) [2]',
  'übergänge-prüfen-und-melden',
])('the script %s is listed and found under its full name', async (name) => {
  const file = join(givenPrograms({ [name]: 'echo ready; read never' }), name)
  const child = spawn(file, ['--all'], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { processes } = await linuxProcessTools.openReader().read(signal())
  expect(processes.find(({ process }) => process.pid === child.pid)?.process.name).toBe(name)
  expect((await linuxProbes.findProcesses(name, signal())).count).toBe(1)
  const start = readProcStat(Number(child.pid))?.start ?? ''
  const target = { pid: Number(child.pid), start }
  expect(await linuxProcessTools.end(target, { force: true, tree: false })).toMatchObject({ name })
})

test('a script behind an interpreter is found by its own name', async () => {
  const name = 'own-name-of-a-script.sh'
  const file = join(givenPrograms({ [name]: 'echo ready; read never' }), name)
  const child = spawn('/bin/bash', ['-e', file], { stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  expect((await linuxProbes.findProcesses(name, signal())).count).toBe(1)
})

test.each([
  ['sshd', '/usr/sbin/sshd\0-D\0', ['sshd']],
  ['bash', '-bash\0', ['bash']],
  ['kthreadd', '', ['kthreadd']],
  ['nginx', 'nginx: master\0', ['nginx', 'nginx: master']],
  ['systemd-timesyn', '/lib/systemd/systemd-timesyncd\0', ['systemd-timesyncd', 'systemd-timesyn']],
  ['gitlab-workhors', 'gitlab-workhorse: idle worker\0', ['gitlab-workhorse', 'gitlab-workhors', 'gitlab-workhorse: idle worker']], // prettier-ignore
  ['unattended-upgr', '/usr/bin/python3\0/usr/share/u/unattended-upgrade-shutdown\0--wait\0', ['unattended-upgrade-shutdown', 'unattended-upgr', 'python3', 'unattended-upgrade-shutdown']], // prettier-ignore
  ['MainThread', '/usr/bin/node\0--no-warnings\0/opt/app/server.js\0', ['node', 'MainThread', 'server.js']],
  ['python3', 'python3\0-m\0http.server\0', ['python3']],
  ['python3.11', 'python3.11\0-Es\0/usr/sbin/tuned\0', ['python3.11', 'tuned']],
  ['sh', 'sh\0-c\0backup.sh --all\0', ['sh']],
  ['a-name-of-15-by', 'other\0', ['a-name-of-15-by', 'other']],
])('a process that the kernel calls %s with the command line %j', (kernelName, commandLine, names) => {
  expect([...new Set(linuxProcessNames(kernelName, commandLine))]).toEqual([...new Set(names)])
})
