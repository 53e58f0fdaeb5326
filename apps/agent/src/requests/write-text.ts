import { defineQuestion } from './question.ts'

export const writeText = defineQuestion('write-text', async (input, surroundings) => {
  const files = await import('../remote/files/text-file.ts')
  return files.writeText(input, surroundings)
})
