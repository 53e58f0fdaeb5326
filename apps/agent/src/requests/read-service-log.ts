import { defineQuestion } from './question.ts'

/** What an answer holds, and a message between two server processes. */
const MOST_CHARACTERS = 200_000
const LONGEST_LINE = 4000

export const readServiceLog = defineQuestion('read-service-log', async ({ name, lines }, { os }) => {
  const tools = await os.loadServiceTools()
  const kept: string[] = []
  let characters = 0
  for (const line of (await tools.readLog(name, lines)).slice(-lines).toReversed()) {
    const cut = line.slice(0, LONGEST_LINE)
    characters += cut.length
    if (characters > MOST_CHARACTERS) break
    kept.push(cut)
  }
  return { lines: kept.toReversed() }
})
