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
