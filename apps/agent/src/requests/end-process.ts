import { defineQuestion } from './question.ts'

export const endProcess = defineQuestion('end-process', async (input, { os }) => {
  const tools = await os.loadProcessTools()
  return tools.end(input, input)
})
