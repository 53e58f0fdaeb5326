import { listAgents } from '@muster/contract/api/agents'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { type AgentOptions, startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { waitForMachine } from './measure-api.ts'
import { TerminalWindow } from './terminal-window.ts'

const WARM_UP = 100
const PRESSES = 1000
const FLOOD_BYTES = 100_000_000
const BETWEEN_PRESSES_MS = 5

/** A key pressed until it is echoed, through server, link and terminal: alone, and while another terminal floods. */
export async function measureTerminal(
  given: { floodBytes?: number; presses?: number; program?: AgentOptions['program'] } = {},
): Promise<Figure[]> {
  const { floodBytes = FLOOD_BYTES, presses = PRESSES, program = 'bundle' } = given
  await using server = await startServer()
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, 'Terminals'))
  await using _agent = await startAgent({ server: server.url, token, program })
  await waitForMachine(session, 'Terminals')
  const [machine] = await session.call(listAgents, { query: {} })
  if (machine === undefined) throw new Error('there is no machine')
  using keys = await TerminalWindow.open(session, machine.agent_id)
  keys.type('stty -icanon; echo ready=$((1 + 1)); cat > /dev/null\n')
  await keys.until('ready=2')
  for (let press = 0; press < WARM_UP; press += 1) await pressKey(keys, press)
  const alone: number[] = []
  for (let press = 0; press < presses; press += 1) alone.push(await pressKey(keys, press))

  using flood = await TerminalWindow.open(session, machine.agent_id)
  const startedMs = performance.now()
  flood.type(`head -c ${floodBytes} /dev/zero | tr '\\0' x | fold -w 100; echo flood=$((1 + 1))\n`)
  let seconds: number | undefined
  const over = flood.until('flood=2').then(() => {
    seconds = (performance.now() - startedMs) / 1000
  })
  const busy: number[] = []
  while (seconds === undefined) busy.push(await pressKey(keys, busy.length))
  await over
  return [
    { budget: 'terminalEcho', value: median(alone), remark: `p95 ${percentile(alone, 95).toFixed(1)} ms` },
    {
      budget: 'terminalEchoBusy',
      value: percentile(busy, 95),
      remark: `median ${median(busy).toFixed(1)} ms, ${busy.length} keys, ${(flood.bytes / 1e6 / seconds).toFixed(0)} MB/s`,
    },
  ]
}

/** Milliseconds until it is on the screen. */
export async function pressKey(window: TerminalWindow, count: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_PRESSES_MS))
  const key = String.fromCodePoint(97 + (count % 26))
  const startedMs = performance.now()
  window.type(key)
  await window.until(key)
  return performance.now() - startedMs
}
