import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenMeasure } from '../../testing/given-measure.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { parseMounts, parseSystemVersion } from '../macos.ts'
import { macosProbes } from './probes.ts'
import { macosProcessTools } from './process-tools.ts'
import { macosServiceTools } from './service-tools.ts'

// Checks of a Mac with programs that print the output of macOS tools, because no Mac is available.
const KEEP = 'echo "$(basename "$0") $*" >> "$here/asked"'

function givenMac(tools: Record<string, string>) {
  const bodies = Object.entries(tools).map(([name, body]) => [name, `${KEEP}\n${body}`] as const)
  const folder = givenPrograms(Object.fromEntries(bodies))
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  return { ...givenMeasure(macosProbes), asked, folder }
}

const LAUNCHCTL = `
case "$2" in */org.cups.cupsd) ;; *)
  echo "Could not find service \\"\${2#*/}\\" in domain for system" >&2; exit 113 ;;
esac
[ "$1" = kickstart ] && { echo running > "$here/state"; exit 0; }
printf 'system/org.cups.cupsd = {\\n\\tactive count = 1\\n\\tpath = /System/Library/LaunchDaemons/org.cups.cupsd.plist\\n'
printf '\\tstate = %s\\n\\n\\tprogram = /usr/sbin/cupsd\\n\\tlast exit code = 0\\n}\\n' "$(cat "$here/state")"`

const service = (restart_if_stopped: boolean, svc_name = 'org.cups.cupsd') =>
  ({ check_type: 'service', settings: { svc_name, restart_if_stopped } }) as const

test('launchd: running, stopped, restarted, start pending, missing', async () => {
  const { measure, asked, folder } = givenMac({ launchctl: LAUNCHCTL })
  const set = (state: string) => writeFileSync(join(folder, 'state'), state)
  set('running')
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: false })
  set('not running')
  await expect(measure(service(false))).resolves.toMatchObject({ state: 'stopped', restarted: false })
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: true })
  expect(asked().slice(2)).toEqual([
    'launchctl print system/org.cups.cupsd',
    'launchctl kickstart system/org.cups.cupsd',
    'launchctl print system/org.cups.cupsd',
  ])
  set('spawn scheduled')
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'start_pending' })
  await expect(measure(service(true, 'com.example.gone'))).resolves.toMatchObject({ state: 'missing' })
})

test('macOS ping', async () => {
  const { measure, asked } = givenMac({
    ping: `printf 'PING 192.0.2.7 (192.0.2.7): 56 data bytes\\n64 bytes from 192.0.2.7: icmp_seq=0 ttl=57 time=6.318 ms\\n'
printf '\\n--- 192.0.2.7 ping statistics ---\\n3 packets transmitted, 3 packets received, 0.0%% packet loss\\n'
printf 'round-trip min/avg/max/stddev = 6.318/7.215/8.112/0.732 ms\\n'`,
  })
  const answer = { sent: 3, received: 3, ms: 7.215 }
  await expect(measure({ check_type: 'ping', settings: { ip: '192.0.2.7' } })).resolves.toMatchObject(answer)
  expect(asked()).toEqual(['ping -n -c 3 -W 2000 -- 192.0.2.7'])
})

// In ping6, -W has another meaning and takes no number.
test('macOS ping of an IPv6 address, also with a lost packet', async () => {
  const { measure, asked, folder } = givenMac({
    ping6: `printf 'PING6(56=40+8+8 bytes) 2001:db8::2 --> 2001:db8::1\\n'
printf '16 bytes from 2001:db8::1, icmp_seq=0 hlim=57 time=6.318 ms\\n'
[ -e "$here/lossy" ] && exec sleep 60
printf '\\n--- 2001:db8::1 ping6 statistics ---\\n3 packets transmitted, 3 packets received, 0.0%% packet loss\\n'
printf 'round-trip min/avg/max/std-dev = 6.318/7.215/8.112/0.732 ms\\n'`,
  })
  const check = { check_type: 'ping', settings: { ip: '2001:db8::1' } } as const
  await expect(measure(check)).resolves.toMatchObject({ sent: 3, received: 3, ms: 7.215 })
  expect(asked()).toEqual(['ping6 -n -c 3 -- 2001:db8::1'])
  writeFileSync(join(folder, 'lossy'), '')
  await expect(measure(check)).resolves.toMatchObject({ sent: 3, received: 1, ms: 6.318 })
})

test('macOS memory and swap', async () => {
  const { measure } = givenMac({
    vm_stat: `printf 'Mach Virtual Memory Statistics: (page size of 4096 bytes)\\nPages free:           1000.\\n'
printf 'Pages inactive:          1000.\\nPages speculative:        10.\\nPages purgeable:          10.\\n'`,
    sysctl: `echo 'total = 2048.00M  used = 512.00M  free = 1536.00M  (encrypted)'`,
  })
  await expect(measure({ check_type: 'memory', settings: {} })).resolves.toMatchObject({
    percent: expect.any(Number),
    swap_percent: 25,
  })
})

