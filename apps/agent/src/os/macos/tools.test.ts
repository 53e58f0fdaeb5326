import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenMeasure } from '../../testing/given-measure.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { macosProbes } from './probes.ts'

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
