import { defineQuestion } from './question.ts'

export const listShells = defineQuestion('list-shells', async (_, { os }) => {
  const { describeShells } = await import('../remote/terminal/describe-shells.ts')
  return describeShells(os)
})
