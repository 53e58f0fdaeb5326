import { defineCommand } from './command.ts'

export const reportFacts = defineCommand('report-facts', {
  isRun: false,
  take: (_, { refreshFacts }) => refreshFacts(),
})
