import { defineCommand } from './command.ts'

export const endSession = defineCommand('end-session', {
  isRun: false,
  async take({ session }, { terminals, desktops, payload }) {
    for (const tool of [terminals, desktops]) await tool.end(session, `Ended by ${payload.author}.`)
  },
})
