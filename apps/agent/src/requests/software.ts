import type { CommandInput } from '@muster/contract/agent/commands'
import type { InstallOrder } from '../cli/install-order.ts'
import { defineQuestion } from './question.ts'
import { type CommandContext, defineCommand } from './command.ts'

export const installPatches = defineCommand('install-patches', {
  isRun: true,
  take: (input, context) => accept(input, context, { kind: 'patches', guids: input.guids }),
})

export const installPackage = defineCommand('install-package', {
  isRun: true,
  take: (input, context) => accept(input, context, { kind: 'package', names: input.names }),
})

type Limits = Pick<CommandInput<'install-package'>, 'timeout_seconds' | 'output_cap_bytes'>

function accept(limits: Limits, { payload, runs, installing }: CommandContext, order: InstallOrder): void {
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
export const scanPatches = defineQuestion('scan-patches', async (_, { patches }) => {
  patches.scan()
  return {}
})

export const reportSoftware = defineQuestion('report-software', (_, { software }) => software.reportAll())
