import { readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { judgeCheck } from '@muster/rules/checks/table'
import { expect, test } from 'vitest'
import { givenMeasure } from '../testing/given-measure.ts'
import { givenPrograms } from '../testing/given-programs.ts'

// Output of the two ping programs of Linux, which may not be installed here.
const IPUTILS = `printf '%s\\n' "$@" > "$here/args"
case "$*" in *nowhere*) echo 'ping: nowhere.invalid: Name or service not known' >&2; exit 2 ;; esac
cat <<END
PING 192.0.2.7 (192.0.2.7) 56(84) bytes of data.
64 bytes from 192.0.2.7: icmp_seq=1 ttl=57 time=12.1 ms
64 bytes from 192.0.2.7: icmp_seq=3 ttl=57 time=12.9 ms

--- 192.0.2.7 ping statistics ---
3 packets transmitted, 2 received, 33.3333% packet loss, time 2003ms
rtt min/avg/max/mdev = 12.100/12.500/12.900/0.400 ms
END`
const BUSYBOX = `printf '%s\\n' "$@" > "$here/args"
case "$1" in -n) echo "ping: invalid option -- 'n'" >&2; exit 1 ;; esac
cat <<END
PING 192.0.2.7 (192.0.2.7): 56 data bytes
64 bytes from 192.0.2.7: seq=0 ttl=57 time=0.045 ms
64 bytes from 192.0.2.7: seq=1 ttl=57 time=0.063 ms
64 bytes from 192.0.2.7: seq=2 ttl=57 time=0.120 ms

--- 192.0.2.7 ping statistics ---
3 packets transmitted, 3 packets received, 0% packet loss
round-trip min/avg/max = 0.045/0.076/0.120 ms
END`

const ping = (ip: string) => ({ check_type: 'ping', settings: { ip } }) as const
const judge = (measured: Parameters<typeof judgeCheck>[1]) =>
  judgeCheck({ check_type: 'ping', alert_severity: 'warning' }, measured)

test('ping with iputils sends three packets, and a lost one fails the check', async () => {
  const folder = givenPrograms({ ping: IPUTILS })
  const measured = await givenMeasure().measure(ping('192.0.2.7'))
  expect(measured).toMatchObject({ sent: 3, received: 2, ms: 12.5 })
  expect(judge(measured)).toEqual({
    passing: false,
    severity: 'warning',
    more_info: '2 of 3 packets received, 12.5 ms on average',
  })
  expect(readFileSync(join(folder, 'args'), 'utf8').split('\n')).toEqual([
    '-n',
    '-c',
    '3',
    '-W',
    '2',
    '--',
    '192.0.2.7',
    '',
  ])
})

test('ping with iputils fails for an unknown host with the message of ping', async () => {
  givenPrograms({ ping: IPUTILS })
  const measured = await givenMeasure().measure(ping('nowhere.invalid'))
  expect(measured).toMatchObject({ sent: 0, received: 0, ms: null })
  expect(judge(measured).more_info).toBe('ping: nowhere.invalid: Name or service not known')
})

test('ping with BusyBox gets no options that it does not support', async () => {
  const folder = givenPrograms({ ping: BUSYBOX })
  renameSync(join(folder, 'ping'), join(folder, 'busybox'))
  symlinkSync('busybox', join(folder, 'ping'))
  const measured = await givenMeasure().measure(ping('192.0.2.7'))
  expect(measured).toMatchObject({ sent: 3, received: 3, ms: 0.076 })
  expect(judge(measured)).toMatchObject({ passing: true })
  expect(readFileSync(join(folder, 'args'), 'utf8').split('\n')).toEqual([
    '-c',
    '3',
    '-W',
    '2',
    '--',
    '192.0.2.7',
    '',
  ])
})
