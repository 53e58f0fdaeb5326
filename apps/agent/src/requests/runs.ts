import { prepareCommand } from '../run/prepare-command.ts'
import { prepareScript } from '../run/prepare-script.ts'
import { defineCommand } from './command.ts'

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
