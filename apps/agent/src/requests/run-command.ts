import { prepareCommand } from '../run/prepare-command.ts'
import { defineCommand } from './command.ts'

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
