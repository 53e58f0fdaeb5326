import { MachineRefused } from '../os/machine-refused.ts'
import { firstLine, runTool } from '../os/run-tool.ts'
import { defineQuestion } from './question.ts'

export const sendWakeUp = defineQuestion('send-wake-up', async ({ macs }) => {
  const { findBroadcasts, sendMagicPackets } = await import('../os/wake-up.ts')
  const broadcasts = findBroadcasts()
  if (broadcasts.length === 0)
    throw new MachineRefused('The machine is in no network that a wake-up packet could be sent to.')
  return { count: await sendMagicPackets(macs, broadcasts) }
})

const LIMIT_MS = 20_000

/** Restarts the machine or shuts it down. The agent is often stopped before it can reply. */
export const changePower = defineQuestion('change-power', async ({ action }, { os }) => {
  const { code, stdout, stderr, timedOut } = await runTool('shutdown', os.shutdownArguments(action), {
    signal: AbortSignal.timeout(LIMIT_MS + 1000),
    timeoutMs: LIMIT_MS,
  })
  if (timedOut) throw new MachineRefused(`The system did not respond within ${LIMIT_MS / 1000} seconds.`)
  if (code !== 0)
    throw new MachineRefused(
      `The system refused: ${firstLine(stderr, stdout) || `shutdown exited with ${code}`}`,
    )
  return {}
})
