import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenMeasure } from '../../testing/given-measure.ts'
import { givenPrograms } from '../../testing/given-programs.ts'
import { windowsProbes } from './probes.ts'

// Checks of a Windows machine with programs that print the output of Windows tools, because no Windows is available.
const KEEP = 'echo "$(basename "$0") $*" >> "$here/asked"'

function givenWindows(tools: Record<string, string>) {
  const bodies = Object.entries(tools).map(([name, body]) => [name, `${KEEP}\n${body}`] as const)
  const folder = givenPrograms(Object.fromEntries(bodies))
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  return { ...givenMeasure(windowsProbes), asked, folder }
}

const SC = `
if [ "$1" = start ]; then
  grep -q '^1' "$here/state" || { printf '[SC] StartService FAILED 5:\\r\\n\\r\\nAccess is denied.\\r\\n'; exit 5; }
  echo '4  RUNNING' > "$here/state"
  exit 0
fi
if [ "$2" != Spooler ]; then
  printf '[SC] EnumQueryServicesStatus:OpenService FAILED 1060:\\r\\n\\r\\nThe specified service does not exist as an installed service.\\r\\n\\r\\n'
  exit 1060
fi
printf '\\r\\nSERVICE_NAME: Spooler\\r\\n'
printf '        TYPE               : 110  WIN32_OWN_PROCESS  (interactive)\\r\\n'
printf '        STATE              : %s\\r\\n' "$(cat "$here/state")"
printf '                                (STOPPABLE, NOT_PAUSABLE, ACCEPTS_SHUTDOWN)\\r\\n'
printf '        WIN32_EXIT_CODE    : 0  (0x0)\\r\\n        PID                : 1234\\r\\n'`

const service = (restart_if_stopped: boolean, svc_name = 'Spooler') =>
  ({ check_type: 'service', settings: { svc_name, restart_if_stopped } }) as const

test('Windows service: running, stopped, restarted, start pending, missing', async () => {
  const { measure, asked, folder } = givenWindows({ sc: SC })
  const set = (state: string) => writeFileSync(join(folder, 'state'), state)
  set('4  RUNNING')
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: false })
  set('1  STOPPED')
  await expect(measure(service(false))).resolves.toMatchObject({ state: 'stopped', restarted: false })
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'running', restarted: true })
  set('2  START_PENDING')
  await expect(measure(service(true))).resolves.toMatchObject({ state: 'start_pending', restarted: false })
  await expect(measure(service(true, 'Fax'))).resolves.toMatchObject({ state: 'missing', restarted: false })
  expect(asked()).toEqual(
    ['queryex Spooler', 'queryex Spooler', 'queryex Spooler', 'start Spooler', 'queryex Spooler']
      .concat('queryex Spooler', 'queryex Fax')
      .map((words) => `sc ${words}`),
  )
  set('7  PAUSED')
  await expect(measure(service(true))).resolves.toMatchObject({
    state: 'stopped',
    detail: 'Failed to start: Access is denied.',
  })
})

test('Windows ping: three packets, one second each', async () => {
  const { measure, asked } = givenWindows({
    ping: `printf '\\r\\nPinging 192.0.2.7 with 32 bytes of data:\\r\\n'
printf 'Reply from 192.0.2.7: bytes=32 time=5ms TTL=57\\r\\nReply from 192.0.2.7: bytes=32 time<1ms TTL=57\\r\\n'
printf 'Request timed out.\\r\\n\\r\\nPing statistics for 192.0.2.7:\\r\\n'
printf '    Packets: Sent = 3, Received = 2, Lost = 1 (33%% loss),\\r\\nApproximate round trip times in milli-seconds:\\r\\n'
printf '    Minimum = 1ms, Maximum = 5ms, Average = 3ms\\r\\n'; exit 1`,
  })
  await expect(measure({ check_type: 'ping', settings: { ip: '192.0.2.7' } })).resolves.toMatchObject({
    sent: 3,
    received: 2,
    ms: 3,
  })
  expect(asked()).toEqual(['ping -n 3 -w 1000 192.0.2.7'])
})

test('Windows processes: count and memory', async () => {
  const { measure, asked } = givenWindows({
    tasklist: `printf '"chrome.exe","4711","Console","1","1,024 K"\\r\\n"chrome.exe","4712","Console","1","1,024 K"\\r\\n'`,
  })
  await expect(
    measure({ check_type: 'process', settings: { process_name: 'chrome.exe' } }),
  ).resolves.toMatchObject({ count: 2, memory_bytes: 2 * 1024 ** 2 })
  expect(asked()).toEqual(['tasklist /fo csv /nh'])
})

test('Windows memory and page files', async () => {
  const { measure } = givenWindows({ powershell: `printf '4096 1024\\r\\n'` })
  await expect(measure({ check_type: 'memory', settings: {} })).resolves.toMatchObject({
    percent: expect.any(Number),
    swap_percent: 25,
  })
})

test('Windows disks: a missing drive', async () => {
  const { measure } = givenMeasure(windowsProbes)
  await expect(measure({ check_type: 'diskspace', settings: { disk: 'X:' } })).resolves.toMatchObject({
    exists: false,
  })
})