test('macOS disks: mounted and not mounted', async () => {
  const { measure } = givenMac({
    mount: `echo '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)'`,
  })
  const disk = (path: string) => measure({ check_type: 'diskspace', settings: { disk: path } })
  await expect(disk('/')).resolves.toMatchObject({ exists: true, total_bytes: expect.any(Number) })
  await expect(disk('/Volumes/Backup')).resolves.toMatchObject({ exists: false })
})

test('macOS processes: count and memory', async () => {
  const path = '/Applications/Safari.app/Contents/MacOS/Safari'
  const { measure } = givenMac({
    ps: `case "$*" in
*pid=,comm=) printf '2 ${path}\\n1 /sbin/launchd\\n' ;;
*)
  printf '2 1 ada S 0 2048 0:00.00 Sun Nov 22 08:00:01 2026 ${path} -new\\n'
  printf '1 0 root Ss 0 12345 0:01.00 Sun Nov 22 08:00:00 2026 /sbin/launchd\\n' ;;
esac`,
  })
  await expect(
    measure({ check_type: 'process', settings: { process_name: 'Safari' } }),
  ).resolves.toMatchObject({ count: 1, memory_bytes: 2 * 1024 ** 2 })
})

test('services of macOS are started, stopped, restarted, enabled and disabled', async () => {
  const { asked } = givenMac({
    launchctl: `case "$*" in
      *com.example.gone*) echo 'Could not find service "com.example.gone" in domain for system' >&2; exit 113;;
    esac`,
  })
  for (const action of ['start', 'stop', 'restart'] as const)
    await macosServiceTools.control('org.cups.cupsd', action)
  await macosServiceTools.setStartType('org.cups.cupsd', 'auto')
  await macosServiceTools.setStartType('org.cups.cupsd', 'disabled')
  const commands = [
    'launchctl kickstart system/org.cups.cupsd',
    'launchctl kill SIGTERM system/org.cups.cupsd',
    'launchctl kickstart -k system/org.cups.cupsd',
    'launchctl enable system/org.cups.cupsd',
    'launchctl disable system/org.cups.cupsd',
  ]
  expect(asked()).toEqual(commands)
  await expect(macosServiceTools.control('com.example.gone', 'start')).rejects.toThrow(
    'launchd refused: Could not find service "com.example.gone" in domain for system',
  )
  await expect(macosServiceTools.setStartType('org.cups.cupsd', 'manual')).rejects.toThrow(
    'launchd supports only enabled and disabled.',
  )
})

test('a process of macOS gets another priority, and ends', async () => {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise<string | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  const pid = child.pid ?? 0
  const line = (of: number, command: string) =>
    `echo "${of} 1 ada S 0 2048 0:00.00 Sun Nov 22 08:00:01 2026 ${command}"`
  givenMac({
    ps: `case "$*" in
      *pid=,comm=) echo "${pid} /bin/sleep"; echo "1 /sbin/launchd";;
      *) ${line(1, '/sbin/launchd')}; kill -0 ${pid} 2>/dev/null && ${line(pid, '/bin/sleep 600')}; exit 0;;
    esac`,
  })
  const start = String(Date.parse('Sun Nov 22 08:00:01 2026') / 1000)
  expect(await macosProcessTools.setPriority({ pid, start }, 10)).toBe('sleep')
  expect(getPriority(pid)).toBe(10)
  const options = { force: false, tree: false }
  await expect(macosProcessTools.end({ pid: 1, start }, options)).rejects.toThrow(
    'Process 1 keeps the machine running. Restart the machine instead.',
  )
  await expect(macosProcessTools.end({ pid, start: '1' }, options)).rejects.toThrow('already exited')
  expect(await macosProcessTools.end({ pid, start }, options)).toEqual({ name: 'sleep', ended: 1, left: [] })
  expect(await ended).toBe('SIGTERM')
})

test('the version and the volumes of a Mac', () => {
  const plist = `<plist version="1.0"><dict>
	<key>ProductBuildVersion</key>
	<string>24G325</string>
	<key>ProductName</key>
	<string>macOS</string>
	<key>ProductVersion</key>
	<string>15.7.2</string>
</dict></plist>`
  expect(parseSystemVersion(plist)).toEqual({ os_name: 'macOS', os_version: '15.7.2' })
  expect(parseSystemVersion('garbage')).toEqual({ os_name: 'macOS', os_version: '' })
  const mounts = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
devfs on /dev (devfs, local, nobrowse)
/dev/disk3s6 on /System/Volumes/VM (apfs, local, noexec, journaled, noatime, nobrowse)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
/dev/disk5s1 on /Volumes/My Backup (2) (hfs, local, nodev, nosuid, journaled, noowners)
`
  expect(parseMounts(mounts)).toEqual([
    { device: '/dev/disk3s1s1', mount: '/', fstype: 'apfs' },
    { device: '/dev/disk5s1', mount: '/Volumes/My Backup (2)', fstype: 'hfs' },
  ])
})
