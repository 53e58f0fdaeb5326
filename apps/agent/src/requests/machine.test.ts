import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandInput } from '@muster/contract/agent/commands'
import { expect, test } from 'vitest'
import { linuxProbes } from '../os/linux/probes.ts'
import { unitName } from '../os/linux/systemd-service.ts'
import { type GivenAgent, givenAgent } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'

/** A systemctl that completes names, resolves aliases and accepts patterns, like the real one. Records its calls. */
const SYSTEMCTL = `echo "$*" >> "$here/asked"
for last; do :; done
case "$last" in
  nginx | nginx.service | web.service | ngin*) id=nginx.service ;;
  guard.service | muster-agent-????????) id=$(cat "$here/own") ;;
  night.timer) id=logrotate.timer ;;
  halt-alias.service) id=systemd-poweroff.service ;;
  gone*) id="$last"; load=not-found ;;
  *) id="$last" ;;
esac
case "$1" in
  show) echo "Id=$id"; echo "LoadState=\${load:-loaded}"; echo "Unit=logrotate.service"
    [ "$load" = not-found ] && echo ActiveState=inactive || echo ActiveState=active
    echo SubState=running; echo UnitFileState=enabled ;;
  list-timers) echo '[{"next":null,"last":null,"unit":"logrotate.timer"}]' ;;
esac`

async function givenSystemd() {
  const folder = givenPrograms({
    systemctl: SYSTEMCTL,
    journalctl: 'echo "journalctl $*" >> "$here/asked"; echo a line',
  })
  const agent = await givenAgent({ expectedWarnings: [/command refused/] })
  const own = unitName(agent.folder)
  writeFileSync(join(folder, 'own'), `${own}\n`)
  const asked = join(folder, 'asked')
  /** Calls of systemctl that change something, and all of journalctl. */
  const changes = () =>
    (existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []).filter(
      (call) => !/^(show|list-)/.test(call),
    )
  return {
    own,
    changes,
    request: <Name extends Changing>(name: Name, input: CommandInput<Name>) =>
      request(agent.server, name, input),
  }
}

type Changing =
  | 'control-service'
  | 'set-start-type'
  | 'change-system-task'
  | 'list-services'
  | 'read-service-log'

async function request<Name extends Changing>(
  server: GivenAgent['server'],
  name: Name,
  input: CommandInput<Name>,
) {
  const command = server.sign(name, input)
  // The payload was made by `sign`.
  const { nonce } = JSON.parse(command.payload) as { nonce: string }
  server.command(command)
  const reply = await server.until(() =>
    server.frames.find((frame) => frame.type === 'reply' && frame.nonce === nonce),
  )
  if (reply.type !== 'reply') throw new Error('no reply')
  return { refused: reply.refused, answer: reply.answer }
}

const OWN = "This is the agent's own service, which cannot be changed here."

test.each([
  ['reboot.target', 'reboot.target is no service of systemd.'],
  ['poweroff.target', 'poweroff.target is no service of systemd.'],
  ['ssh.socket', 'ssh.socket is no service of systemd.'],
  ['*', 'Enter one name, without * ? [ and /.'],
  ['ngin?', 'Enter one name, without * ? [ and /.'],
  ['muster-agen[t]', 'Enter one name, without * ? [ and /.'],
  ['a;reboot', 'a;reboot is no service of systemd.'],
  ['systemd-reboot', 'systemd-reboot.service ends the system. Restart or shut down the machine instead.'],
  ['halt-alias.service', 'systemd-poweroff.service ends the system.'],
  ['guard.service', OWN],
  ['gone', 'Service gone does not exist.'],
])('the name "%s" starts, stops and changes nothing', async (name, sentence) => {
  const { request: ask, changes } = await givenSystemd()
  for (const action of ['start', 'restart'] as const) {
    const { refused } = await ask('control-service', { name, action })
    expect(refused).toContain(sentence)
  }
  expect(changes()).toEqual([])
})

test("the agent's own service is refused in every spelling", async () => {
  const { request: ask, own, changes } = await givenSystemd()
  for (const name of [own, own.replace('.service', ''), 'guard.service']) {
    expect(await ask('control-service', { name, action: 'stop' })).toMatchObject({ refused: OWN })
    expect(await ask('set-start-type', { name, start_type: 'disabled' })).toMatchObject({ refused: OWN })
  }
  expect(changes()).toEqual([])
})

test('a short name and an alias change the unit that systemd means, and the reply names it', async () => {
  const { request: ask, changes } = await givenSystemd()
  for (const name of ['nginx', 'web.service'])
    expect(await ask('control-service', { name, action: 'restart' })).toMatchObject({
      answer: { name: 'nginx.service' },
    })
  await ask('set-start-type', { name: 'web.service', start_type: 'manual' })
  await ask('read-service-log', { name: 'web.service', lines: 5 })
  expect(changes()).toEqual([
    'restart --no-ask-password -- nginx.service',
    'restart --no-ask-password -- nginx.service',
    'unmask -- nginx.service',
    'disable -- nginx.service',
    'journalctl --unit nginx.service --lines 5 --output=short-iso --no-pager --quiet',
  ])
})

test.each([
  ['/x/evil.timer', 'Enter one name, without * ? and /.'],
  ['log*.timer', 'Enter one name, without * ? and /.'],
  ['logrotat[e].timer', 'logrotat[e].timer is no timer of systemd.'],
  ['reboot.target', 'reboot.target is no timer of systemd.'],
  ['logrotate', 'logrotate is no timer of systemd.'],
  ['gone.timer', 'The task gone.timer does not exist.'],
])('the name "%s" runs and enables no timer', async (name, sentence) => {
  const { request: ask, changes } = await givenSystemd()
  for (const action of ['run', 'enable', 'disable'] as const) {
    const { refused } = await ask('change-system-task', { name, action })
    expect(refused).toContain(sentence)
  }
  expect(changes()).toEqual([])
})

test('an alias of a timer enables the timer that systemd means', async () => {
  const { request: ask, changes } = await givenSystemd()
  const { answer } = await ask('change-system-task', { name: 'night.timer', action: 'enable' })
  expect(answer).toMatchObject({ name: 'logrotate.timer' })
  expect(changes()).toEqual(['enable --now --no-ask-password -- logrotate.timer'])
})

test.each(['reboot.target', 'user.slice', 'systemd-poweroff', 'halt-alias.service', 'ngin*'])(
  'a check does not start %s',
  async (name) => {
    const { changes } = await givenSystemd()
    const signal = AbortSignal.timeout(60_000)
    expect(await linuxProbes.startService(name, signal)).toMatch(/ is not started by a check\.$/)
    expect(changes()).toEqual([])
  },
)

test('a check reads one unit', async () => {
  const { changes } = await givenSystemd()
  await expect(linuxProbes.findService('ngin*', AbortSignal.timeout(60_000))).rejects.toThrow(
    'Enter the name of one unit instead of ngin*.',
  )
  expect(changes()).toEqual([])
})
