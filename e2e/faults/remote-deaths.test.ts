import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openRemoteSetup, type RemoteSetup } from './remote-setup.ts'
import { signInByVnc } from './sign-in-by-vnc.ts'
import { WAIT } from './tool-window.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

/** A browser is taken for gone after 25 s, a server by its machine after 10 s. */
const LONG = { timeout: LONG_PATIENCE_MS, interval: 100 }
let setup: RemoteSetup
beforeAll(async () => {
  setup = await openRemoteSetup()
})
afterAll(() => setup[Symbol.asyncDispose]())

const newTerminal = { tool: 'terminal', session: null, cols: 80, rows: 24 } as const

/** A busy terminal, a desktop that is drawn and VNC to a neighbour, each with its note on the screen. */
async function beginAll() {
  await nothingIsLeft()
  const terminal = await setup.open(newTerminal)
  const { session } = await terminal.opened()
  terminal.send(
    Buffer.from('trap "" HUP; sleep 4711 & nohup setsid sleep 4712 >/dev/null 2>&1 & echo go=$((1 + 1))\n'),
  )
  await vi.waitFor(() => expect(terminal.text).toMatch(/go=2\r\n/), WAIT)
  const desktop = await setup.open({ tool: 'desktop', display: null })
  const { password, session: ofDesktop } = await desktop.opened()
  await signInByVnc(desktop, password ?? '')
  const vnc = await setup.open({ tool: 'vnc', host: 'localhost', port: setup.neighbour.port })
  const { session: ofVnc } = await vnc.opened()
  await vi.waitFor(() => expect(setup.started()).toEqual(ALL), WAIT)
  expect(setup.neighbour.viewers.size).toBe(1)
  expect(setup.ports()).toHaveLength(1)
  return { terminal, desktop, vnc, session, sessions: { terminal: session, desktop: ofDesktop, vnc: ofVnc } }
}

const OF_TERMINAL = ['bash', 'sleep', 'sleep', 'xmessage']
const ALL = [...OF_TERMINAL, 'x11vnc', 'xmessage', 'xmessage'].toSorted()

/** The desktop and VNC have left nothing; the terminal waits for its person. */
async function onlyTerminalIsLeft(): Promise<void> {
  await vi.waitFor(() => {
    expect(setup.started()).toEqual(OF_TERMINAL)
    expect(setup.neighbour.viewers.size).toBe(0)
  }, LONG)
  expect(setup.ports()).toEqual([])
}

/** The terminal resumes with its output, and closing it leaves no process. */
async function comesBack(session: string): Promise<void> {
  const again = await setup.open({ ...newTerminal, session })
  await again.opened()
  await vi.waitFor(() => expect(again.text).toMatch(/go=2\r\n/), WAIT)
  again.close()
  await nothingIsLeft()
}

async function nothingIsLeft(): Promise<void> {
  await vi.waitFor(() => expect(setup.started()).toEqual([]), WAIT)
  expect(setup.ports()).toEqual([])
  await vi.waitFor(() => expect(setup.neighbour.viewers.size).toBe(0), WAIT)
}

async function reasonsOf(sessions: Record<string, string>): Promise<Record<string, string | null>> {
  return vi.waitFor(async () => {
    const rows = await setup.sessions()
    const found = Object.entries(sessions).map(
      ([tool, id]) => [tool, rows.find((row) => row.id === id)] as const,
    )
    expect(found.every(([, row]) => row?.ended_at !== null)).toBe(true)
    return Object.fromEntries(found.map(([tool, row]) => [tool, row?.reason ?? null]))
  }, WAIT)
}

test('when the browser dies, desktop and VNC end on the machine and the terminal waits', async () => {
  const { session, sessions } = await beginAll()
  setup.toBrowser.mend()
  await onlyTerminalIsLeft()
  await comesBack(session)
  const gone = 'The window was closed or lost its connection.'
  expect(await reasonsOf(sessions)).toEqual({ terminal: 'Closed.', desktop: gone, vnc: gone })
})

test("when the browser's network fails silently, desktop and VNC end and the terminal waits", async () => {
  const { session, sessions } = await beginAll()
  setup.toBrowser.drop()
  await onlyTerminalIsLeft()
  setup.toBrowser.mend()
  await comesBack(session)
  expect((await reasonsOf(sessions)).desktop).toBe('The window was closed or lost its connection.')
})

test('when the server dies, desktop and VNC end, and the terminal is there when the server is back', async () => {
  const { session, sessions, desktop } = await beginAll()
  await setup.server.kill()
  await vi.waitFor(() => expect(desktop.isClosed).toBe(true), WAIT)
  await onlyTerminalIsLeft()
  await setup.server.start()
  await setup.back()
  await comesBack(session)
  expect((await reasonsOf(sessions)).vnc).toBe('The link to the machine was lost.')
})

test("the machine's network fails silently for longer than either side waits", async () => {
  const { session, sessions, terminal, desktop, vnc } = await beginAll()
  setup.toMachine.drop()
  await vi.waitFor(() => {
    for (const window of [terminal, desktop, vnc]) expect(window.end?.code).toBe('link_lost')
  }, LONG)
  expect(desktop.end?.message).toBe('The link to the machine was lost.')
  await onlyTerminalIsLeft()
  setup.toMachine.mend()
  await setup.back()
  await comesBack(session)
  expect((await reasonsOf(sessions)).desktop).toBe('The link to the machine was lost.')
})

test('when the agent is killed, the next agent ends what the first one left running', async () => {
  const { sessions, terminal, desktop } = await beginAll()
  await setup.agent.kill()
  await vi.waitFor(() => {
    for (const window of [terminal, desktop]) expect(window.end?.code).toBe('link_lost')
  }, WAIT)
  // Its VNC server has lost its only viewer, and ends automatically.
  await vi.waitFor(() => expect(setup.started()).not.toContain('x11vnc'), WAIT)
  expect(setup.ports()).toEqual([])
  expect(setup.neighbour.viewers.size).toBe(0)
  setup.agent.start()
  await setup.back()
  await nothingIsLeft()
  const restarted = 'The agent was restarted.'
  expect(await reasonsOf(sessions)).toEqual({ terminal: restarted, desktop: restarted, vnc: restarted })
})

test('when the agent is killed during a request for consent, the next agent removes the request', async () => {
  await setup.setRules({ consent: 'require' })
  // The machine has the rules a moment later: until then a desktop is opened, and closed again.
  await vi.waitFor(async () => {
    const asking = await setup.open({ tool: 'desktop', display: null })
    await vi.waitFor(() => expect(setup.started()).not.toEqual([]), WAIT)
    const started = setup.started()
    if (started.join() !== 'xmessage') {
      asking.close()
      await nothingIsLeft()
    }
    expect(started).toEqual(['xmessage'])
    expect(asking.end).toBeUndefined()
  }, LONG)
  await setup.agent.kill()
  setup.agent.start()
  await setup.back()
  await nothingIsLeft()
  setup.agent.expectCleanLog()
})
