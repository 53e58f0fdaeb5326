import { defineQuestion } from './question.ts'

export const readLog = defineQuestion('read-log', async (search, { os }) =>
  (await os.loadLogTools()).read(search),
)
