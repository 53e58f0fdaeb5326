import { defineCommand } from './command.ts'

export const watchMetrics = defineCommand('watch-metrics', {
  isRun: false,
  take: ({ seconds }, { liveMetrics }) => liveMetrics.watch(seconds),
})

export const reportFacts = defineCommand('report-facts', {
  isRun: false,
  take: (_, { refreshFacts }) => refreshFacts(),
})
