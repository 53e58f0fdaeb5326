import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandInput, CommandName } from '@muster/contract/agent/commands'
import type { PowerPlan, PowerReport } from '@muster/contract/agent/power'
import { expect, test } from 'vitest'
import { os } from '../os/index.ts'
import { makeLinuxSessionTools } from '../os/linux/session-tools.ts'
import { givenDisplay } from '../remote/desktop/test-desktop.ts'
import { findProgram } from '../run/find-program.ts'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'

/** Programs of the test in place of the real ones: the test machine must not restart. */
function givenMachine({ user, dialog = 'exit 1' }: { user?: string; dialog?: string } = {}) {
  const note = 'printf "%s|" "$(basename "$0")" "$@" >>"$here/calls"; echo >>"$here/calls"'
  const folder = givenPrograms({
    shutdown: note,
    loginctl: note,
    wall: note,
    zenity: `${note}\n${dialog}`,
  })
  if (findProgram('shutdown') !== join(folder, 'shutdown')) throw new Error('the real program would be run')
  const root = `${givenFolder()}/`
  mkdirSync(join(root, 'run/systemd/sessions'), { recursive: true })
  if (user !== undefined)
    writeFileSync(
      join(root, 'run/systemd/sessions/c7'),
      `USER=${user}\nACTIVE=1\nSTATE=active\nTYPE=tty\nCLASS=user\n`,
    )
  const tools = makeLinuxSessionTools(root)
  const calls = () =>
    existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : []
  return { agent: { os: { ...os, loadSessionTools: async () => tools } }, calls }
}

async function given(options: Parameters<typeof givenMachine>[0] = {}) {
  const machine = givenMachine(options)
  const agent = await givenAgent({ agent: machine.agent })
  const { server } = agent
  const ask = async <Name extends CommandName>(name: Name, input: CommandInput<Name>) => {
    const command = server.sign(name, input)
    const { nonce } = JSON.parse(command.payload) as { nonce: string }
    server.command(command)
    const reply = await server.until(() =>
      server.frames.find((frame) => frame.type === 'reply' && frame.nonce === nonce),
    )
    return reply.type === 'reply' ? { refused: reply.refused, answer: reply.answer } : undefined
  }
  const reported = (state: PowerReport['state'], postponed = 0) =>
    server.until(() =>
      server.reports.find(
        (report) => report.kind === 'power' && report.state === state && report.postponed === postponed,
      ),
    )
  return { ...agent, ask, reported, calls: machine.calls }
}

const makePlan = (more: Partial<PowerPlan> = {}): PowerPlan => ({
  id: randomUUID(),
  action: 'reboot',
  message: 'Updates are installed.',
  seconds: 3600,
  postponements: 0,
  postpone_seconds: 900,
  if_nobody: 'now',
  ...more,
})

test('a signed-in user is warned before the machine restarts', async () => {
  const { ask, reported, calls } = await given({ user: 'anna' })
  const plan = makePlan({ seconds: 1 })
  const before = Date.now()
  const reply = await ask('plan-power', plan)
  const { due } = Object(reply?.answer) as { due: string }
  expect(Date.parse(due)).toBeGreaterThanOrEqual(before + 1000)
  expect(await reported('planned')).toMatchObject({ id: plan.id, due })
  expect(await reported('done')).toMatchObject({ id: plan.id, due, reason: null })
  const [first, ...later] = calls()
  expect(first).toMatch(/^wall\|Restart planned: This computer restarts at \d\d:\d\d\. Save your work\.$/)
  expect(later).toContain('Updates are installed.')
  expect(later.at(-1)).toBe('shutdown|-r|now|')
})

test('nobody is signed in: the machine restarts at once, unless it waits for a set time', async () => {
  const { ask, reported, calls } = await given()
  expect(await ask('plan-power', makePlan())).toEqual({ refused: null, answer: { due: null } })
  expect(calls()).toEqual(['shutdown|-r|now|'])
  const waiting = await ask('plan-power', makePlan({ if_nobody: 'wait', action: 'shutdown', seconds: 1 }))
  expect(waiting?.answer).toEqual({ due: expect.any(String) })
  await reported('done')
  expect(calls().at(-1)).toBe('shutdown|-P|now|')
  expect(await ask('plan-power', makePlan({ action: 'sign_out' }))).toMatchObject({
    refused: 'No user is signed in at this machine.',
  })
})

