import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { PackageFileOrder } from '@muster/contract/agent/package-files'
import { PackageName, PatchGuid } from '@muster/contract/agent/patches'
import { PackageChange } from '@muster/contract/agent/software'
import { PushFile } from '@muster/contract/agent/push-file'
import { z } from 'zod'
import { Identity } from '../identity/identity.ts'
import { describeError } from '../log/log.ts'
import { os } from '../os/index.ts'
import { AgentError, MeasureError } from '../errors.ts'
import { WHY_SUFFIX } from '../run/installations.ts'

const InstallRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('patches'), guids: z.array(PatchGuid).nullable() }),
  z.object({ kind: z.literal('package'), change: PackageChange, names: z.array(PackageName) }),
  /** `path` = of the download on the server. */
  z.object({ kind: z.literal('file'), file: PackageFileOrder, path: z.string() }),
  z.object({
    kind: z.literal('push'),
    push: PushFile,
    path: z.string(),
    dataFolder: z.string(),
    draft: z.string(),
  }),
])
export type InstallRequest = z.infer<typeof InstallRequest>

const InstallOrder = z.object({
  order: InstallRequest,
  server: Identity.pick({ server_url: true, ca_pem: true, proven_certificate: true, proxy: true }),
})
export type InstallOrder = z.infer<typeof InstallOrder>

/** Runs in the agent's child process. Returns the exit code. */
export async function carryOut(orderFile: string): Promise<number> {
  const { order, server } = InstallOrder.parse(JSON.parse(readFileSync(orderFile, 'utf8')))
  try {
    if (order.kind === 'patches') await (await os.loadPatchTools()).install(order.guids)
    else if (order.kind === 'package') await (await os.loadPackageTools()).change(order.change, order.names)
    else if (order.kind === 'file') {
      const { installFile } = await import('./install-file.ts')
      await installFile(order.file, { ...server, path: order.path, folder: dirname(orderFile) })
    } else {
      const { receivePush } = await import('./receive-push.ts')
      await receivePush(order, server)
    }
    return 0
  } catch (cause) {
    const isExpected = cause instanceof AgentError || cause instanceof MeasureError
    const sentence = isExpected ? cause.message : `The work failed: ${describeError(cause)}`
    writeFileSync(`${orderFile}${WHY_SUFFIX}`, sentence, { mode: 0o600 })
    return 1
  }
}
