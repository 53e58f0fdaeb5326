import { defineCommand } from './command.ts'

export const watchProcesses = defineCommand('watch-processes', {
  isRun: false,
  take: ({ seconds }, { liveProcesses }) => liveProcesses.watch(seconds),
})
