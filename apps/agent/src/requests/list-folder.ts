import { defineQuestion } from './question.ts'

export const listFolder = defineQuestion('list-folder', async (input, { dataFolder }) => {
  const files = await import('../remote/files/list-folder.ts')
  return files.listFolder(input, dataFolder)
})
