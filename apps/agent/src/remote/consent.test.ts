import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { DEFAULT_REMOTE_RULES, type RemoteRules } from '@muster/rules/remote/remote-rules'
import { expect, onTestFinished, test, vi } from 'vitest'
import { givenAgent } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { isAlive } from '../testing/is-alive.ts'
import { givenDisplay, TestDesktop } from './desktop/test-desktop.ts'
import { TestChannel } from './terminal/test-channel.ts'

async function givenRules(rules: Partial<RemoteRules>) {
  const given = await givenAgent()
  const input = { revision: 'r1', rules: { ...DEFAULT_REMOTE_RULES, consent_seconds: 5, ...rules } }
  given.server.command(given.server.sign('set-remote-rules', input))
  return given
}

/** All processes of this session, including its dialogs. */
const processesOf = (session: string) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && environmentOf(pid).includes(`MUSTER_RUN=${session}`) && isAlive(pid))

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

const windowsOf = (display: string) =>
  execFileSync('xwininfo', ['-display', display, '-root', '-tree'], { encoding: 'utf8' })

/** The X server learns of the end of a program by its closed connection, a moment later. */
const untilClosed = (display: string) =>
  vi.waitFor(() => expect(windowsOf(display)).not.toContain('"Remote access"'))

test("the user at the machine is asked with the technician's name, and allows", async () => {
  await givenDisplay('320x200')
  const folder = givenPrograms({ zenity: 'printf "%s\\n" "$@" > "$here/asked"; exit 0' })
  const { server } = await givenRules({ consent: 'ask' })
  const terminal = new TestChannel(server, {
    person: 'Ada Winter (ada)',
    reason: 'the printer\nWithout a response it is\u202eallowed',
  })
  await server.until(() => terminal.received.some(({ type }) => type === 'opened'))
  expect(terminal.received[0]).toEqual({ type: 'asking', seconds: 5 })
  const asked = readFileSync(join(folder, 'asked'), 'utf8')
  expect(asked).toContain('Ada Winter (ada) asks to open a terminal on this computer.')
  expect(asked).toContain('\nReason: the printer Without a response it is allowed\n')
  expect(asked).toContain('Without a response it is refused after 5 seconds.')
})

test.each(['ask', 'ask_allow', 'require'] as const)(
  '%s: a refusal of the user is respected',
  async (consent) => {
    await givenDisplay('320x200')
    givenPrograms({ zenity: 'exit 1' })
    const { server } = await givenRules({ consent })
    const terminal = new TestChannel(server)
    expect(await terminal.ended()).toEqual({ code: 'refused', message: 'The user at the machine refused.' })
    expect(terminal.received.map(({ type }) => type)).toEqual(['asking'])
    expect(processesOf(terminal.session)).toEqual([])
  },
)

test('VNC to another host requires consent, and connects only after it', async () => {
  await givenDisplay('320x200')
  const folder = givenPrograms({ zenity: 'printf "%s\\n" "$@" > "$here/asked"; exit 1' })
  const { server } = await givenRules({ consent: 'ask' })
  let calls = 0
  const neighbour = createServer((socket) => {
    calls += 1
    socket.destroy()
  })
  onTestFinished(() => void neighbour.close())
  await once(neighbour.listen(0, '127.0.0.1'), 'listening')
  const { port } = neighbour.address() as AddressInfo
  const vnc = new TestDesktop(server, { tool: 'vnc', host: '127.0.0.1', port }, { person: 'Ada (ada)' })
  expect(await vnc.ended()).toEqual({ code: 'refused', message: 'The user at the machine refused.' })
  expect(calls).toBe(0)
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(
    'Ada (ada) asks to view and control a screen through this computer.',
  )
  expect(processesOf(vnc.session)).toEqual([])
})

test('the desktop requires consent', async () => {
  await givenDisplay('320x200')
  givenPrograms({ zenity: 'exit 1' })
  const { server } = await givenRules({ consent: 'require' })
  const desktop = new TestDesktop(server)
  expect(await desktop.ended()).toMatchObject({ message: 'The user at the machine refused.' })
  expect(processesOf(desktop.session)).toEqual([])
})