test('the same plan is planned once, a later one replaces it, and it can be cancelled', async () => {
  const { ask, server, calls } = await given({ user: 'anna' })
  const [first, second] = [makePlan(), makePlan({ action: 'sign_out' })]
  const once = await ask('plan-power', first)
  expect(await ask('plan-power', first)).toEqual(once)
  await ask('plan-power', second)
  const skipped = await server.until(() =>
    server.reports.find((report) => report.kind === 'power' && report.state === 'skipped'),
  )
  expect(skipped).toMatchObject({ id: first.id, reason: 'Replaced by another plan.' })
  expect(await ask('cancel-power', { id: first.id })).toMatchObject({
    refused: 'It has already begun, or was replaced.',
  })
  expect(await ask('cancel-power', { id: second.id })).toEqual({ refused: null, answer: {} })
  expect(calls().at(-1)).toMatch(/^wall\|Cancelled: The sign-out planned for .* is cancelled\.\|$/)
})

test('the user may postpone it as often as allowed', async () => {
  await givenDisplay('320x200')
  const { ask, reported, calls, lines } = await given({ user: 'anna', dialog: 'exit 0' })
  const plan = makePlan({ postponements: 2 })
  const { due } = Object((await ask('plan-power', plan))?.answer) as { due: string }
  const postponed = await reported('planned', 1)
  expect(postponed).toMatchObject({ due: new Date(Date.parse(due) + 900_000).toISOString() })
  expect(lines.map(({ message }) => message)).toContain('the user postponed the planned action')
  expect(calls().find((call) => call.startsWith('zenity'))).toContain('--question')
  expect(calls().join('\n')).toContain('--ok-label=Postpone 15 minutes|--cancel-label=Keep the time|')
})

test('postponements end at the deadline', async () => {
  await givenDisplay('320x200')
  const { ask, reported, server } = await given({ user: 'anna', dialog: 'exit 0' })
  const plan = makePlan({ seconds: 3600, postponements: 9, deadline_seconds: 4000 })
  const { due } = Object((await ask('plan-power', plan))?.answer) as { due: string }
  const last = await reported('planned', 1)
  const laterMs = Date.parse(last.kind === 'power' ? last.due : '') - Date.parse(due)
  // Not 900 seconds. The agent reads its clock twice.
  expect(Math.round(laterMs / 10_000)).toBe(40)
  expect(await ask('cancel-power', { id: plan.id })).toEqual({ refused: null, answer: {} })
  expect(server.reports.filter((report) => report.kind === 'power' && report.postponed > 1)).toEqual([])
})

test('a machine restarts on request only while nobody is signed in', async () => {
  const busy = await given({ user: 'anna' })
  expect(await busy.ask('reboot-if-nobody', {})).toEqual({ refused: null, answer: { done: false } })
  expect(busy.calls()).toEqual([])
  const idle = await given()
  expect(await idle.ask('reboot-if-nobody', {})).toEqual({ refused: null, answer: { done: true } })
  expect(idle.calls()).toEqual(['shutdown|-r|now|'])
})

test('a plan survives a restart of the agent, and ends with a restart of the machine', async () => {
  const { server, ask, reported, restart, start } = await given({ user: 'anna' })
  const plan = makePlan()
  await ask('plan-power', plan)
  const fresh = await restart()
  expect(await ask('plan-power', plan)).toMatchObject({ answer: { due: expect.any(String) } })
  await fresh[Symbol.asyncDispose]()
  const up = server.untilUp()
  await start({ bootMark: () => 'another boot' })
  await up
  expect(await reported('skipped')).toMatchObject({ reason: 'The machine restarted before that time.' })
  expect((await ask('cancel-power', { id: plan.id }))?.refused).not.toBeNull()
})

test('a restart at once replaces a plan; the screen of the user is locked, or the user signed out', async () => {
  const { ask, reported, calls } = await given({ user: 'anna' })
  await ask('plan-power', makePlan())
  expect(await ask('change-power', { action: 'lock' })).toEqual({ refused: null, answer: {} })
  expect(calls().at(-1)).toBe('loginctl|lock-session|c7|')
  expect(await ask('change-power', { action: 'sign_out' })).toEqual({ refused: null, answer: {} })
  expect(calls().at(-1)).toBe('loginctl|terminate-session|c7|')
  expect(await reported('skipped')).toMatchObject({ reason: 'Done at once instead.' })
})
