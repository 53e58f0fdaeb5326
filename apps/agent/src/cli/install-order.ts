import { readFileSync, writeFileSync } from 'node:fs'
import { PackageName, PatchGuid } from '@muster/contract/agent/patches'
import { z } from 'zod'
import { describeError } from '../log/log.ts'
import { os } from '../os/index.ts'
import { AgentError, MeasureError } from '../errors.ts'
import { WHY_SUFFIX } from '../run/installations.ts'

const InstallRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('patches'), guids: z.array(PatchGuid).nullable() }),
  z.object({ kind: z.literal('package'), names: z.array(PackageName) }),
])
export type InstallRequest = z.infer<typeof InstallRequest>

/** Runs in the agent's child process. Returns the exit code. */
export async function carryOut(orderFile: string): Promise<number> {
  const order = InstallRequest.parse(JSON.parse(readFileSync(orderFile, 'utf8')))
  const tools = await os.loadPatchTools()
  try {
    await (order.kind === 'patches' ? tools.install(order.guids) : tools.installPackage(order.names))
    return 0
  } catch (cause) {
    const isExpected = cause instanceof AgentError || cause instanceof MeasureError
    const sentence = isExpected ? cause.message : `The installation failed: ${describeError(cause)}`
    writeFileSync(`${orderFile}${WHY_SUFFIX}`, sentence, { mode: 0o600 })
    return 1
  }
}
