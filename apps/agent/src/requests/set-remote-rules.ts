import { defineCommand } from './command.ts'

export const setRemoteRules = defineCommand('set-remote-rules', {
  isRun: false,
  take: (input, { remote }) => remote.gate.set(input),
})