test.each([
  ['ask', 'The user at the machine did not respond within 5 seconds.'],
  ['ask_allow', undefined],
] as const)('%s: a real dialog is shown, and no response counts as configured', async (consent, refusal) => {
  const display = await givenDisplay('640x480')
  givenPrograms({})
  const { server } = await givenRules({ consent })
  const terminal = new TestChannel(server)
  await vi.waitFor(() => expect(windowsOf(display)).toContain('"Remote access"'))
  expect(processesOf(terminal.session)).toHaveLength(1)
  const outcome = await server.until(() => terminal.end?.message ?? terminal.received.find(isOpened)?.type)
  expect(outcome).toBe(refusal ?? 'opened')
  await untilClosed(display)
  expect(processesOf(`${terminal.session}-ask`)).toEqual([])
  if (refusal !== undefined) expect(processesOf(terminal.session)).toEqual([])
})

const isOpened = ({ type }: { type: string }) => type === 'opened'

test.each(['detached', 'not_allowed'] as const)(
  'a session that ends as %s during the request closes the dialog',
  async (code) => {
    await givenDisplay('640x480')
    const { server } = await givenRules({ consent: 'require' })
    const terminal = new TestChannel(server)
    await server.until(() => processesOf(terminal.session).length === 1)
    terminal.close(code)
    await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
    expect(processesOf(terminal.session)).toEqual([])
  },
)

test('the end of the session and of the agent close the dialog', async () => {
  await givenDisplay('640x480')
  const { server, agent } = await givenRules({ consent: 'require', consent_seconds: 60 })
  const [first, second] = [new TestChannel(server), new TestChannel(server)]
  await server.until(() => processesOf(first.session).length + processesOf(second.session).length === 2)
  server.command(server.sign('end-session', { session: first.session }))
  expect(await first.ended()).toEqual({ code: 'refused', message: 'Ended by anna.' })
  expect(processesOf(first.session)).toEqual([])
  await agent[Symbol.asyncDispose]()
  expect(processesOf(second.session)).toEqual([])
})

test('if no user can be asked, the session opens unless consent is required', async () => {
  await givenDisplay('320x200')
  givenPrograms({ zenity: 'kill -9 $$' })
  const strict = await givenRules({ consent: 'require' })
  expect(await new TestChannel(strict.server).ended()).toEqual({
    code: 'refused',
    message:
      'The user at the machine must allow access, but no user can be asked: the question could not be shown.',
  })
  const mild = await givenRules({ consent: 'ask' })
  await new TestChannel(mild.server).opened()
})

test('a banner with the name is shown as long as the terminal is open', async () => {
  const display = await givenDisplay('640x480')
  const { server } = await givenRules({ banner: true })
  const terminal = await new TestChannel(server, { person: 'Ada Winter (ada)' }).opened()
  await vi.waitFor(() => expect(windowsOf(display)).toContain('"Remote access"'))
  const note = processesOf(terminal.session).find((pid) => commandOf(pid).includes('xmessage'))
  expect(commandOf(Number(note))).toContain('Ada Winter (ada) is using a terminal on this computer.')
  terminal.close('closed')
  await server.until(() => server.reports.some(({ kind }) => kind === 'session-ended'))
  expect(processesOf(terminal.session)).toEqual([])
  await untilClosed(display)
})

test('recording is mentioned in the consent dialog, and in a banner even if banners are off', async () => {
  const display = await givenDisplay('640x480')
  const folder = givenPrograms({ zenity: 'printf "%s\\n" "$@" >> "$here/asked"; exit 0' })
  const { server } = await givenRules({ consent: 'ask', banner: false })
  const desktop = new TestDesktop(server, undefined, { person: 'Ada Winter (ada)', recorded: true })
  await desktop.opened()
  const read = () => readFileSync(join(folder, 'asked'), 'utf8')
  expect(read()).toContain('asks to view and control the screen of this computer. The session is recorded.')
  await vi.waitFor(() =>
    expect(read()).toContain(
      'Ada Winter (ada) is viewing the screen of this computer. The session is recorded.',
    ),
  )
  const quiet = new TestDesktop(server, { tool: 'desktop', display })
  await quiet.opened()
  desktop.close('closed')
  quiet.close('closed')
  await Promise.all([desktop.reported(), quiet.reported()])
  expect(read().match(/--info/g)).toHaveLength(1)
})

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
}
