import { defineCommand } from './command.ts'

export const endSession = defineCommand('end-session', {
  isRun: false,
  take: ({ session }, { terminals, payload }) => terminals.end(session, `Ended by ${payload.author}.`),
})
