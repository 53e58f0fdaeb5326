import { defineQuestion } from './question.ts'

export const readText = defineQuestion('read-text', async ({ path }, { dataFolder }) => {
  const files = await import('../remote/files/text-file.ts')
  return files.readText(path, dataFolder)
})
