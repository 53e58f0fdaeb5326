import { defineQuestion } from './question.ts'

const files = () => import('../remote/files/upload-part.ts')

export const beginUpload = defineQuestion('begin-upload', async (input, { dataFolder, openParts }) =>
  (await files()).beginUpload(input, { dataFolder, openParts }),
)

export const lookAtUpload = defineQuestion('look-at-upload', async (input, { dataFolder }) =>
  (await files()).lookAtUpload(input, dataFolder),
)

export const dropUpload = defineQuestion('drop-upload', async (input, { dataFolder, openParts }) =>
  (await files()).dropUpload(input, { dataFolder, openParts }),
)

export const writeText = defineQuestion('write-text', async (input, surroundings) => {
  const files = await import('../remote/files/text-file.ts')
  return files.writeText(input, surroundings)
})

export const readText = defineQuestion('read-text', async ({ path }, { dataFolder }) => {
  const files = await import('../remote/files/text-file.ts')
  return files.readText(path, dataFolder)
})

export const changeFile = defineQuestion('change-file', async (input, { dataFolder }) => {
  const files = await import('../remote/files/change-file.ts')
  return files.changeFile(input, dataFolder)
})

export const listFolder = defineQuestion('list-folder', async (input, { dataFolder }) => {
  const files = await import('../remote/files/list-folder.ts')
  return files.listFolder(input, dataFolder)
})
