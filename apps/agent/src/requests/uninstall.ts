import { defineCommand } from './command.ts'

export const uninstall = defineCommand('uninstall', {
  isRun: false,
  take: (_, context) => context.uninstall(),
})
