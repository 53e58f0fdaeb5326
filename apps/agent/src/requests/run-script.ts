import { prepareScript } from '../run/prepare-script.ts'
import { defineCommand } from './command.ts'

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
