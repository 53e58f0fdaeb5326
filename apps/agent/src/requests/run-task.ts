import { defineCommand } from './command.ts'

export const runTask = defineCommand('run-task', {
  isRun: false,
  take: (order, { tasks }) => tasks.runNow(order),
})
