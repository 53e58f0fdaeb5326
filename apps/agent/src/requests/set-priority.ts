import { defineQuestion } from './question.ts'

export const setPriority = defineQuestion('set-priority', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return { name: (await tools.setPriority(input, input.nice)).slice(0, 255) }
})
