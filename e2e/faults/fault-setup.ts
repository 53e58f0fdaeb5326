import { randomUUID } from 'node:crypto'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitForMachine } from '../load/measure-api.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { listRunning } from './left-behind.ts'
import { openLine } from './line.ts'

export type FaultSetup = Awaited<ReturnType<typeof openFaultSetup>>

/** A server (with its data at `data`, and settings), a machine behind a line that can drop, and a folder of its files. */
export async function openFaultSetup({
  path = '',
  data,
  settings = {},
}: { path?: string; data?: string; settings?: Record<string, string> } = {}) {
  await using parts = new AsyncDisposableStack()
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-faults-')))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const server = parts.use(
    await startServer({ env: settings, ...(data !== undefined && { dataFolder: data }) }),
  )
  const line = parts.use(await openLine(server.url))
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Faults'))
  const mark = `MUSTER_FAULTS=${randomUUID()}`
  const [name = '', value = ''] = mark.split('=')
  const env = { [name]: value, ...(path === '' ? {} : { PATH: `${path}:${process.env.PATH}` }) }
  const agent = parts.use(await startAgent({ server: line.url, token, env }))
  const back = async () => {
    // The agent waits longer after each failed attempt.
    for (;;) {
      const id = await waitForMachine(session, 'Faults').catch(() => undefined)
      if (id !== undefined) return id
    }
  }
  const agentId = await back()
  const kept = parts.move()
  return {
    server,
    line,
    session,
    agent,
    agentId,
    params: { agent_id: agentId },
    folder,
    back,
    /** Beside the agent itself. */
    running: () => listRunning({ mark, folder }).filter((command) => !command.includes(' run --data ')),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
