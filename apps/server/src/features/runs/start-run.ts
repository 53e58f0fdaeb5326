import type { IncomingMessage } from 'node:http'
import type { Context } from '../../context.ts'
import { whileConnected } from '../../platform/http/while-connected.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { emitPending } from './deliver-runs.ts'
import { createRun, type RunOrder } from './send-run.ts'

/** What a run may take beyond its own time limit before an answer that waits for it is given without its end. */
const WAIT_MARGIN_MS = 30_000

/**
 * Writes a run, sends it where the machine is connected, and, for a `waitFor` request, waits for its end unless the
 * machine is away. Answers the id of the row.
 */
export async function startRun(
  ctx: Context,
  fleet: Fleet,
  order: RunOrder,
  waitFor: IncomingMessage | undefined,
): Promise<number> {
  const run = await createRun(ctx, order)
  const sent = await fleet.deliver(run.agent_id)
  if (!sent) emitPending(ctx, [run])
  if (!sent || waitFor === undefined) return run.id
  using connected = whileConnected(waitFor)
  await fleet.runs.waitForEnd(run.id, run.timeout_seconds * 1000 + WAIT_MARGIN_MS, connected.signal)
  return run.id
}
