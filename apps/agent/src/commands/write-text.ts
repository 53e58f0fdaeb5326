import { defineQuestion } from './question.ts'

export const writeText = defineQuestion('write-text', async (input, { dataFolder }) => {
  const files = await import('../files/text-file.ts')
  return files.writeText(input, dataFolder)
})
