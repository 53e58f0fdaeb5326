import { SystemTask } from '@muster/contract/agent/scheduler'
import { expect, test } from 'vitest'
import { givenPrograms } from '../testing/given-programs.ts'
import { describeTimers, linuxScheduler, parseTimes, readBlocks } from './linux/timers.ts'
import { parseXml, readDefinition } from './windows/scheduler/task-definition.ts'
import { dateOf, describeTask } from './windows/scheduler/task-scheduler.ts'

/** A definition as Windows 11 returns it. */
const task = (triggers: string, more = '') => `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.6" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Author>$(@%SystemRoot%\\system32\\defragsvc.dll,-800)</Author>
    <Description>Checks &amp; optimizes &lt;drives&gt;.</Description>
    <URI>\\Microsoft\\Windows\\Defrag\\ScheduledDefrag</URI>
  </RegistrationInfo>
  <Triggers>${triggers}</Triggers>
  <Principals>
    <Principal id="LocalSystem"><UserId>S-1-5-18</UserId><RunLevel>HighestAvailable</RunLevel></Principal>
  </Principals>
  <Settings><Enabled>true</Enabled></Settings>
  <Actions Context="LocalSystem">
    ${more}<Exec><Command>%windir%\\system32\\defrag.exe</Command><Arguments>-c -h</Arguments></Exec>
  </Actions>
</Task>`

test('a definition of Windows: description, account, command', () => {
  expect(readDefinition(task(''))).toEqual({
    description: 'Checks & optimizes <drives>.',
    schedule: '',
    command: '%windir%\\system32\\defrag.exe -c -h',
    user: 'SYSTEM',
  })
  const handler = '<ComHandler><ClassId>{B0D2B535}</ClassId><Data><![CDATA[<x>]]></Data></ComHandler>'
  expect(readDefinition(task('', handler)).command).toBe('component {B0D2B535}')
})

test.each([
  [
    'TimeTrigger',
    '<Repetition><Interval>PT1H30M</Interval></Repetition><StartBoundary>2026-11-25T03:00:00</StartBoundary>',
    'once on 2026-11-25 at 03:00, repeated every 1 h 30 min',
  ],
  [
    'CalendarTrigger',
    '<StartBoundary>2026-11-25T03:00:00</StartBoundary><ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>',
    'every day at 03:00',
  ],
  [
    'CalendarTrigger',
    '<StartBoundary>2026-11-25T18:30:00+01:00</StartBoundary><ScheduleByWeek><WeeksInterval>2</WeeksInterval><DaysOfWeek><Monday /><Friday/></DaysOfWeek></ScheduleByWeek>',
    'every 2 weeks on Monday, Friday at 18:30',
  ],
  [
    'CalendarTrigger',
    '<StartBoundary>2026-11-25T00:00:00Z</StartBoundary><ScheduleByMonth><DaysOfMonth><Day>1</Day><Day>Last</Day></DaysOfMonth></ScheduleByMonth>',
    'every month on days 1, Last at 00:00',
  ],
  ['LogonTrigger', '<Enabled>true</Enabled>', 'at sign-in'],
  ['LogonTrigger', '<Enabled>false</Enabled>', ''],
  ['WnfStateChangeTrigger', '<StateName>7508BCA3</StateName>', 'on a signal of Windows'],
])('the trigger %s in words: %s', (name, content, words) => {
  expect(readDefinition(task(`<${name}>${content}</${name}>`)).schedule).toBe(words)
})

