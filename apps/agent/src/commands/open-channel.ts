import { defineCommand } from './command.ts'

export const openChannel = defineCommand('open-channel', {
  isRun: false,
  take: (input, { terminals, payload }) => terminals.open(input, payload.author),
})
