import { defineQuestion } from './question.ts'

export const changeFile = defineQuestion('change-file', async (input, { dataFolder }) => {
  const files = await import('../remote/files/change-file.ts')
  return files.changeFile(input, dataFolder)
})
