import { defineCommand } from './command.ts'

export const cancel = defineCommand('cancel', {
  isRun: false,
  take: ({ history_id }, { runs }) => runs.cancel(history_id),
})
