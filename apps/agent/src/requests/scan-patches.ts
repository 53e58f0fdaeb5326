import { defineQuestion } from './question.ts'

/** Windows takes minutes for it: the report tells when it is done. */
export const scanPatches = defineQuestion('scan-patches', async (_, { patches }) => {
  patches.scan()
  return {}
})
