import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openRemoteScene, type RemoteScene } from './remote-scene.ts'
import { signInByVnc } from './sign-in-by-vnc.ts'
import { WAIT } from './tool-window.ts'

/** A browser is taken for gone after 25 s, a server by its machine after 10 s. */
const LONG = { timeout: 45_000, interval: 100 }
let scene: RemoteScene
beforeAll(async () => {
  scene = await openRemoteScene()
}, 60_000)
afterAll(() => scene[Symbol.asyncDispose]())

const newTerminal = { tool: 'terminal', session: null, cols: 80, rows: 24 } as const

/** A busy terminal, a desktop that is drawn and VNC to a neighbour, each with its note on the screen. */
async function beginAll() {
  await nothingIsLeft()
  const terminal = await scene.open(newTerminal)
  const { session } = await terminal.opened()
  terminal.send(
    Buffer.from('trap "" HUP; sleep 4711 & nohup setsid sleep 4712 >/dev/null 2>&1 & echo go=$((1 + 1))\n'),
  )
  await vi.waitFor(() => expect(terminal.text).toMatch(/go=2\r\n/), WAIT)
  const desktop = await scene.open({ tool: 'desktop', display: null })
  const { password, session: ofDesktop } = await desktop.opened()
  await signInByVnc(desktop, password ?? '')
  const vnc = await scene.open({ tool: 'vnc', host: 'localhost', port: scene.neighbour.port })
  const { session: ofVnc } = await vnc.opened()
  await vi.waitFor(() => expect(scene.started()).toEqual(ALL), WAIT)
  expect(scene.neighbour.viewers.size).toBe(1)
  expect(scene.ports()).toHaveLength(1)
  return { terminal, desktop, vnc, session, sessions: { terminal: session, desktop: ofDesktop, vnc: ofVnc } }
}

const OF_TERMINAL = ['bash', 'sleep', 'sleep', 'xmessage']
const ALL = [...OF_TERMINAL, 'x11vnc', 'xmessage', 'xmessage'].toSorted()

/** The desktop and VNC have left nothing; the terminal waits for its person. */
async function onlyTerminalIsLeft(): Promise<void> {
  await vi.waitFor(() => {
    expect(scene.started()).toEqual(OF_TERMINAL)
    expect(scene.neighbour.viewers.size).toBe(0)
  }, LONG)
  expect(scene.ports()).toEqual([])
}

/** It is found again with what it wrote, and closing it leaves nothing at all. */
async function comesBack(session: string): Promise<void> {
  const again = await scene.open({ ...newTerminal, session })
  await again.opened()
  await vi.waitFor(() => expect(again.text).toMatch(/go=2\r\n/), WAIT)
  again.close()
  await nothingIsLeft()
}

async function nothingIsLeft(): Promise<void> {
  await vi.waitFor(() => expect(scene.started()).toEqual([]), WAIT)
  expect(scene.ports()).toEqual([])
  await vi.waitFor(() => expect(scene.neighbour.viewers.size).toBe(0), WAIT)
}

async function reasonsOf(sessions: Record<string, string>): Promise<Record<string, string | null>> {
  return vi.waitFor(async () => {
    const rows = await scene.sessions()
    const found = Object.entries(sessions).map(
      ([tool, id]) => [tool, rows.find((row) => row.id === id)] as const,
    )
    expect(found.every(([, row]) => row?.ended_at !== null)).toBe(true)
    return Object.fromEntries(found.map(([tool, row]) => [tool, row?.reason ?? null]))
  }, WAIT)
}

test('when the browser dies, desktop and VNC end on the machine and the terminal waits', async () => {
  const { session, sessions } = await beginAll()
  scene.toBrowser.mend()
  await onlyTerminalIsLeft()
  await comesBack(session)
  const gone = 'The window was closed or lost its connection.'
  expect(await reasonsOf(sessions)).toEqual({ terminal: 'Closed.', desktop: gone, vnc: gone })
})

test(
  "when the browser's network fails silently, desktop and VNC end and the terminal waits",
  { timeout: 90_000 },
  async () => {
    const { session, sessions } = await beginAll()
    scene.toBrowser.drop()
    await onlyTerminalIsLeft()
    scene.toBrowser.mend()
    await comesBack(session)
    expect((await reasonsOf(sessions)).desktop).toBe('The window was closed or lost its connection.')
  },
)

test(
  'when the server dies, desktop and VNC end, and the terminal is there when the server is back',
  { timeout: 60_000 },
  async () => {
    const { session, sessions, desktop } = await beginAll()
    await scene.server.kill()
    await vi.waitFor(() => expect(desktop.isClosed).toBe(true), WAIT)
    await onlyTerminalIsLeft()
    await scene.server.start()
    await scene.back()
    await comesBack(session)
    expect((await reasonsOf(sessions)).vnc).toBe('The link to the machine was lost.')
  },
)

test(
  "the machine's network fails silently for longer than either side waits",
  { timeout: 90_000 },
  async () => {
    const { session, sessions, terminal, desktop, vnc } = await beginAll()
    scene.toMachine.drop()
    await vi.waitFor(() => {
      for (const window of [terminal, desktop, vnc]) expect(window.end?.code).toBe('link_lost')
    }, LONG)
    expect(desktop.end?.message).toBe('The link to the machine was lost.')
    await onlyTerminalIsLeft()
    scene.toMachine.mend()
    await scene.back()
    await comesBack(session)
    expect((await reasonsOf(sessions)).desktop).toBe('The link to the machine was lost.')
  },
)

test(
  'when the agent is killed, the next agent ends what the first one left running',
  { timeout: 60_000 },
  async () => {
    const { sessions, terminal, desktop } = await beginAll()
    await scene.agent.kill()
    await vi.waitFor(() => {
      for (const window of [terminal, desktop]) expect(window.end?.code).toBe('link_lost')
    }, WAIT)
    // Its VNC server has lost its only viewer, and needs nobody to end it.
    await vi.waitFor(() => expect(scene.started()).not.toContain('x11vnc'), WAIT)
    expect(scene.ports()).toEqual([])
    expect(scene.neighbour.viewers.size).toBe(0)
    scene.agent.start()
    await scene.back()
    await nothingIsLeft()
    const restarted = 'The agent was restarted.'
    expect(await reasonsOf(sessions)).toEqual({ terminal: restarted, desktop: restarted, vnc: restarted })
  },
)

test(
  'when the agent is killed during a request for consent, the next agent removes the request',
  { timeout: 60_000 },
  async () => {
    await scene.setRules({ consent: 'require' })
    // The machine has the rules a moment later: until then a desktop is opened, and closed again.
    await vi.waitFor(async () => {
      const asking = await scene.open({ tool: 'desktop', display: null })
      await vi.waitFor(() => expect(scene.started()).not.toEqual([]), WAIT)
      const started = scene.started()
      if (started.join() !== 'xmessage') {
        asking.close()
        await nothingIsLeft()
      }
      expect(started).toEqual(['xmessage'])
      expect(asking.end).toBeUndefined()
    }, LONG)
    await scene.agent.kill()
    scene.agent.start()
    await scene.back()
    await nothingIsLeft()
    scene.agent.expectCleanLog()
  },
)