test.each([
  ['a tag that another one closes', '<a><b></a></b>'],
  ['no end', '<a><b></b>'],
  ['two roots', '<a/><b/>'],
  ['text outside', 'x<a/>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['too many levels', '<a>'.repeat(40) + '</a>'.repeat(40)],
  ['nothing', ''],
])('XML is refused: %s', (_, xml) => {
  expect(() => parseXml(xml)).toThrow('The definition of a task is no valid XML.')
})

test('comments, declarations and quotes in attributes are no content', () => {
  const xml = '\uFEFF<?xml version="1.0"?><!-- <x> --><a b="1 > 0" c=\'/\'>t&#8364;&#x20AC;&unknown;</a>\n'
  expect(parseXml(xml)).toEqual({ name: 'a', text: 't€€&unknown;', children: [] })
})

test('a task of Windows with its times and results', () => {
  const found = {
    path: '\\Backup',
    xml: task(''),
    state: 3,
    isEnabled: true,
    lastRun: '2026-11-24T02:00:00.000Z',
    lastResult: 0,
    nextRun: null,
  }
  const described = describeTask(found)
  expect(SystemTask.parse(described)).toEqual(described)
  expect(described).toMatchObject({ name: '\\Backup', state: 'ready', last_result: 'success' })
  expect(describeTask({ ...found, lastResult: -2_147_024_891 }).last_result).toBe('failed (0x80070005)')
  expect(describeTask({ ...found, lastResult: 0x41301 }).last_result).toBe('')
  expect(describeTask({ ...found, isEnabled: false }).state).toBe('disabled')
  expect(describeTask({ ...found, xml: '<Task' }).schedule).toBe('unknown: its definition cannot be read')
})

test('dates of Windows are days in local time, and those before 2000 mean never', () => {
  const local = new Date(2026, 10, 25, 3, 30, 15)
  const days = Date.UTC(2026, 10, 25, 3, 30, 15) / 86_400_000 + 25_569
  expect(dateOf(days)).toBe(local.toISOString())
  expect([dateOf(0), dateOf(36_494), dateOf(Number.NaN)]).toEqual([null, null, null])
})

const TIMES = JSON.stringify([
  {
    next: 1_795_996_800_000_000,
    left: 1,
    last: 1_795_910_400_123_456,
    passed: 1,
    unit: 'logrotate.timer',
    activates: 'logrotate.service',
  },
  { next: null, left: null, last: 0, passed: 0, unit: 'fstrim.timer', activates: 'fstrim.service' },
])
const TIMERS = `Unit=logrotate.service
TimersCalendar={ OnCalendar=*-*-* 00:00:00 ; next_elapse=Thu 2026-11-26 00:00:00 UTC }
TimersMonotonic={ OnBootUSec=15min ; next_elapse=0 }
Id=logrotate.timer
Description=Daily rotation of log files
ActiveState=active
SubState=waiting
UnitFileState=enabled

Unit=fstrim.service
Id=fstrim.timer
Description=Discard unused blocks
ActiveState=inactive
SubState=dead
UnitFileState=static
`
const UNITS = `Id=logrotate.service
ActiveState=inactive
Result=exit-code
User=root

Id=fstrim.service
ActiveState=inactive
Result=success
`

test('timers of systemd with times, results and schedules', () => {
  const tasks = describeTimers(parseTimes(TIMES), readBlocks(TIMERS), readBlocks(UNITS))
  expect(tasks).toEqual([
    {
      name: 'logrotate.timer',
      description: 'Daily rotation of log files',
      state: 'ready',
      can_change: true,
      schedule: '*-*-* 00:00:00; after start-up: 15min',
      command: 'logrotate.service',
      username: 'root',
      last_run: new Date(1_795_910_400_123).toISOString(),
      last_result: 'failed (exit-code)',
      next_run: new Date(1_795_996_800_000).toISOString(),
    },
    {
      name: 'fstrim.timer',
      description: 'Discard unused blocks',
      state: 'disabled',
      can_change: false,
      schedule: '',
      command: 'fstrim.service',
      username: '',
      last_run: null,
      last_result: '',
      next_run: null,
    },
  ])
  expect(tasks.map((one) => SystemTask.parse(one))).toEqual(tasks)
})

test('timers are listed, run and disabled by systemctl, and its refusals are in words', async () => {
  givenPrograms({
    systemctl: `echo "$*" >> "$here/asked"
case "$1" in
  list-timers) cat <<'EOT'
${TIMES}
EOT
  ;;
  list-unit-files) echo 'old.timer disabled enabled'; echo 'backup@.timer disabled enabled'; echo 'fstrim.timer static -' ;;
  show) case "$2" in *TimersCalendar*) cat <<'EOT'
${TIMERS}
EOT
  ;; *Result*) cat <<'EOT'
${UNITS}
EOT
  ;; *) printf 'Id=logrotate.timer\\nUnit=logrotate.service\\n' ;; esac ;;
  start) test "$*" = 'start --no-block --no-ask-password -- logrotate.service' ;;
  disable) echo 'Access denied' >&2; exit 1 ;;
esac`,
  })
  expect((await linuxScheduler.list(null)).map(({ name }) => name)).toEqual([
    'logrotate.timer',
    'fstrim.timer',
    'old.timer',
  ])
  expect(await linuxScheduler.list('logrotate.timer')).toMatchObject([{ state: 'ready' }])
  await linuxScheduler.change('logrotate.timer', 'run')
  await expect(linuxScheduler.change('logrotate.timer', 'disable')).rejects.toThrow(
    'systemd refused: Access denied',
  )
  await expect(linuxScheduler.change('ssh.service', 'run')).rejects.toThrow(
    'ssh.service is no timer of systemd.',
  )
})

test('a systemd without JSON is named as the reason', async () => {
  givenPrograms({ systemctl: 'echo "NEXT LEFT LAST PASSED UNIT ACTIVATES"' })
  await expect(linuxScheduler.list(null)).rejects.toThrow(
    'systemd on this machine is too old to list its timers. It needs version 249.',
  )
})
