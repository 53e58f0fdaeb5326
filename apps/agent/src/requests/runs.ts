import { type CommandInput, commands } from '@muster/contract/agent/commands'
import { packageFilePath } from '@muster/contract/agent/package-files'
import type { PackageChange } from '@muster/rules/agents/package-change'
import { z } from 'zod'
import { RunError } from '../errors.ts'
import { describeFileError } from '../remote/files/file-errors.ts'
import { prepareCommand, prepareScript } from '../run/prepare-run.ts'
import type { InstallRequest } from '../cli/install-order.ts'
import {
  type AgentCommand,
  type CommandContext,
  defineCommand,
  defineRequest,
  describeWrongInput,
} from './command.ts'

export const runChecks = defineCommand('run-checks', {
  isRun: false,
  take: ({ ids }, { checks }) => checks.runNow(ids),
})

/** As in the contract, but definitions are parsed one by one, because a newer server may know more types. */
const Input = commands['set-checks'].extend({ put: z.array(z.unknown()).max(500) })

export const setChecks: AgentCommand = {
  isRun: false,
  check(raw) {
    const input = Input.safeParse(raw)
    if (!input.success) return { wrong: describeWrongInput(input.error) }
    return { take: ({ checks }) => checks.set(input.data) }
  },
}

export const installPatches = defineCommand('install-patches', {
  isRun: true,
  take: (input, context) => accept(input, context, { kind: 'patches', guids: input.guids }),
})

export const installPackage = definePackageCommand('install')
export const upgradePackage = definePackageCommand('upgrade')
export const removePackage = definePackageCommand('remove')

function definePackageCommand(change: PackageChange): AgentCommand {
  return defineCommand(`${change}-package`, {
    isRun: true,
    take: (input, context) => accept(input, context, { kind: 'package', change, names: input.names }),
  })
}

export const installFile = defineCommand('install-file', {
  isRun: true,
  take: (input, context) => {
    const { payload } = context
    const { timeout_seconds, output_cap_bytes, ...file } = input
    if (payload.history_id === null) return
    accept({ timeout_seconds, output_cap_bytes }, context, {
      kind: 'file',
      file,
      path: packageFilePath(payload.history_id),
    })
  },
})

export const pushFile = defineCommand('push-file', {
  isRun: true,
  take: (input, { payload, runs, installing, dataFolder, files, openParts }) => {
    const { history_id: historyId, nonce } = payload
    const { timeout_seconds, output_cap_bytes, ...push } = input
    if (historyId === null) return
    runs.accept({
      historyId,
      nonce,
      timeoutSeconds: timeout_seconds,
      outputCapBytes: output_cap_bytes,
      async prepare() {
        const draft = await files.run('find-draft', { path: push.path }).catch((cause: unknown) => {
          throw new RunError(describeFileError(cause).message, { cause })
        })
        const path = packageFilePath(historyId)
        openParts.remember(draft.path)
        const prepared = await installing.prepare({ kind: 'push', push, path, dataFolder, draft: draft.name })
        return {
          ...prepared,
          [Symbol.dispose]() {
            prepared[Symbol.dispose]()
            // A process that was killed leaves it behind.
            void openParts.drop(draft.path)
          },
        }
      },
    })
  },
})

type Limits = Pick<CommandInput<'install-package'>, 'timeout_seconds' | 'output_cap_bytes'>

function accept(limits: Limits, { payload, runs, installing }: CommandContext, order: InstallRequest): void {
  if (payload.history_id === null) return
  runs.accept({
    historyId: payload.history_id,
    nonce: payload.nonce,
    timeoutSeconds: limits.timeout_seconds,
    outputCapBytes: limits.output_cap_bytes,
    prepare: () => installing.prepare(order),
  })
}

/** Windows takes minutes; the report follows when the scan has finished. */
export const scanPatches = defineRequest('scan-patches', async (_, { patches }) => {
  patches.scan()
  return {}
})

export const reportSoftware = defineRequest('report-software', (_, { software }) => software.reportAll())

export const cancel = defineCommand('cancel', {
  isRun: false,
  take: ({ history_id }, { runs }) => runs.cancel(history_id),
})

export const runTask = defineCommand('run-task', {
  isRun: false,
  take: (order, { tasks }) => tasks.runNow(order),
})

export const runScript = defineCommand('run-script', {
  isRun: true,
  take(input, context) {
    const { payload, runs } = context
    if (payload.history_id === null) return
    runs.accept({
      historyId: payload.history_id,
      nonce: payload.nonce,
      timeoutSeconds: input.timeout_seconds,
      outputCapBytes: input.output_cap_bytes,
      secrets: input.secrets,
      prepare: () => prepareScript(input, context),
    })
  },
})

export const runCommand = defineCommand('run-command', {
  isRun: true,
  take(input, context) {
    const { payload, runs } = context
    if (payload.history_id === null) return
    runs.accept({
      historyId: payload.history_id,
      nonce: payload.nonce,
      timeoutSeconds: input.timeout_seconds,
      outputCapBytes: input.output_cap_bytes,
      prepare: () => prepareCommand(input, context),
    })
  },
})
