import { defineCommand } from './command.ts'
import { defineQuestion } from './question.ts'

export const setPriority = defineQuestion('set-priority', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return { name: (await tools.setPriority(input, input.nice)).slice(0, 255) }
})

export const endProcess = defineQuestion('end-process', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return tools.end(input, input)
})

export const watchProcesses = defineCommand('watch-processes', {
  isRun: false,
  take: ({ seconds }, { liveProcesses }) => liveProcesses.watch(seconds),
})
