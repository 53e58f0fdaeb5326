import { defineCommand } from './command.ts'

export const endSession = defineCommand('end-session', {
  isRun: false,
  take: ({ session }, { remote, payload }) => remote.end(session, `Ended by ${payload.author}.`),
})
