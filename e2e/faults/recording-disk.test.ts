import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { mountSmallDisk } from '../support/small-disk.ts'
import { openRemoteSetup } from './remote-setup.ts'
import { signInByVnc } from './sign-in-by-vnc.ts'
import { WAIT } from './tool-window.ts'

const TERMINAL = { tool: 'terminal', session: null, cols: 80, rows: 24 } as const
const DESKTOP = { tool: 'desktop', display: null } as const

test("the server's disk fills up while a terminal and a desktop are recorded", async () => {
  await using disk = await mountSmallDisk()
  const data = await mkdtemp(join(tmpdir(), 'muster-e2e-'))
  await using _data = { [Symbol.asyncDispose]: () => rm(data, { recursive: true, force: true }) }
  await symlink(disk.path, join(data, 'recordings'))
  await using setup = await openRemoteSetup({ data })
  await setup.setRules({ record_terminals: 'all', record_desktops: 'all' })
  const terminal = await setup.open(TERMINAL)
  const { session } = await terminal.opened()
  const desktop = await setup.open(DESKTOP)
  const opened = await desktop.opened()
  await disk.fill(20).catch(() => undefined)

  // Both go on; what is recorded says what is lacking.
  terminal.send(Buffer.from('head -c 400000 /dev/urandom | base64; echo still=$((40 + 2))\n'))
  await vi.waitFor(() => expect(terminal.text).toContain('still=42'), WAIT)
  await signInByVnc(desktop, opened.password ?? '')
  for (const window of [terminal, desktop]) {
    expect(window.end).toBeUndefined()
    window.close()
  }
  const problem = 'The server could not write the recording. Its disk may be full.'
  await vi.waitFor(async () => {
    const rows = await setup.sessions()
    const of = (id: string) => rows.find((row) => row.id === id)?.recording?.problem
    expect([of(session), of(opened.session)]).toEqual([problem, problem])
  }, WAIT)

  const refused = await setup.open(TERMINAL)
  await vi.waitFor(
    () =>
      expect(refused.end).toEqual({
        code: 'failed',
        message:
          'This session must be recorded, and the server cannot write the recording. Check the disk of the server.',
      }),
    WAIT,
  )
  await vi.waitFor(() => expect(setup.started()).toEqual([]), WAIT)
  await disk.empty()
  const again = await setup.open(TERMINAL)
  await again.opened()
  again.close()
  await vi.waitFor(() => expect(setup.started()).toEqual([]), WAIT)
  setup.server.expectCleanLog(/recording/)
  setup.agent.expectCleanLog()
})
