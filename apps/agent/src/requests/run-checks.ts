import { defineCommand } from './command.ts'

export const runChecks = defineCommand('run-checks', {
  isRun: false,
  take: ({ ids }, { checks }) => checks.runNow(ids),
})
