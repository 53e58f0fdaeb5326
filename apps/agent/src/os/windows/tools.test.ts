import { readFileSync } from 'node:fs'
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

test('Windows disks: a missing drive', async () => {
  const { measure } = givenMeasure(windowsProbes)
  await expect(measure({ check_type: 'diskspace', settings: { disk: 'X:' } })).resolves.toMatchObject({
    exists: false,
  })
})
