import type { AgentFacts } from '@muster/contract/agent/facts'
import { describeError } from '../log/log.ts'

export interface FactSource {
  /** For the sentence about its failure: "the firmware". */
  name: string
  /** May add `problems`: what it could not read. */
  read: () => Promise<Partial<AgentFacts>>
}

/** Reads the sources in order. One that fails is left out and named in `problems`, so that the others are reported. */
export async function readFactSources(sources: readonly FactSource[]): Promise<Partial<AgentFacts>> {
  const problems: string[] = []
  let facts: Partial<AgentFacts> = {}
  for (const { name, read } of sources) {
    try {
      const { problems: more = [], ...found } = await read()
      facts = { ...facts, ...found }
      problems.push(...more)
    } catch (cause) {
      problems.push(`The agent failed to read ${name}: ${describeError(cause).slice(0, 200)}.`)
    }
  }
  return { ...facts, problems }
}
