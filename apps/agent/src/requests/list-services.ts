import { defineQuestion } from './question.ts'

export const listServices = defineQuestion('list-services', async ({ name }, { os }) => {
  const tools = await os.loadServiceTools()
  return { services: await tools.list(name) }
})
